"""Tests of the comparison, with a stand-in for Trireme and without the peers: make -C bench/train test"""

import json
import os
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "common"))
import busy
import child
import contestants
import memory
import targets
import throughput
import watch
from tables import MIB
from throughput import Place

# Trains in no time, but four workers take long to start.
STAND_IN = """#!/usr/bin/env python3
import json, sys, time
words = sys.argv[1:]
if words[0] != "train":
    sys.exit(print("0.0.1 or an explanation"))
def after(flag):
    return words[words.index(flag) + 1]
workers, strategy = int(after("--workers")), after("--strategy")
steps = int(after("--steps")) if "--steps" in words else 9
if strategy == "parameter-server" and steps < 100:
    sys.exit("trireme: no oars")
time.sleep(0 if workers == 1 else 1)
print(f"trireme train: step 1 of {steps}: loss 1", file=sys.stderr, flush=True)
print(f"trireme train: step {steps} of {steps}: loss 1", file=sys.stderr, flush=True)
speed = 1000 * workers * (2 if strategy == "none" else 1.7)
print(json.dumps({"samples_per_s": speed, "test_accuracy": 0.91}))
"""

# Allocates 64 MiB, and reports that it is training.
LARGE = """
import subprocess, sys, time
memory = bytearray(b"x" * (64 << 20))
print("step 1 of 2", file=sys.stderr, flush=True)
"""

# The same with a small child, which lives as long as it reports that it is training.
WITH_CHILD = (
    "import subprocess\nchild = subprocess.Popen(['sleep', '60'])\n"
    + LARGE
    + "time.sleep(1)\nprint('step 2 of 2', file=sys.stderr, flush=True)\n"
    + "time.sleep(1)\nchild.kill()\nchild.wait()\n"
)


class ATarget(unittest.TestCase):
    def verdict(self, ours, limit=1000, ddp=100):
        names = {"trireme": ours, "limit": limit, "ddp": ddp}
        rows = [
            {"model": "mlp", "workers": 2, "busy": 0, "contestant": name, "samples_per_s": speed}
            for name, speed in names.items()
        ]
        return [one["verdict"] for one in targets.judge_all({"throughput": rows})]

    def test_is_met_exactly(self):
        self.assertEqual(self.verdict(ours=850), ["met", "met"])

    def test_has_no_allowance_for_noise(self):
        self.assertEqual(self.verdict(ours=849.9), ["missed", "met"])
        self.assertEqual(self.verdict(ours=850, ddp=340.1), ["met", "missed"])

    def test_is_not_judged_without_all_figures(self):
        self.assertEqual(self.verdict(ours=850, limit=None), ["not measured", "met"])

    def test_names_contestants_that_take_part(self):
        parts = {one.name: one.only_workers for one in contestants.CONTESTANTS}
        for place, own, peer, _ in targets.RATIO_TARGETS:
            self.assertIn(place.workers, parts[own])
            self.assertIn(place.workers, parts[peer])
            if place.busy:
                self.assertIn(place, throughput.BESIDE_BUSY)
                self.assertLessEqual({own, peer}, set(throughput.NAMES_BESIDE_BUSY))

    def test_shows_on_which_side_of_it_a_figure_is(self):
        table = targets.target_table([targets.judged("mlp", "trireme / ddp", 2.4996, "≥", 2.5)])
        self.assertRegex(table, r"≥ 2\.5 +2\.4996 +missed")


class Memory(unittest.TestCase):
    def test_of_servers_may_have_one_bucket_more_for_each_worker(self):
        gradients = 4 * 535_818
        self.assertEqual(memory.allowed("mlp", "ring", 100), 100 + gradients + 64 * MIB)
        self.assertEqual(
            memory.allowed("mlp", "parameter-server", 100), 100 + gradients + 64 * MIB + 4 * gradients
        )

    def test_is_looked_at_from_the_first_step_to_the_last(self):
        begun, done = "x: step 1 of 9: loss 2\n", "x: step 9 of 9: loss 1\n"
        self.assertFalse(watch.is_training("x: going to take 9 steps\n", 1))
        self.assertTrue(watch.is_training(begun, 1))
        self.assertFalse(watch.is_training(begun, 2))
        self.assertTrue(watch.is_training(begun + begun, 2))
        self.assertFalse(watch.is_training(begun + begun + done, 2))

    def test_counts_the_children_where_there_are_some(self):
        alone = [sys.executable, "-c", LARGE + "time.sleep(1)"]
        self.assertGreater(watch.peak_pss(alone, 1, 20)["worker"], 64 * MIB)
        four = watch.peak_pss(memory.side_by_side(alone), 4, 20)
        self.assertGreater(four["worker"], 64 * MIB)
        self.assertGreater(four["job"], 4 * 64 * MIB)
        large_parent = [sys.executable, "-c", WITH_CHILD]
        self.assertLess(watch.peak_pss(large_parent, 1, 20)["worker"], 64 * MIB)

    def test_is_not_made_up(self):
        with self.assertRaisesRegex(child.Failed, "before anybody could look"):
            watch.peak_pss(["true"], 1, 20)


