#!/usr/bin/env python3
"""Prints what is in a safetensors file: read_safetensors.py FILE

Written from the description of the format (https://github.com/huggingface/safetensors#format) and from nothing of
Trireme's, so that the files of Trireme are held against another reader. Where numpy is installed, it reads them, too.
"""
import json
import struct
import sys

# name in the file: bytes of an element, and how to turn one into a number
TYPES = {
    "BOOL": (1, lambda b: bool(b[0])),
    "U8": (1, lambda b: b[0]),
    "I8": (1, lambda b: struct.unpack("<b", b)[0]),
    "F8_E5M2": (1, lambda b: struct.unpack("<e", b"\0" + b)[0]),  # the upper half of a float16
    "F8_E4M3": (1, lambda b: f"0x{b[0]:02x}"),
    "U16": (2, lambda b: struct.unpack("<H", b)[0]),
    "I16": (2, lambda b: struct.unpack("<h", b)[0]),
    "F16": (2, lambda b: struct.unpack("<e", b)[0]),
    "BF16": (2, lambda b: struct.unpack("<f", b"\0\0" + b)[0]),  # the upper half of a float32
    "U32": (4, lambda b: struct.unpack("<I", b)[0]),
    "I32": (4, lambda b: struct.unpack("<i", b)[0]),
    "F32": (4, lambda b: struct.unpack("<f", b)[0]),
    "U64": (8, lambda b: struct.unpack("<Q", b)[0]),
    "I64": (8, lambda b: struct.unpack("<q", b)[0]),
    "F64": (8, lambda b: struct.unpack("<d", b)[0]),
}
NUMPY = {"BOOL": "?", "U8": "u1", "I8": "i1", "U16": "<u2", "I16": "<i2", "F16": "<f2", "U32": "<u4", "I32": "<i4",
         "F32": "<f4", "U64": "<u8", "I64": "<i8", "F64": "<f8"}


def no_duplicates(pairs):
    if len(dict(pairs)) != len(pairs):
        raise ValueError("a name is there twice")
    return dict(pairs)


def read(path):
    """The metadata, and name → (type, shape, bytes) in the order of the bytes."""
    with open(path, "rb") as file:
        data = file.read()
    (length,) = struct.unpack("<Q", data[:8])
    header = data[8:8 + length]
    assert len(header) == length and header[:1] == b"{", "the header is cut off, or no object"
    header = json.loads(header, object_pairs_hook=no_duplicates)
    body = data[8 + length:]
    metadata = header.pop("__metadata__", {})
    assert all(isinstance(value, str) for value in metadata.values())
    tensors, end = {}, 0
    for name, entry in sorted(header.items(), key=lambda item: item[1]["data_offsets"]):
        begin, stop = entry["data_offsets"]
        count = 1
        for size in entry["shape"]:
            count *= size
        assert begin == end and stop - begin == count * TYPES[entry["dtype"]][0], f"{name} lies wrong"
        tensors[name] = entry["dtype"], entry["shape"], body[begin:stop]
        end = stop
    assert end == len(body), "bytes are left over"
    return metadata, tensors


def values(kind, data):
    size, number = TYPES[kind]
    return [number(data[at:at + size]) for at in range(0, len(data), size)]


def main():
    metadata, tensors = read(sys.argv[1])
    print("metadata", json.dumps(metadata, sort_keys=True))
    for name, (kind, shape, data) in tensors.items():
        print(json.dumps(name), kind, shape, values(kind, data))
    try:
        import numpy
    except ImportError:
        return
    for name, (kind, shape, data) in tensors.items():
        if kind in NUMPY:
            assert numpy.frombuffer(data, NUMPY[kind]).reshape(shape).ravel().tolist() == values(kind, data), name


main()
