"""The figures of one suite:  figures_test.py SUITE   (exit code 77: left out, as there is no matplotlib)

Each is drawn from the fixtures without a warning, in colours and in grey, with texts that can be read, twice to the same
bytes; and it shows what the file says.
"""

import importlib.util
import os
import sys
import tempfile
import unittest
import warnings

from project import ROOT, program
from suite_fixtures import SUITES, write

PINNED = os.path.join(ROOT, "out", "venv", "bin", "python")
if importlib.util.find_spec("matplotlib") is None:
    if os.path.realpath(sys.prefix) != os.path.realpath(os.path.join(ROOT, "out", "venv")) and os.access(PINNED, os.X_OK):
        os.execv(PINNED, [PINNED, *sys.argv])
    print("left out: there is no matplotlib; scripts/plot-environment installs it")
    sys.exit(77)

import matplotlib.figure  # noqa: E402
from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: E402
from plotting.figures import FIGURES, figures_of  # noqa: E402
from plotting.selection import NothingToDraw  # noqa: E402
from plotting.style import SETTINGS, Style, save  # noqa: E402
from readable import unreadable  # noqa: E402
from results.suite_file import read_suite_file  # noqa: E402

SUITE = "spmv"


class Figures(unittest.TestCase):
    def setUp(self):
        warnings.simplefilter("error")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.file = read_suite_file(write(folder.name, SUITE))
        self.gemm = read_suite_file(write(folder.name, "gemm"))

    def drawn(self, figure, grey=False):
        with matplotlib.rc_context(SETTINGS):
            return figure.draw(self.file, Style(grey), [self.file, self.gemm])

    def test_each_can_be_read(self):
        drawn = 0
        for figure in figures_of(SUITE):
            try:
                pages = self.drawn(figure)
            except NothingToDraw as reason:
                self.assertEqual((figure.name, str(reason)), ("speedup", "no kernel ran with one thread and with more"))
                continue
            for page, picture in pages.items():
                with self.subTest(figure=figure.name, page=page), matplotlib.rc_context(SETTINGS):
                    FigureCanvasAgg(picture)
                    self.assertEqual(unreadable(picture), [])
                    self.assertIn(self.file.machine["cpu"], picture.get_suptitle())
                    for axes in picture.axes:
                        self.assertTrue(axes.has_data())
                    drawn += 1
        self.assertGreaterEqual(drawn, 2)

    def test_the_same_file_gives_the_same_bytes(self):
        figure = figures_of(SUITE)[-1]
        contents = []
        for name in ("one.svg", "other.svg"):
            path = os.path.join(self.folder, name)
            save(next(iter(self.drawn(figure).values())), path)
            with open(path, "rb") as written:
                contents.append(written.read())
        self.assertEqual(contents[0], contents[1])
        self.assertNotIn(b"<dc:date>", contents[0])

    def test_grey_has_no_colour(self):
        from PIL import Image
        path = os.path.join(self.folder, "grey.png")
        save(next(iter(self.drawn(figures_of(SUITE)[-1], grey=True).values())), path)
        with Image.open(path) as image:
            self.assertEqual(image.convert("HSV").getchannel("S").getextrema(), (0, 0))


class Readable(unittest.TestCase):
    def test_sees_texts_on_each_other_and_outside(self):
        picture = matplotlib.figure.Figure(figsize=(2, 2))
        FigureCanvasAgg(picture)
        picture.text(0.3, 0.5, "one text")
        picture.text(0.4, 0.5, "another")
        picture.text(0.9, 0.1, "cut off")
        faults = unreadable(picture)
        self.assertEqual(len(faults), 2)
        self.assertEqual(faults[0], "'cut off' leaves the figure")
        self.assertIn("'one text' and 'another' overlap", faults[1])


class Program(unittest.TestCase):
    def test_writes_the_figures_asked_for(self):
        with tempfile.TemporaryDirectory() as folder:
            path = write(folder, SUITE)
            name = figures_of(SUITE)[-1].name
            code, out, err = program("plot", path, "--figure", name, "--to", os.path.join(folder, "new"), "--format", "png")
            self.assertEqual((code, err), (0, ""))
            self.assertEqual(out, os.path.join(folder, "new", f"{SUITE}-{name}.png\n"))
            self.assertTrue(os.path.getsize(out.strip()) > 5000)

    def test_bad_requests_are_refused_with_the_way_out(self):
        with tempfile.TemporaryDirectory() as folder:
            path = write(folder, SUITE)
            code, _, err = program("plot", path, "--figure", "pie")
            self.assertEqual((code, err), (1, f"bench/plot: there is no figure 'pie'; there are: "
                                              f"{', '.join(figure.name for figure in FIGURES)}\n"))
            self.assertIn("cannot be read: No such file", program("plot", os.path.join(folder, "none.json"))[2])


if __name__ == "__main__":
    SUITE = sys.argv.pop(1)
    assert SUITE in SUITES
    unittest.main()
