"""Medians, their intervals, and performance profiles, on values computed by hand."""

import math
import random
import statistics
import unittest

import project  # noqa: F401, finds bench/
from results.performance_profile import performance_ratios, profile
from results.statistics import coverage, geometric_mean, median_estimate, paired_ratio_estimate, ratio_estimate
from results.words import seconds_in_words


class Median(unittest.TestCase):
    def test_interval_is_between_order_statistics(self):
        # P(rank 2 of 9 .. rank 8 of 9 hold the median) = 1 - 2 (1 + 9) / 2^9; with rank 3 it is 1 - 2 (1 + 9 + 36) / 2^9.
        self.assertEqual(coverage(9, 2), 1 - 20 / 512)
        nine = median_estimate([5, 1, 9, 3, 7, 2, 8, 4, 6])
        self.assertEqual((nine.median, nine.low, nine.high, nine.confidence), (5, 2, 8, 1 - 20 / 512))
        twenty = median_estimate(list(range(1, 21)))  # Conover's table: ranks 6 and 15, 0.9586
        self.assertEqual((twenty.low, twenty.high), (6, 15))
        self.assertAlmostEqual(twenty.confidence, 0.9586, places=4)

    def test_too_few_samples_say_so(self):
        six, five = median_estimate([1, 2, 3, 4, 5, 6]), median_estimate([1, 2, 3, 4, 5])
        self.assertTrue(six.reaches(0.95))
        self.assertEqual((five.low, five.high, five.confidence), (1, 5, 1 - 2 / 32))
        self.assertFalse(five.reaches(0.95))
        self.assertEqual(median_estimate([2.5]).confidence, 0)
        with self.assertRaises(ValueError):
            median_estimate([])

    def test_intervals_hold_the_median_as_often_as_they_say(self):
        rng = random.Random(7)  # exponential: skewed as times are; its median is ln 2
        estimates = [median_estimate([rng.expovariate(1) for _ in range(9)]) for _ in range(4000)]
        held = statistics.mean(e.low <= math.log(2) <= e.high for e in estimates)
        deviation = math.sqrt(coverage(9, 2) * (1 - coverage(9, 2)) / 4000)
        self.assertLess(abs(held - coverage(9, 2)), 4 * deviation)


class Ratio(unittest.TestCase):
    def test_lies_between_the_quotients_of_the_ends(self):
        a, b = [1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6], [2.0, 2.1, 2.2, 2.3, 2.4, 2.5, 2.6]
        ratio = ratio_estimate(b, a)
        self.assertEqual((ratio.median, ratio.low, ratio.high), (2.3 / 1.3, 2.0 / 1.6, 2.6 / 1.0))
        self.assertEqual(ratio.confidence, (1 - 2 / 128) ** 2)
        self.assertFalse(ratio_estimate(b[:6], a[:6]).reaches(0.95))

    def test_pairs_lose_what_both_suffered(self):
        drift = [1.0, 1.5, 0.7, 2.0, 1.2, 0.9, 1.1, 3.0]
        ratio = paired_ratio_estimate([1.25 * d for d in drift], drift)
        for each in (ratio.median, ratio.low, ratio.high):
            self.assertAlmostEqual(each, 1.25, places=12)
        with self.assertRaises(ValueError):
            paired_ratio_estimate([1.0], [1.0, 2.0])

    def test_geometric_mean(self):
        self.assertAlmostEqual(geometric_mean([2.0, 8.0]), 4.0, places=12)
        self.assertAlmostEqual(geometric_mean([0.5, 2.0]), 1.0, places=12)


class PerformanceProfile(unittest.TestCase):
    TIMES = {"a": {"p": 1.0, "q": 6.0, "r": 4.0, "s": None}, "b": {"p": 2.0, "q": 3.0, "r": None, "s": None},
             "c": {"p": 1.0, "q": 9.0}}

    def test_ratios_are_to_the_best_of_each_problem(self):
        ratios = performance_ratios(self.TIMES)
        self.assertEqual(ratios["a"], {"p": 1, "q": 2, "r": 1})  # nobody solved s
        self.assertEqual(ratios["b"], {"p": 2, "q": 1, "r": math.inf})
        self.assertEqual(ratios["c"], {"p": 1, "q": 3, "r": math.inf})  # r was not tried: not solved

    def test_profile_is_the_share_solved_within_tau(self):
        ratios = performance_ratios(self.TIMES)
        self.assertEqual(profile(ratios["a"]), [(1, 2 / 3), (2, 1)])
        self.assertEqual(profile(ratios["b"]), [(1, 1 / 3), (2, 2 / 3)])
        self.assertEqual(profile({"p": 4.0, "q": 4.0}), [(1, 0), (4, 1)])


class Words(unittest.TestCase):
    def test_seconds(self):
        for seconds, words in ((1.234, "1.23 s"), (0.9999, "1000 ms"), (4.5e-5, "45 us"), (3e-9, "3 ns"), (1234.5, "1234 s")):
            self.assertEqual(seconds_in_words(seconds), words)


if __name__ == "__main__":
    unittest.main()
