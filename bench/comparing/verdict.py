"""When a ratio of times says that something changed."""

from results.statistics import CONFIDENCE, geometric_mean
from results.words import seconds_in_words, table

UNCLEAR, SLOWER, FASTER, TOO_FEW = "", "slower", "faster", "too few samples"


def verdict(ratio, threshold):
    """Slower (faster): by more than the threshold, with the whole interval on that side of 1."""
    if not ratio.reaches(CONFIDENCE):
        return TOO_FEW
    if ratio.median > 1 + threshold and ratio.low > 1:
        return SLOWER
    if ratio.median < 1 / (1 + threshold) and ratio.high < 1:
        return FASTER
    return UNCLEAR


def interval_in_words(ratio):
    return f"{ratio.low:.3f} .. {ratio.high:.3f}"


class Comparison:
    """Rows of a comparison of A with B, what they say in sum, and whether anything became slower."""

    def __init__(self, threshold, has_mean):
        """has_mean: whether the cases stand beside each other, so that a mean of them says something."""
        self.threshold = threshold
        self.has_mean = has_mean
        self.rows = []  # (name, seconds of A, seconds of B, ratio)

    def add(self, name, seconds_a, seconds_b, ratio):
        self.rows.append((name, seconds_a, seconds_b, ratio))

    def names(self, which):
        return [f"{name}: {ratio.median:.3f} times as long ({interval_in_words(ratio)})"
                for name, _, _, ratio in self.rows if verdict(ratio, self.threshold) == which]

    def slower(self):
        return self.names(SLOWER)

    def text(self):
        header = ("case", "A", "B", "B / A", "95 % interval", "")
        lines = table(header, [(name, seconds_in_words(a), seconds_in_words(b), f"{ratio.median:.3f}",
                                interval_in_words(ratio), verdict(ratio, self.threshold))
                               for name, a, b, ratio in self.rows])
        slower, faster, few = (self.names(which) for which in (SLOWER, FASTER, TOO_FEW))
        percent = f"{100 * self.threshold:g} %"
        lines.append("")
        if self.has_mean:
            mean = geometric_mean([ratio.median for *_, ratio in self.rows])
            lines.append(f"Geometric mean of B / A: {mean:.3f} over {len(self.rows)} case{'s' * (len(self.rows) != 1)}.")
        lines += [f"Slower by more than {percent}: {'none.' if not slower else len(slower)}", *("  " + s for s in slower)]
        lines += [f"Faster by more than {percent}: {'none.' if not faster else len(faster)}", *("  " + s for s in faster)]
        if few:
            lines.append(f"{len(few)} of {len(self.rows)} have too few samples for an interval of 95 % and are not judged.")
        return "\n".join(lines)
