"""Kills trainings at random instants, and lets them go on: kill_and_resume.py TRIREME [KILLS [SEED]]

Every run saves a checkpoint every few steps, so that most kills come while one is written. SIGKILL hits the
launcher, a worker or a server. Each resume must succeed, and the run must end with the bits of one that was
never disturbed. The speed of the machine decides only where the kills hit.
"""
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

COMMON = ["--set", "data.kind=synthetic", "--set", "data.train_samples=2000", "--set", "model.kind=mlp",
          "--set", "model.hidden=[64]", "--set", "optimizer.kind=adam", "--set", "data.batch=16", "--steps", "150"]
JOBS = [["--workers", "2", "--strategy", "ring"],
        ["--workers", "2", "--servers", "1", "--strategy", "parameter-server"],
        ["--workers", "3", "--strategy", "parameter-server", "--servers", "0", "--wire", "tcp"]]
PATIENCE_S = 120


def children_of(process):
    try:
        with open(f"/proc/{process}/task/{process}/children", encoding="ascii") as file:
            return [int(number) for number in file.read().split()]
    except OSError:
        return []


class Run:
    """A training that is still going on, or has ended."""

    def __init__(self, command):
        self.err = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=self.err, text=True)
        self.nodes = []

    def kill_after(self, seconds, chance):
        """Returns what was killed, or None if the run was over by then."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and self.process.poll() is None:
            self.nodes = children_of(self.process.pid) or self.nodes
            time.sleep(0.002)
        self.nodes = children_of(self.process.pid) or self.nodes
        if self.process.poll() is not None:
            return None
        victims = [("the launcher", self.process.pid)]
        victims += [(f"node {rank}", node) for rank, node in enumerate(self.nodes)]
        name, victim = chance.choice(victims)
        try:
            os.kill(victim, signal.SIGKILL)
        except ProcessLookupError:
            return None
        return name

    def wait(self):
        out, _ = self.process.communicate(timeout=PATIENCE_S)
        end = time.monotonic() + PATIENCE_S
        while any(os.path.exists(f"/proc/{node}") for node in self.nodes):  # they end with their launcher
            if time.monotonic() > end:
                raise SystemExit(f"nodes {self.nodes} outlive their launcher")
            time.sleep(0.002)
        self.err.seek(0)
        return self.process.returncode, out, self.err.read()


def digest(out):
    return json.loads(out)["weights_sha256"]


def fail(what, err):
    raise SystemExit(f"FAILED: {what}\n{err}")


def main():
    trireme = sys.argv[1]
    sample = 200 if os.environ.get("TRIREME_TEST_LONG") else 6
    kills = int(sys.argv[2]) if len(sys.argv) > 2 else sample
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    chance = random.Random(seed)
    expected, seconds = [], []
    for job in JOBS:
        start = time.monotonic()
        status, out, err = Run([trireme, "train", *COMMON, *job, "--json"]).wait()
        if status != 0:
            fail("the undisturbed run", err)
        expected.append(digest(out))
        seconds.append(time.monotonic() - start)
    done = resumes = while_saving = attempts = 0
    victims = {}
    with tempfile.TemporaryDirectory() as folder:
        trial = 0
        while done < kills:
            trial += 1
            attempts += 1
            if attempts > 20 * kills + 100:
                fail("runs are over before they are killed", "")
            which = trial % len(JOBS)
            out_folder = f"{folder}/run{trial}"
            begin = [trireme, "train", *COMMON, *JOBS[which], "--json", "--out", out_folder, "--set",
                     f"run.checkpoint_every={chance.choice([1, 3, 7])}"]
            go_on = [trireme, "train", "--resume", out_folder, "--json"]
            checkpoints = f"{out_folder}/checkpoints"
            has_one = False
            for left in range(chance.choice([1, 1, 2, 3]), -1, -1):
                run = Run(go_on if has_one else begin)
                # The steps come at the end: loading libtorch takes most of the time.
                victim = run.kill_after(chance.uniform(0.2, 1.6) * seconds[which], chance) if left else None
                status, out, err = run.wait()
                resumes += has_one
                if victim is None:
                    if status != 0:
                        fail(f"{'resume' if has_one else 'run'} {trial} ends with status {status}", err)
                    break
                done += 1
                victims[victim] = victims.get(victim, 0) + 1
                names = os.listdir(checkpoints) if os.path.isdir(checkpoints) else []
                while_saving += any(name.endswith(".saving") for name in names)
                has_one = any(name.startswith("step-") for name in names)
                if status == 0:
                    break
            if digest(out) != expected[which]:
                fail(f"run {trial} ends with other bits: {out_folder}", err)
    told = ", ".join(f"{name} {count}" for name, count in sorted(victims.items()))
    print(f"{done} kills ({told}), {while_saving} of them while a checkpoint was written; "
          f"{resumes} resumes; {trial} runs ended with the same bits")


main()
