"""All figures of one suite:  figures_test.py SUITE

Each is drawn from the fixtures without a warning, with texts that can be read.
"""

import sys
import tempfile
import unittest
import warnings

import matplotlib_here  # noqa: F401, first
import matplotlib
from matplotlib.backends.backend_agg import FigureCanvasAgg
from plotting.figures import figures_of
from plotting.selection import NothingToDraw
from plotting.style import SETTINGS, Style
from readable import unreadable
from results.suite_file import read_suite_file
from suite_fixtures import write

SUITE = sys.argv.pop(1)
WITHOUT_THREADS = ("transpose", "gemm", "solve")  # their fixtures have one number of threads


class Figures(unittest.TestCase):
    def pages(self):
        """(name, figure) of all that there is to draw."""
        with tempfile.TemporaryDirectory() as folder:
            file, gemm = (read_suite_file(write(folder, suite)) for suite in (SUITE, "gemm"))
        for figure in figures_of(SUITE):
            try:
                pages = figure.draw(file, Style(), [file, gemm])
            except NothingToDraw as reason:
                self.assertEqual((figure.name, str(reason)), ("speedup", "no kernel ran with one thread and with more"))
                self.assertIn(SUITE, WITHOUT_THREADS)
                continue
            self.assertGreater(len(pages), 0)
            for page, picture in pages.items():
                yield f"{figure.name} {page}", picture

    def test_each_can_be_read(self):
        warnings.simplefilter("error")
        with matplotlib.rc_context(SETTINGS):
            for name, picture in self.pages():
                with self.subTest(figure=name):
                    FigureCanvasAgg(picture)
                    self.assertEqual(unreadable(picture), [])
                    self.assertIn("Platinum 8481C", picture.get_suptitle())
                    for axes in picture.axes:
                        self.assertTrue(axes.has_data())


if __name__ == "__main__":
    unittest.main()
