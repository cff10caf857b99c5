#!/usr/bin/env python3
import unittest
import xml.etree.ElementTree as ElementTree

import curves


class Curves(unittest.TestCase):
    def test_a_smooth_loss_is_the_mean_of_the_last_ones(self):
        self.assertEqual(curves.smooth([(1, 8.0), (2, 4.0), (3, 2.0)], 2), [(2, 6.0), (3, 3.0)])
        self.assertEqual(curves.smooth([(1, 8.0)], 2), [])

    def test_a_loss_is_reached_at_its_first_time_or_never(self):
        points = [(1, 3.0), (2, 1.0), (3, 2.0), (4, 0.5)]
        self.assertEqual(curves.seconds_to(points, 2), 2)
        self.assertIsNone(curves.seconds_to(points, 0.25))

    def test_ticks_are_round_and_few(self):
        self.assertEqual([round(tick, 6) for tick in curves.ticks(2.3, 6)], [0.0, 0.5, 1.0, 1.5, 2.0])
        for most in (0.03, 0.5, 1, 7.5, 42, 980):
            self.assertTrue(2 < len(curves.ticks(most)) <= 7)

    def test_a_drawing_has_a_line_for_each_curve(self):
        drawing = ElementTree.fromstring(curves.svg("losses", {"sync": [(1, 2.0), (2, 1.0)], "async": [(1, 1.5)]}, 1.25))
        lines = [one for one in drawing if one.tag.endswith("polyline")]
        self.assertEqual(len(lines), 2)
        self.assertIn("sync", "".join(drawing.itertext()))


if __name__ == "__main__":
    unittest.main()
