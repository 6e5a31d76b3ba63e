"""bench/plot as a program, and what its files are: the same bytes for the same file, and grey where grey was asked for."""

import os
import tempfile
import unittest

import matplotlib_here  # noqa: F401, first
import matplotlib.figure
from matplotlib.backends.backend_agg import FigureCanvasAgg
from PIL import Image
from plotting.figures import FIGURES
from project import program
from readable import unreadable
from suite_fixtures import write


class Program(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.file = write(folder.name, "gemm")

    def draw(self, to, *words):
        """The path of the one figure that was asked for."""
        to = os.path.join(self.folder, to)
        code, out, err = program("plot", self.file, "--figure", "size", "--to", to, *words)
        self.assertEqual((code, err), (0, ""))
        self.assertEqual(os.path.dirname(out.strip()), to)
        return out.strip()

    def test_the_same_file_gives_the_same_bytes(self):
        contents = []
        for to in ("one", "other"):
            path = self.draw(to)
            self.assertEqual(os.path.basename(path), "gemm-size.svg")
            with open(path, "rb") as written:
                contents.append(written.read())
        self.assertEqual(contents[0], contents[1])
        self.assertNotIn(b"<dc:date>", contents[0])

    def test_an_image_has_few_colours_and_the_same_bytes(self):
        contents = []
        for to in ("one", "other"):
            path = self.draw(to, "--format", "png")
            with Image.open(path) as image:
                self.assertEqual((image.mode, image.convert("RGB").getpixel((0, 0))), ("P", (255, 255, 255)))
            with open(path, "rb") as written:
                contents.append(written.read())
        self.assertEqual(contents[0], contents[1])
        self.assertLess(len(contents[0]), 60e3)

    def test_one_backend_is_drawn_alone_and_named(self):
        self.assertEqual(os.path.basename(self.draw("one", "--backend", "openmp")), "gemm-size-openmp.svg")
        code, _, err = program("plot", self.file, "--backend", "tpu")
        self.assertEqual(code, 1)
        self.assertIn("has no case of the backend 'tpu'; it has: ", err)

    def test_grey_has_no_colour(self):
        for words, most in ((("--grey",), 0), ((), 255)):
            with Image.open(self.draw("png", "--format", "png", *words)) as image:
                self.assertEqual(image.convert("HSV").getchannel("S").getextrema(), (0, most))

    def test_bad_requests_are_refused_with_the_way_out(self):
        names = ", ".join(figure.name for figure in FIGURES)
        code, _, err = program("plot", self.file, "--figure", "pie")
        self.assertEqual((code, err), (1, f"bench/plot: there is no figure 'pie'; there are: {names}\n"))
        _, _, err = program("plot", self.file, "--figure", "convergence")
        self.assertEqual(err, "bench/plot: convergence is no figure of the suite gemm; that has: gflops, roofline, speedup, "
                              "ladder, size\n")
        self.assertIn("none.json cannot be read: No such file", program("plot", os.path.join(self.folder, "none.json"))[2])


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


if __name__ == "__main__":
    unittest.main()
