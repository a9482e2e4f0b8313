"""Reads the settings of the server."""

import json


def parse_config(path):
    """Returns the settings in the file at `path`."""
    with open(path) as file:
        return json.load(file)
