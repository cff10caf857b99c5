#!/usr/bin/python3
"""PyTorch's DistributedDataParallel over Gloo on Fashion-MNIST: the usual alternative to Trireme.

    ddp_fashion.py mlp|cnn WORKERS STEPS

It takes 10 steps to warm up and then STEPS more, and prints one JSON document. One worker is a plain loop.
The interpreter is Debian's own, because python3-torch is installed only for that."""

import gzip
import json
import os
import socket
import sys
import time

import numpy
import torch
from torch import distributed, nn

BATCH = 64
RATE = 0.05
WARM_UP_STEPS = 10
FOLDER = "/usr/share/datasets/fashion-mnist"


def make_model(kind):
    if kind == "mlp":
        widths = (784, 512, 256)
        hidden = [[nn.Linear(a, b), nn.ReLU()] for a, b in zip(widths, widths[1:])]
        return nn.Sequential(nn.Flatten(), *sum(hidden, []), nn.Linear(256, 10))
    convolutions = [
        [nn.Conv2d(a, b, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)] for a, b in ((1, 32), (32, 64))
    ]
    dense = [nn.Flatten(), nn.Linear(64 * 7 * 7, 128), nn.ReLU(), nn.Linear(128, 10)]
    return nn.Sequential(*sum(convolutions, []), *dense)


def load(name, header):
    with gzip.open(f"{FOLDER}/{name}.gz") as file:
        return torch.from_numpy(numpy.frombuffer(file.read(), numpy.uint8, offset=header).copy())


def load_data():
    images = load("train-images-idx3-ubyte", 16).reshape(-1, 1, 28, 28).float() / 255
    return images, load("train-labels-idx1-ubyte", 8).long()


def train(rank, kind, workers, steps, port):
    torch.set_num_threads(1)
    torch.manual_seed(0)
    net = make_model(kind)
    together = workers > 1
    if together:
        os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
        distributed.init_process_group("gloo", rank=rank, world_size=workers)
        net = nn.parallel.DistributedDataParallel(net)
    images, labels = load_data()
    order = torch.randperm(len(labels), generator=torch.Generator().manual_seed(1))[rank::workers]
    batches = order[: len(order) // BATCH * BATCH].split(BATCH)
    optimizer = torch.optim.SGD(net.parameters(), RATE)

    def take_steps(numbers):
        for number in numbers:
            batch = batches[number % len(batches)]
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(net(images[batch]), labels[batch])
            loss.backward()
            optimizer.step()
        if together:
            distributed.barrier()
        return loss

    take_steps(range(WARM_UP_STEPS))
    start = time.perf_counter()
    loss = take_steps(range(WARM_UP_STEPS, WARM_UP_STEPS + steps))
    seconds = time.perf_counter() - start
    if rank == 0:
        print(json.dumps({"samples_per_s": steps * BATCH * workers / seconds, "loss": loss.item()}), flush=True)


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def main():
    kind, workers, steps = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    if workers == 1:
        train(0, kind, 1, steps, None)
    else:
        torch.multiprocessing.spawn(train, (kind, workers, steps, free_port()), workers)


if __name__ == "__main__":
    main()
