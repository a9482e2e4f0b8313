"""Starts the server."""

from config import parse_config


def main(path):
    settings = parse_config(path)
    serve(settings["port"])


def serve(port):
    """Answers until it is stopped."""
    print(f"serving at {port}")
