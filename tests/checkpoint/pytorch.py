"""Weights go to PyTorch and back: pytorch.py TRIREME

`trireme train --save` trains on Fashion-MNIST; PyTorch loads the file and must classify the test set as well, to
the last sample. Then PyTorch trains on, writes its weights, and `--init` must find the same accuracy. The
safetensors format is read and written here by itself, from its description alone. Skipped (77) where there is
no PyTorch or no data.
"""
import gzip
import json
import os
import struct
import subprocess
import sys
import tempfile

DATA = "/usr/share/datasets/fashion-mnist"

try:
    import torch
except ImportError:
    print("Skipped: there is no PyTorch.")
    sys.exit(77)
if not os.path.isdir(DATA):
    print("Skipped: there is no Fashion-MNIST.")
    sys.exit(77)


def read_safetensors(path):
    with open(path, "rb") as file:
        data = file.read()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8:8 + length])
    tensors = {}
    for name, info in header.items():
        if name == "__metadata__":
            continue
        assert info["dtype"] == "F32", info
        begin, end = info["data_offsets"]
        bytes_ = bytearray(data[8 + length + begin:8 + length + end])
        tensors[name] = torch.frombuffer(bytes_, dtype=torch.float32).reshape(info["shape"]).clone()
    return tensors


def write_safetensors(path, tensors):
    header, blobs, at = {}, [], 0
    for name, tensor in tensors.items():
        blob = tensor.detach().contiguous().numpy().tobytes()
        header[name] = {"dtype": "F32", "shape": list(tensor.shape), "data_offsets": [at, at + len(blob)]}
        blobs.append(blob)
        at += len(blob)
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + b"".join(blobs))


def read_idx(name, dimensions):
    with gzip.open(f"{DATA}/{name}.gz", "rb") as file:
        data = file.read()
    begin = 4 + 4 * dimensions
    sizes = struct.unpack(f">{dimensions}I", data[4:begin])
    return torch.frombuffer(bytearray(data[begin:]), dtype=torch.uint8).reshape(sizes)


def accuracy(net, images, labels):
    correct = 0
    net.eval()
    with torch.no_grad():
        for first in range(0, len(labels), 500):
            guess = net(images[first:first + 500]).argmax(1)
            correct += int((guess == labels[first:first + 500]).sum())
    return correct / len(labels)


def train(trireme, *flags):
    job = [trireme, "train", "--set", "model.kind=mlp", "--set", "model.hidden=[64]", "--workers", "2", "--json"]
    done = subprocess.run([*job, *flags], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return json.loads(done.stdout)


def main():
    trireme = sys.argv[1]
    images = read_idx("t10k-images-idx3-ubyte", 3).float().div(255).unsqueeze(1)
    labels = read_idx("t10k-labels-idx1-ubyte", 1).long()
    torch.manual_seed(1)
    net = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(784, 64), torch.nn.ReLU(),
                              torch.nn.Linear(64, 10))
    with tempfile.TemporaryDirectory() as folder:
        there = f"{folder}/there.safetensors"
        summary = train(trireme, "--steps", "200", "--save", there)
        net.load_state_dict(read_safetensors(there))
        in_torch = accuracy(net, images, labels)
        print(f"to PyTorch: {summary['test_accuracy']} and {in_torch} there")
        assert summary["test_accuracy"] == in_torch

        net.train()
        optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
        for first in range(0, 6400, 64):  # of the test set: what it learns does not matter
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(net(images[first:first + 64]), labels[first:first + 64]).backward()
            optimizer.step()
        back = f"{folder}/back.safetensors"
        write_safetensors(back, net.state_dict())
        in_torch = accuracy(net, images, labels)
        summary = train(trireme, "--init", back, "--epochs", "0")
        print(f"and back: {in_torch} and {summary['test_accuracy']} here")
        assert summary["test_accuracy"] == in_torch
        assert summary["steps"] == 0
        assert in_torch > 0.5


main()
