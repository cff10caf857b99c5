#!/usr/bin/python3
"""Trains a small mlp with PyTorch's DistributedDataParallel over Gloo; src/libtorch/ddp_test.cc compares its results with ours.

    ddp_reference.py STEPS

It trains on two workers, first by SGD with momentum and then by Adam, and prints the bytes of all weights after
each in a line of hexadecimal digits. Exit code 77: PyTorch is not installed. The interpreter is Debian's own,
because python3-torch is installed only for that."""

import os
import sys
import tempfile

try:
    import torch
    from torch import distributed, nn
except ImportError:
    sys.exit(77)

WORKERS = 2
WIDTHS = (20, 16, 8, 4)
BATCH = 8


def numbers(shape, factor, offset, modulus, divisor):
    """Exactly the same in both languages."""
    count = torch.Size(shape).numel()
    middle = modulus // 2
    return ((torch.arange(count) * factor + offset) % modulus - middle).float().div(divisor).reshape(shape)


def make_model():
    layers = [nn.Linear(a, b) for a, b in zip(WIDTHS, WIDTHS[1:])]
    net = nn.Sequential(layers[0], nn.ReLU(), layers[1], nn.ReLU(), layers[2])
    with torch.no_grad():
        for i, parameter in enumerate(net.parameters()):
            parameter.copy_(numbers(parameter.shape, 7, 3 * i, 31, 64))
    return net


def train(rank, steps, make_optimizer):
    net = nn.parallel.DistributedDataParallel(make_model())
    optimizer = make_optimizer(net.parameters())
    for step in range(steps):
        inputs = numbers((BATCH, WIDTHS[0]), 5, 11 * step + 17 * rank, 29, 16)
        labels = (torch.arange(BATCH) + step + rank) % WIDTHS[-1]
        optimizer.zero_grad()
        nn.functional.cross_entropy(net(inputs), labels).backward()
        optimizer.step()
    return b"".join(parameter.detach().numpy().tobytes() for parameter in net.parameters())


def work(rank, steps, meeting):
    torch.set_num_threads(1)
    distributed.init_process_group("gloo", init_method=f"file://{meeting}", rank=rank, world_size=WORKERS)
    for make_optimizer in (
        lambda parameters: torch.optim.SGD(parameters, lr=0.05, momentum=0.9),
        lambda parameters: torch.optim.Adam(parameters, lr=0.01),
    ):
        weights = train(rank, steps, make_optimizer)
        if rank == 0:
            print(weights.hex(), flush=True)
    distributed.barrier()


def main():
    os.environ["GLOO_SOCKET_IFNAME"] = "lo"
    with tempfile.TemporaryDirectory() as folder:
        workers = []
        for rank in range(WORKERS):
            process = os.fork()
            if process == 0:
                work(rank, int(sys.argv[1]), f"{folder}/meeting")
                os._exit(0)
            workers.append(process)
        statuses = [os.waitpid(process, 0)[1] for process in workers]
    sys.exit(1 if any(statuses) else 0)


main()
