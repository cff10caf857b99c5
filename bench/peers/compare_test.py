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
from contestants import CONTESTANTS, OPERATIONS, measure

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
        figures = {
            ("allreduce", 2, 16, name): figure
            for name, figure in (("openmpi", best_peer), ("mpich", 100), ("trireme", ours))
        }
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

    def test_names_contestants_that_take_part(self):
        for target in targets.TARGETS:
            names = {
                one.name
                for one in CONTESTANTS
                if one.takes_part(target.operation, target.ranks, max(4, target.min_bytes))
            }
            named = {target.contestant, *target.peers} | ({target.floor} if target.floor else set())
            self.assertLessEqual(named, names, target.in_words())

    def test_is_there_for_each_operation_in_shared_memory_and_over_tcp(self):
        there = {(target.operation, target.ranks, target.contestant) for target in targets.TARGETS}
        for operation in OPERATIONS:
            for ranks in (2, 4):
                for contestant in ("trireme", "tcp"):
                    self.assertIn((operation, ranks, contestant), there)

    def test_is_judged_only_where_its_operation_was_measured(self):
        judged = targets.judge_all(["broadcast"], [2], lambda *_: [4], {}, 2)
        self.assertEqual({(one["operation"], one["ranks"]) for one in judged}, {("broadcast", 2)})
        self.assertEqual({one["verdict"] for one in judged}, {"not measured"})


class ATargetWithAFloor(unittest.TestCase):
    target = targets.Target(2, "tcp", ("openmpi-tcp",), 1, operation="ping-pong", floor="sockets")

    def words(self, floors):
        figures = {("ping-pong", 2, size, "openmpi-tcp"): 10 for size in (4, 32)}
        figures |= {("ping-pong", 2, size, "tcp"): 20 for size in (4, 32)}
        figures |= {("ping-pong", 2, size, "sockets"): figure for size, figure in floors.items()}
        return targets.verdict_in_words(targets.judge(self.target, [4, 32], figures, 2))

    def test_says_where_the_floor_misses_too(self):
        self.assertEqual(
            self.words({4: 12, 32: 9}),
            "missed at 2 of 2 sizes, by 50 % at 4 B; sockets miss it at 1 of these",
        )

    def test_says_nothing_of_a_floor_that_is_fast_enough(self):
        self.assertEqual(self.words({4: 11, 32: 9}), "missed at 2 of 2 sizes, by 50 % at 4 B")

    def test_says_nothing_of_a_floor_that_was_not_measured(self):
        self.assertEqual(self.words({}), "missed at 2 of 2 sizes, by 50 % at 4 B")


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
        self.assertIn("--oversubscribe", CONTESTANTS[0].words("allreduce", 4, 4, 2, "trireme"))
        self.assertNotIn("--oversubscribe", CONTESTANTS[0].words("allreduce", 2, 4, 2, "trireme"))
        self.assertNotIn("", CONTESTANTS[0].words("allreduce", 2, 4, 2, "trireme"))


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
        options = ("--operations", "allreduce", "--ranks", "2", "--max-bytes", "256", "--json", file)
        done = self.compare("--only", "trireme,private", *options)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr.count("private, allreduce, 2 ranks, 64 B: exit code 1: trireme: no memory"), 1)
        rows = json.loads(file.read_text())["rows"]
        self.assertEqual([row["median_us"] for row in rows], [2, 2, 2, 2, 2, None, 2, 2])
        self.assertRegex(done.stdout, r"64 B +2\.00 +–\n")

    def test_measures_each_operation_from_its_smallest_size(self):
        file = self.folder / "results.json"
        options = ("--operations", "ping-pong,all-gather", "--ranks", "2,4", "--max-bytes", "40")
        done = self.compare("--only", "trireme,ring", *options, "--json", file)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = json.loads(file.read_text())["rows"]
        self.assertEqual(
            [(row["operation"], row["ranks"], row["bytes"], len(row["rounds"])) for row in rows],
            [
                ("all-gather", 2, 8, 2),
                ("all-gather", 2, 32, 2),
                ("all-gather", 4, 16, 2),
                ("all-gather", 4, 32, 2),
                ("ping-pong", 2, 4, 2),
                ("ping-pong", 2, 32, 2),
                ("ping-pong", 4, 4, 2),
                ("ping-pong", 4, 32, 2),
            ],
        )
        self.assertIn("all-gather, 4 ranks: microseconds of a call", done.stdout)

    def test_exits_with_0_when_all_were_measured(self):
        done = self.compare("--only", "ring", "--ranks", "4", "--min-bytes", "1048576")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_exits_with_2_on_a_wrong_command_line(self):
        for options in (["--only", "nobody"], ["--operations", "sum"], ["--ranks", "0"], ["--min-bytes", "5", "--max-bytes", "15"]):
            self.assertEqual(self.compare(*options).returncode, 2)


if __name__ == "__main__":
    unittest.main()
