#!/usr/bin/env python3
"""Prints src/optim/torch_reference_test_util.h: the results of PyTorch's optimizers, schedulers and clipping.

    /usr/bin/python3 tests/reference/optim_reference.py > src/optim/torch_reference_test_util.h

Made with Debian's python3-torch 1.13. PyTorch is told to use its plain loops: its vector code fuses
multiplications with additions where the processor can, so its bits differ from one processor to the next.
"""

import os
import textwrap

os.environ["ATEN_CPU_CAPABILITY"] = "default"

import torch  # noqa: E402

COUNT = 19
RATES = [0.01, 0.01, 0.0025, 0.02]  # one per step: the rate may change from step to step
SPECIAL_GRADIENTS = [-0.0, 0.0, 1e-30, -3e-38, 1e15, -7e-5]

RULES = [
    # name, kind, spec, optimizer
    ("sgd", "kSgd", {}, torch.optim.SGD),
    ("sgd with weight decay", "kSgd", {"weight_decay": 0.1}, torch.optim.SGD),
    ("momentum", "kMomentum", {"momentum": 0.9}, torch.optim.SGD),
    ("momentum with weight decay", "kMomentum", {"momentum": 0.7, "weight_decay": 0.05}, torch.optim.SGD),
    ("nesterov", "kNesterov", {"momentum": 0.9}, torch.optim.SGD),
    ("nesterov with weight decay", "kNesterov", {"momentum": 0.8, "weight_decay": 0.03}, torch.optim.SGD),
    ("adam", "kAdam", {}, torch.optim.Adam),
    ("adam with weight decay", "kAdam",
     {"beta1": 0.85, "beta2": 0.99, "epsilon": 1e-6, "weight_decay": 0.2}, torch.optim.Adam),
    ("adamw", "kAdamW", {"weight_decay": 0.01}, torch.optim.AdamW),
    ("adamw with other numbers", "kAdamW",
     {"beta1": 0.8, "beta2": 0.95, "epsilon": 1e-5, "weight_decay": 0.5}, torch.optim.AdamW),
]

SCHEDULE_STEPS = 14
SCHEDULES = [
    ("constant", {"kind": "kConstant"}),
    ("constant after warm-up", {"kind": "kConstant", "warmup_steps": 4}),
    ("step", {"kind": "kStep", "every_steps": 3, "gamma": 0.3}),
    ("step after warm-up", {"kind": "kStep", "warmup_steps": 5, "every_steps": 2, "gamma": 0.5}),
    ("cosine", {"kind": "kCosine", "total_steps": 13, "final_rate": 0.01}),
    ("cosine after warm-up", {"kind": "kCosine", "warmup_steps": 4, "total_steps": 13}),
]

CLIPS = [(1.0, 1.0), (0.25, 1.0), (1e-3, 1.0), (1.0, 100.0)]  # scale of the gradients, max_norm


def initial_weights():
    values = torch.randn(COUNT, generator=torch.Generator().manual_seed(1))
    values[0] = -0.0  # together with a gradient of -0, shows how the first momentum is computed
    return values


def gradients_of(step):
    values = torch.randn(COUNT, generator=torch.Generator().manual_seed(100 + step))
    if step == 0:
        values[: len(SPECIAL_GRADIENTS)] = torch.tensor(SPECIAL_GRADIENTS)
    return values


def optimizer_of(kind, spec, optimizer, parameter):
    options = {"lr": RATES[0], "weight_decay": spec.get("weight_decay", 0), "foreach": False}
    if "momentum" in spec:
        options |= {"momentum": spec["momentum"], "nesterov": kind == "kNesterov"}
    if kind.startswith("kAdam"):
        options |= {"betas": (spec.get("beta1", 0.9), spec.get("beta2", 0.999)), "eps": spec.get("epsilon", 1e-8)}
    return optimizer([parameter], **options)


def run_rule(kind, spec, optimizer):
    """The weights after each step, and the state after the last by name."""
    parameter = torch.nn.Parameter(initial_weights())
    optimizer = optimizer_of(kind, spec, optimizer, parameter)
    weights = []
    for step, rate in enumerate(RATES):
        optimizer.param_groups[0]["lr"] = rate
        parameter.grad = gradients_of(step)
        optimizer.step()
        weights.append(parameter.detach().clone())
    state = optimizer.state[parameter]
    names = ("momentum_buffer", "exp_avg", "exp_avg_sq")
    return weights, {name: state[name] for name in names if state.get(name) is not None}


