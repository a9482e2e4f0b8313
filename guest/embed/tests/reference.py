#!/usr/bin/env python3
"""What the tests of docent-embed compare with: made by `numpy` in full precision and `tokenizers`.

    reference.py make DIR          writes a tiny model of random weights to DIR
    reference.py expect DIR FILE   writes to DIR/expected.json what the model in DIR says of the lines of FILE
"""
import json, math, pathlib, struct, sys

import numpy as np
import tokenizers

SIZE, LAYERS, HEADS, WIDE, POSITIONS = 16, 2, 2, 36, 24
WORDS = "[PAD] [UNK] [CLS] [SEP] the a cat dog sat on mat ##s ##ing run walk , . ! - 中 文 한 국 ##국 ##어 e cafe ##e ##x ##a b c d".split()


def make(directory):
    random = np.random.default_rng(7)
    tensors = {}

    def weights(name, *shape, middle=0.0, spread=0.3):
        tensors[name] = (random.normal(middle, spread, shape)).astype("<f4")

    weights("embeddings.word_embeddings.weight", len(WORDS), SIZE)
    weights("embeddings.position_embeddings.weight", POSITIONS, SIZE)
    weights("embeddings.token_type_embeddings.weight", 2, SIZE)

    def norm(name):
        weights(f"{name}.weight", SIZE, middle=1.0, spread=0.1)
        weights(f"{name}.bias", SIZE, spread=0.1)

    norm("embeddings.LayerNorm")
    for layer in range(LAYERS):
        at = f"encoder.layer.{layer}."
        for name, rows, columns in [
            ("attention.self.query", SIZE, SIZE), ("attention.self.key", SIZE, SIZE),
            ("attention.self.value", SIZE, SIZE), ("attention.output.dense", SIZE, SIZE),
            ("intermediate.dense", WIDE, SIZE), ("output.dense", SIZE, WIDE),
        ]:
            weights(f"{at}{name}.weight", rows, columns)
            weights(f"{at}{name}.bias", rows, spread=0.1)
        norm(f"{at}attention.output.LayerNorm")
        norm(f"{at}output.LayerNorm")
    header, data = {}, b""
    for name, tensor in tensors.items():
        start = len(data)
        data += tensor.tobytes()
        header[name] = {"dtype": "F32", "shape": tensor.shape, "data_offsets": [start, len(data)]}
    header = json.dumps(header, separators=(",", ":")).encode()
    (directory / "model.safetensors").write_bytes(struct.pack("<Q", len(header)) + header + data)
    config = {
        "model_type": "bert", "hidden_act": "gelu", "hidden_size": SIZE, "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS, "intermediate_size": WIDE, "max_position_embeddings": POSITIONS,
        "type_vocab_size": 2, "vocab_size": len(WORDS), "layer_norm_eps": 1e-12,
    }
    (directory / "config.json").write_text(json.dumps(config, indent=1) + "\n")
    t = tokenizers.Tokenizer(tokenizers.models.WordPiece({w: i for i, w in enumerate(WORDS)}, unk_token="[UNK]"))
    t.normalizer = tokenizers.normalizers.BertNormalizer()
    t.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    t.post_processor = tokenizers.processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    t.save(str(directory / "tokenizer.json"))


def read(path):
    content = path.read_bytes()
    length = struct.unpack("<Q", content[:8])[0]
    kinds = {"F32": "<f4", "F16": "<f2"}
    tensors = {}
    for name, entry in json.loads(content[8:8 + length]).items():
        if name != "__metadata__" and entry["dtype"] in kinds:
            start, end = (8 + length + offset for offset in entry["data_offsets"])
            tensor = np.frombuffer(content[start:end], kinds[entry["dtype"]])
            tensors[name] = tensor.reshape(entry["shape"]).astype(np.float64)
    return tensors


def encode(config, w, ids):
    epsilon, heads = config["layer_norm_eps"], config["num_attention_heads"]

    def norm(x, name):
        x = x - x.mean(-1, keepdims=True)
        return x / np.sqrt((x * x).mean(-1, keepdims=True) + epsilon) * w[f"{name}.weight"] + w[f"{name}.bias"]

    def linear(x, name):
        return x @ w[f"{name}.weight"].T + w[f"{name}.bias"]

    e = "embeddings."
    x = w[e + "word_embeddings.weight"][ids] + w[e + "position_embeddings.weight"][:len(ids)]
    x = norm(x + w[e + "token_type_embeddings.weight"][0], e + "LayerNorm")
    erf = np.vectorize(math.erf)
    for layer in range(config["num_hidden_layers"]):
        at = f"encoder.layer.{layer}."
        q, k, v = (np.split(linear(x, f"{at}attention.self.{n}"), heads, axis=1) for n in ("query", "key", "value"))
        parts = []
        for q, k, v in zip(q, k, v):
            scores = np.exp(q @ k.T / math.sqrt(q.shape[1]))
            parts.append(scores / scores.sum(-1, keepdims=True) @ v)
        x = norm(x + linear(np.hstack(parts), at + "attention.output.dense"), at + "attention.output.LayerNorm")
        y = linear(x, at + "intermediate.dense")
        y = y * 0.5 * (1 + erf(y / math.sqrt(2)))
        x = norm(x + linear(y, at + "output.dense"), at + "output.LayerNorm")
    return x


def expect(directory, lines):
    config = json.loads((directory / "config.json").read_text())
    w = read(directory / "model.safetensors")
    tokenizer = tokenizers.Tokenizer.from_file(str(directory / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(config["max_position_embeddings"])
    expected = []
    for text in lines:
        ids = tokenizer.encode(text).ids
        states = encode(config, w, ids)
        unit = lambda v: [round(float(n), 5) for n in v / np.linalg.norm(v)]
        expected.append({"text": text, "tokens": ids, "mean": unit(states.mean(0)), "first": unit(states[0])})
    lines = ",\n".join(json.dumps(one, ensure_ascii=False) for one in expected)
    (directory / "expected.json").write_text(f"[\n{lines}\n]\n")


match sys.argv[1:]:
    case ["make", directory]:
        make(pathlib.Path(directory))
    case ["expect", directory, file]:
        expect(pathlib.Path(directory), pathlib.Path(file).read_text().splitlines())
    case _:
        sys.exit(__doc__)
