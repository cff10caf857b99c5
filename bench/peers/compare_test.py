"""Tests of the comparison, with a stand-in for Trireme and without the peers: make -C bench/peers test"""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "common"))
import child
import contestants
import tables
import targets
from contestants import CONTESTANTS, measure

STAND_IN = """#!/usr/bin/env python3
import json, sys
size = int(sys.argv[sys.argv.index("--min-bytes") + 1]) if "bench" in sys.argv else 0
if size == 64 and "--private" in sys.argv:
    sys.exit("trireme: no memory")
print(json.dumps({"rows": [{"bytes": size, "median_us": 2.0, "p99_us": 3.0}]}))
"""


class ATarget(unittest.TestCase):
    target = targets.Target(2, "trireme", ("openmpi", "mpich"), 4, 16)

    def verdict(self, ours, best_peer=40, cores=2):
        figures = {(2, 16, "openmpi"): best_peer, (2, 16, "mpich"): 100, (2, 16, "trireme"): ours}
        return targets.judge(self.target, [4, 16], figures, cores)

    def test_is_held_against_the_best_peer(self):
        self.assertEqual(self.verdict(ours=10)["points"], [{"bytes": 16, "ratio": 4, "met": True}])

    def test_is_met_at_nine_tenths(self):
        self.assertEqual(self.verdict(ours=11)["verdict"], "met")
        self.assertEqual(self.verdict(ours=12)["verdict"], "missed")

    def test_is_met_at_eight_tenths_when_small_calls_share_cores(self):
        self.assertEqual(self.verdict(ours=12, cores=1)["verdict"], "met")
        self.assertEqual(self.verdict(ours=13, cores=1)["verdict"], "missed")

    def test_is_not_judged_without_all_figures(self):
        self.assertEqual(self.verdict(ours=1, best_peer=None)["verdict"], "not measured")

    def test_that_is_missed_says_by_how_much(self):
        self.assertEqual(
            targets.verdict_in_words(self.verdict(ours=20)), "missed at 1 of 1 sizes, by 50 % at 16 B"
        )

    def test_names_contestants_that_exist(self):
        names = {contestant.name for contestant in CONTESTANTS}
        for target in targets.TARGETS:
            self.assertLessEqual({target.contestant, *target.peers}, names)


class AContestant(unittest.TestCase):
    def test_that_hangs_is_ended(self):
        with mock.patch.object(contestants, "TIMEOUT_SECONDS", 0.2):
            with self.assertRaisesRegex(child.Failed, "no result after 0.2 s"):
                measure(["sleep", "30"], 4)

    def test_that_fails_says_why(self):
        with self.assertRaisesRegex(child.Failed, "exit code 3: out of oars"):
            measure(["sh", "-c", "echo ---- >&2; echo out of oars >&2; exit 3"], 4)

    def test_that_does_not_exist_says_so(self):
        with self.assertRaisesRegex(child.Failed, "cannot start /no/such/program"):
            measure(["/no/such/program"], 4)

    def test_that_measures_another_size_has_failed(self):
        with self.assertRaisesRegex(child.Failed, "no row for 4 bytes"):
            measure(["echo", '{"rows":[{"bytes":16,"median_us":1}]}'], 4)

    def test_is_oversubscribed_only_with_more_ranks_than_cores(self):
        self.assertIn("--oversubscribe", CONTESTANTS[0].words(4, 4, 2, "trireme"))
        self.assertNotIn("--oversubscribe", CONTESTANTS[0].words(2, 4, 2, "trireme"))
        self.assertNotIn("", CONTESTANTS[0].words(2, 4, 2, "trireme"))


class Tables(unittest.TestCase):
    def test_say_sizes_in_words(self):
        self.assertEqual([tables.size_in_words(4**k) for k in (1, 8, 13)], ["4 B", "64 KiB", "64 MiB"])

    def test_show_about_three_digits(self):
        shown = [tables.three_digits(number) for number in (0.4733, 1.234, 21.62, 159.2, 35472.9, None)]
        self.assertEqual(shown, ["0.473", "1.23", "21.6", "159", "35,473", "–"])


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
        return subprocess.run(command, capture_output=True, text=True, timeout=60, env=environment)

    def test_goes_on_after_a_failure_and_exits_with_1(self):
        file = self.folder / "results.json"
        done = self.compare("--only", "trireme,private", "--ranks", "2", "--max-bytes", "256", "--json", file)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr.count("private, 2 ranks, 64 B: exit code 1: trireme: no memory"), 1)
        rows = json.loads(file.read_text())["rows"]
        self.assertEqual([row["median_us"] for row in rows], [2, 2, 2, 2, 2, None, 2, 2])
        self.assertRegex(done.stdout, r"64 B +2\.00 +–\n")

    def test_exits_with_0_when_all_were_measured(self):
        done = self.compare("--only", "ring", "--ranks", "4", "--min-bytes", "1048576")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_exits_with_2_on_a_wrong_command_line(self):
        for options in (["--only", "nobody"], ["--ranks", "0"], ["--min-bytes", "5", "--max-bytes", "15"]):
            self.assertEqual(self.compare(*options).returncode, 2)


if __name__ == "__main__":
    unittest.main()