class BusyProcesses(unittest.TestCase):
    def test_are_there_until_the_block_ends(self):
        with busy.busy_processes(2) as processes:
            self.assertEqual([watch.parent_of(process) for process in processes], [os.getpid()] * 2)
        self.assertEqual([watch.parent_of(process) for process in processes], [None] * 2)

    def test_end_with_whoever_started_them(self):
        starter = "import busy, os\nwith busy.busy_processes(1) as p: print(p[0], flush=True); os._exit(0)"
        out = subprocess.run([sys.executable, "-c", starter], cwd=HERE, capture_output=True, text=True).stdout
        deadline = time.monotonic() + 30
        while watch.parent_of(out.strip()) is not None and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertIsNone(watch.parent_of(out.strip()))


class AContestant(unittest.TestCase):
    def test_that_prints_no_figure_has_failed(self):
        with self.assertRaisesRegex(child.Failed, "no samples_per_s"):
            contestants.measure(["echo", "[1]"])

    def test_that_hangs_while_it_is_watched_is_ended(self):
        with self.assertRaisesRegex(child.Failed, "no result after 0.2 s"):
            watch.seconds_to_first_step(["sleep", "30"], 0.2)

    def test_that_fails_while_it_is_watched_says_why(self):
        with self.assertRaisesRegex(child.Failed, "exit code 3: out of oars"):
            watch.seconds_to_first_step(["sh", "-c", "echo out of oars >&2; exit 3"], 20)


class TheTables(unittest.TestCase):
    def test_leave_out_who_does_not_take_part_and_dash_who_failed(self):
        rows = [
            throughput.row(Place("mlp", 1), 9, "trireme", [{"samples_per_s": 4}, {"samples_per_s": 2}], None),
            throughput.row(Place("mlp", 1), 9, "plain", [{"samples_per_s": 2}], None),
            throughput.row(Place("mlp", 2), 9, "trireme", [], "no oars"),
        ]
        text = throughput.tables(rows)
        self.assertRegex(text, r"mlp, 1 worker +3\.00 +2\.00\n")
        self.assertRegex(text, r"mlp, 2 workers +–\n")
        self.assertRegex(text, r"mlp, 1 worker +1\.50\n")


class TheProgram(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.stand_in = self.folder / "stand in"
        self.stand_in.write_text(STAND_IN)
        self.stand_in.chmod(0o755)

    def compare(self, *options):
        command = [sys.executable, HERE / "compare", "--trireme", self.stand_in, "--rounds", "2", *options]
        environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}
        return subprocess.run(command, capture_output=True, text=True, timeout=100, env=environment)

    def test_goes_on_after_a_failure_and_exits_with_1(self):
        file = self.folder / "results.json"
        options = ["--only", "trireme,server,limit", "--cases", "mlp", "--workers", "2", "--steps", "50"]
        done = self.compare(*options, "--json", file)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr.count("mlp, 2 workers, server: exit code 1: trireme: no oars"), 1)
        results = json.loads(file.read_text())
        self.assertEqual([row["samples_per_s"] for row in results["throughput"]], [3400, None, 4000])
        self.assertEqual(len(results["throughput"][0]["rounds"]), 2)
        self.assertEqual([one["verdict"] for one in results["targets"]], ["met", "not measured"])

    def test_measures_beside_busy_processes(self):
        done = self.compare("--only", "trireme,limit", "--cases", "busy", "--rounds", "1")
        self.assertEqual(done.returncode, 0, done.stderr)
        for count in (2, 4):
            self.assertRegex(done.stdout, rf"mlp, 2 workers, beside {count} busy processes +3,400 +4,000\n")
        self.assertEqual(done.stdout.count("not measured"), 2)  # without ddp

    def test_holds_the_start_and_the_accuracy_against_their_targets(self):
        done = self.compare("--cases", "start", "--accuracy", "--steps", "50")
        self.assertRegex(done.stdout, r"time of 4 workers / of 1 +< 1\.5 +[\d.]+ +missed\n")
        self.assertEqual(done.returncode, 0, done.stderr)  # although a target was missed
        self.assertRegex(done.stdout, r"test accuracy +≥ 0\.9 +0\.9100 +met\n")

    def test_exits_with_2_on_a_wrong_command_line(self):
        for options in (["--only", "nobody"], ["--cases", "rnn"], ["--workers", "3"], ["--rounds", "0"]):
            self.assertEqual(self.compare(*options).returncode, 2)


if __name__ == "__main__":
    unittest.main()
