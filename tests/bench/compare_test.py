"""bench/compare: what became slower is named, and nothing else."""

import json
import os
import stat
import sys
import tempfile
import unittest

from project import program
from suite_fixtures import suite, write


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)


class Files(Folder):
    def setUp(self):
        super().setUp()
        self.a = write(self.folder.name, "transpose")
        self.content = suite("transpose")

    def other(self):
        return self.write("b.json", json.dumps(self.content))

    def scale(self, backend, kernel, factor):
        for case in self.content["cases"]:
            if (case["labels"]["backend"], case["labels"]["kernel"]) == (backend, kernel):
                case["seconds"] = [factor * s for s in case["seconds"]]

    def test_of_a_file_with_itself_nothing_differs(self):
        code, out, _ = program("compare", self.a, self.a, "--fail-if-slower")
        self.assertEqual(code, 0)
        self.assertIn("Geometric mean of B / A: 1.000 over 49 cases.", out)
        self.assertIn("Slower by more than 3 %: none.\nFaster by more than 3 %: none.", out)

    def test_names_what_became_slower(self):
        self.scale("cuda", "tensor", 1.3)
        self.scale("openmp", "packed", 0.7)
        code, out, _ = program("compare", self.a, self.other(), "--fail-if-slower")
        self.assertEqual(code, 1)
        slower = out.split("Slower by more than 3 %: 7\n")[1].split("Faster by more than 3 %: 7\n")
        self.assertEqual([line.split(":")[0] for line in slower[0].splitlines()],
                         [f"  n={n} cuda tensor" for n in (64, 128, 256, 512, 1024, 2048, 4096)])
        self.assertTrue(all("1.300 times as long" in line for line in slower[0].splitlines()))
        self.assertIn("openmp packed threads=2: 0.700 times as long", slower[1])
        self.assertEqual(program("compare", self.a, self.other())[0], 0)

    def test_below_the_threshold_or_within_the_noise_is_not_slower(self):
        self.scale("cuda", "tensor", 1.3)
        self.assertEqual(program("compare", self.a, self.other(), "--fail-if-slower", "--threshold", "40")[0], 0)
        self.content = suite("transpose")
        for case in self.content["cases"]:
            case["seconds"] = [s * (1 if k % 2 else 3) for k, s in enumerate(case["seconds"])]
        self.assertEqual(program("compare", self.a, self.other(), "--fail-if-slower")[0], 0)

    def test_few_samples_are_not_judged(self):
        for case in self.content["cases"]:
            case["seconds"] = [2 * case["seconds"][0]]
        code, out, _ = program("compare", self.a, self.other(), "--fail-if-slower")
        self.assertEqual(code, 0)
        self.assertIn("49 of 49 have too few samples for an interval of 95 % and are not judged.", out)

    def test_says_what_is_in_one_only(self):
        self.content["cases"][0]["labels"]["n"] = 77
        self.content["cases"][2].update(seconds=[], refused="no room")
        self.content["machine"]["cpu"] = "another"
        self.content["machine"]["host_bandwidth"] *= 2
        _, out, _ = program("compare", self.a, self.other())
        self.assertIn("only in A: n=64 serial simple\n", out)
        self.assertIn("only in B: n=77 serial simple\n", out)
        self.assertIn("ran in one only: n=64 openmp packed threads=2 was refused in B: no room\n", out)
        self.assertIn("warning: different processor: Intel(R) Xeon(R) Platinum 8481C CPU @ 2.70GHz and another\n", out)
        self.assertIn("warning: memory bandwidth of 30.0 and 60.0 GB/s", out)

    def test_bad_files_are_refused_with_the_reason(self):
        other = write(self.folder.name, "gemm")
        for bad, says in ((other, "is of the suite transpose and"), (self.path("none.json"), "none.json cannot be read: No such"),
                          (self.write("cut.json", '{"schema": \n"stief'), "cut.json:2:1: no JSON"),
                          (self.write("old.json", '{"schema": "stiefel-suite/9"}'), "its schema is 'stiefel-suite/9'"),
                          (self.write("list.json", "[]"), "is no file of a suite")):
            code, _, err = program("compare", self.a, bad)
            self.assertEqual(code, 2)
            self.assertIn(says, err)
        self.content["cases"][4]["seconds"][0] = 0
        self.assertIn("case 4: seconds must be a list of positive numbers", program("compare", self.a, self.other())[2])


class Builds(Folder):
    def build(self, name, seconds, tail=""):
        """A program that reports `seconds` as a step and its turn in a file."""
        path = self.write(name, f"""#!{sys.executable}
import json, sys
open({self.path('turns')!r}, "a").write({name[0]!r})
{tail}
print(json.dumps({{"seconds": {{"solve": {seconds}}}, "kernels": [{{"name": "spmv", "seconds": {seconds / 2}}}],
                   "arguments": sys.argv[1:]}}))
""")
        os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
        return path

    def test_runs_in_turns_and_compares_what_is_reported(self):
        code, out, _ = program("compare", "--builds", self.build("a", 1.0), self.build("b", 1.5), "--rounds", "6",
                               "--fail-if-slower", "--", "solve", "x.mtx")
        self.assertEqual(code, 1)
        with open(self.path("turns"), encoding="utf-8") as turns:
            self.assertEqual(turns.read(), "ab" + "abba" * 3)
        self.assertIn("solve: 1.500 times as long (1.500 .. 1.500)", out)
        self.assertIn("kernel spmv: 1.500 times as long (1.500 .. 1.500)", out)

    def test_a_build_that_fails_is_named(self):
        code, _, err = program("compare", "--builds", self.build("a", 1.0), self.build("b", 1.0, "sys.exit('no such flag')"),
                               "--", "solve")
        self.assertEqual(code, 2)
        self.assertIn("failed with exit code 1: no such flag", err)

    def test_usage(self):
        code, _, err = program("compare", "--builds", "a", "b")
        self.assertEqual(code, 2)
        self.assertIn("is followed by -- COMMAND ARGUMENTS...", err)
        self.assertIn("cannot be run: No such file", program("compare", "--builds", "/no/a", "/no/b", "--", "solve")[2])


if __name__ == "__main__":
    unittest.main()
