"""What a few samples say: medians, with intervals that assume no distribution.

The interval of a median lies between two of the sorted samples: each sample is below the true median with probability
one half, so the number of those below is binomial (Conover, Practical Nonparametric Statistics, 3.2). Samples that are
not independent (a machine that was slow for all of a run) make any such interval too narrow.
"""

import math
import statistics
from dataclasses import dataclass

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Estimate:
    """A median and the interval around it; `confidence` is that of the interval, below what was asked for where
    there are too few samples for it."""
    median: float
    low: float
    high: float
    confidence: float
    samples: int

    def reaches(self, confidence=CONFIDENCE):
        return self.confidence >= confidence


def coverage(n, rank):
    """The probability that the median lies between the `rank`-th smallest and the `rank`-th largest of n samples."""
    return 1 - 2 * sum(math.comb(n, k) for k in range(rank)) / 2**n


def median_estimate(samples, confidence=CONFIDENCE):
    """The narrowest symmetric interval of order statistics with at least that confidence; all samples if there is none.

    Six samples are the least for 95 %.
    """
    if not samples:
        raise ValueError("a median needs a sample")
    ordered, n = sorted(samples), len(samples)
    rank = 1
    while 2 * (rank + 1) <= n and coverage(n, rank + 1) >= confidence:
        rank += 1
    return Estimate(statistics.median(ordered), ordered[rank - 1], ordered[n - rank], coverage(n, rank), n)


def ratio_estimate(over, under, confidence=CONFIDENCE):
    """The ratio of two medians of positive, independent samples, from an interval of each.

    Both intervals hold their median with probability `confidence` when each has the square root of it, so the ratio
    lies between the quotients of their ends: no narrower than it should be, and the same in every run, as a bootstrap
    of nine samples is not. Seven samples of each are the least for 95 %.
    """
    each = math.sqrt(confidence)
    a, b = median_estimate(over, each), median_estimate(under, each)
    return Estimate(a.median / b.median, a.low / b.high, a.high / b.low, a.confidence * b.confidence,
                    min(a.samples, b.samples))


def paired_ratio_estimate(over, under, confidence=CONFIDENCE):
    """The median of over[i] / under[i], where each pair was measured together: what both suffered cancels out."""
    if len(over) != len(under):
        raise ValueError("pairs need as many samples of one as of the other")
    return median_estimate([a / b for a, b in zip(over, under)], confidence)


def geometric_mean(ratios):
    return math.exp(math.fsum(map(math.log, ratios)) / len(ratios))