def run_schedule(spec):
    from torch.optim import lr_scheduler

    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=0.3)
    warmup = spec.get("warmup_steps", 0)
    if spec["kind"] == "kConstant":
        main = lr_scheduler.ConstantLR(optimizer, factor=1)
    elif spec["kind"] == "kStep":
        main = lr_scheduler.StepLR(optimizer, step_size=spec["every_steps"], gamma=spec["gamma"])
    else:
        main = lr_scheduler.CosineAnnealingLR(
            optimizer, T_max=spec["total_steps"] - warmup, eta_min=spec.get("final_rate", 0))
    if warmup:
        ramp = lr_scheduler.LinearLR(optimizer, start_factor=1 / warmup, total_iters=warmup - 1)
        main = lr_scheduler.SequentialLR(optimizer, [ramp, main], milestones=[warmup])
    rates = []
    for _ in range(SCHEDULE_STEPS):
        rates.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        main.step()
    return rates


def run_clip(scale, max_norm):
    """The norm of two buffers and the first of them after clipping."""
    parameters = [torch.nn.Parameter(torch.zeros(COUNT)) for _ in range(2)]
    for step, parameter in enumerate(parameters):
        parameter.grad = gradients_of(step + 1) * scale
    norm = torch.nn.utils.clip_grad_norm_(parameters, max_norm)
    return norm.item(), parameters[0].grad


def literal(value, suffix):
    mantissa, exponent = float(value).hex().split("p")
    return mantissa.rstrip("0").rstrip(".") + "p" + exponent + suffix


def braces(values, suffix="F"):
    text = "{" + ", ".join(literal(value, suffix) for value in values) + "}"
    return "\n".join(textwrap.wrap(text, 100, subsequent_indent=" " * 7))


def fields(spec):
    return "".join(f", .{key} = {value!r}" for key, value in spec.items())


def print_rules():
    print("inline const std::vector<TorchRule> kTorchRules = {")
    for name, kind, spec, optimizer in RULES:
        weights, state = run_rule(kind, spec, optimizer)
        print(f'    {{"{name}",')
        order = ("momentum", "beta1", "beta2", "epsilon", "weight_decay")
        print(f"     {{.kind = RuleKind::{kind}{fields({k: spec[k] for k in order if k in spec})}}},")
        print("     {" + ",\n      ".join(braces(step) for step in weights) + "},")
        states = ",\n      ".join(f'{{"{name}", {braces(values)}}}' for name, values in state.items())
        print("     {" + states + "}},")
    print("};\n")


def print_schedules():
    print("inline const std::vector<TorchSchedule> kTorchSchedules = {")
    for name, spec in SCHEDULES:
        rest = {key: value for key, value in spec.items() if key != "kind"}
        print(f'    {{"{name}", {{.kind = ScheduleKind::{spec["kind"]}{fields(rest)}}},')
        print(f"     {braces(run_schedule(spec), '')}}},")
    print("};\n")


def print_clips():
    print("inline const std::vector<TorchClip> kTorchClips = {")
    for scale, max_norm in CLIPS:
        norm, clipped = run_clip(scale, max_norm)
        print(f"    {{{scale!r}F, {max_norm!r}, {literal(norm, '')}, {braces(clipped)}}},")
    print("};\n")


HEADER = f"""\
// Results of PyTorch {torch.__version__}, written by tests/reference/optim_reference.py, not by hand.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "optim/rule_spec.h"
#include "optim/schedule.h"

namespace trireme::optim {{

/// A few steps of a rule, starting from `kTorchWeights`, with the gradients and the rate of each step.
struct TorchRule {{
  std::string name;
  RuleSpec spec;
  std::vector<std::vector<float>> weights;                        ///< after each step
  std::vector<std::pair<std::string, std::vector<float>>> state;  ///< after the last
}};

/// The rates of a schedule that starts from 0.3, from step 1 on.
struct TorchSchedule {{
  std::string name;
  ScheduleSpec spec;
  std::vector<double> rates;
}};

/// Two buffers, with the gradients of the second and third step times `scale`, clipped together.
struct TorchClip {{
  float scale;
  double max_norm;
  double norm;
  std::vector<float> clipped;  ///< the first buffer
}};

// clang-format off
"""


def main():
    torch.set_num_threads(1)
    print(HEADER)
    print(f"inline const std::vector<double> kTorchRates = {{{', '.join(map(repr, RATES))}}};\n")
    print(f"inline const std::vector<float> kTorchWeights = {braces(initial_weights())};\n")
    print("inline const std::vector<std::vector<float>> kTorchGradients = {")
    for step in range(len(RATES)):
        print(f"    {braces(gradients_of(step))},")
    print("};\n")
    print_rules()
    print_schedules()
    print_clips()
    print("// clang-format on\n\n}  // namespace trireme::optim")


main()
