"""stiefel-bench suite as a user runs it: on a folder of one small matrix, again, and with a signal."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = sys.argv.pop(1)
SMALL = ["--quick", "--limit-memory", "0.1"]  # an array for the bandwidth that is made quickly

MATRIX = """%%MatrixMarket matrix coordinate real symmetric
5 5 9
1 1 4
2 1 -1
2 2 4
3 2 -1
3 3 4
4 3 -1
4 4 4
5 4 -1
5 5 4
"""


class Suites(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.output = os.path.join(self.folder, "suite.json")
        os.mkdir(os.path.join(self.folder, "matrices"))
        self.write("matrices/tiny.mtx", MATRIX)

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="ascii") as file:
            file.write(text)

    def command(self, suite, *words):
        return [PROGRAM, "suite", suite, "--output", self.output, *SMALL, *words]

    def run_suite(self, suite, *words):
        return subprocess.run(self.command(suite, *words), capture_output=True, text=True, timeout=100, check=False)

    def read(self):
        with open(self.output, encoding="ascii") as file:
            return json.load(file)

    def matrices(self):
        return ["--matrices", os.path.join(self.folder, "matrices")]

    def test_every_label_of_a_small_matrix(self):
        done = self.run_suite("spmv", *self.matrices(), "--backend", "all", "--threads", "1,2")
        self.assertEqual(done.returncode, 0, done.stderr)
        suite = self.read()
        self.assertEqual(suite["schema"], "stiefel-suite/1")
        cases = suite["cases"]
        self.assertEqual({case["labels"]["matrix"] for case in cases}, {"tiny"})
        self.assertLessEqual({"serial", "openmp"}, {case["labels"]["backend"] for case in cases})
        formats = {"csr", "ellpack-rows", "ellpack-columns", "sell-8", "sell-32", "sell-32-256", "compressed-sell"}
        for backend, threads in (("serial", 1), ("openmp", 1), ("openmp", 2)):
            labels = [case["labels"] for case in cases]
            self.assertEqual({l["format"] for l in labels if (l["backend"], l.get("threads")) == (backend, threads)}, formats)
        for case in cases:
            self.assertEqual(case["values"]["nnz"], 13)
            self.assertNotEqual(bool(case["seconds"]), bool(case.get("refused")), case)
        self.assertIn("csr/", done.stdout)

    def test_what_was_measured_is_not_measured_again(self):
        self.run_suite("spmm", *self.matrices(), "--backend", "serial")
        first = self.read()
        done = self.run_suite("spmm", *self.matrices(), "--backend", "serial")
        self.assertIn(" 0 cases measured", done.stdout)
        self.assertEqual([case["seconds"] for case in self.read()["cases"]], [case["seconds"] for case in first["cases"]])
        self.run_suite("spmm", *self.matrices(), "--backend", "serial", "--restart")
        self.assertNotEqual(self.read()["started"] + str(self.read()["cases"]), first["started"] + str(first["cases"]))

    def test_solves_a_small_system(self):
        done = self.run_suite("solve", *self.matrices(), "--backend", "openmp")
        self.assertEqual(done.returncode, 0, done.stderr)
        jacobi = [case for case in self.read()["cases"] if case["labels"]["preconditioner"] == "jacobi"]
        self.assertEqual({case["labels"]["solver"] for case in jacobi}, {"cg", "block-cg"})
        for case in jacobi:
            self.assertLessEqual(case["values"]["iterations"], 5)
            self.assertEqual(case["history"][0][0], 0)

    def test_products_and_triangular_solves_of_a_small_matrix(self):
        for suite, kernels in (("products", {"by rows", "X + X'", "Eigen"}), ("triangular", {"substitution", "levels"})):
            os.path.exists(self.output) and os.remove(self.output)
            done = self.run_suite(suite, *self.matrices(), "--threads", "1,2")
            self.assertEqual(done.returncode, 0, done.stderr)
            cases = self.read()["cases"]
            on_host = [case for case in cases if case["labels"]["backend"] != "cuda"]
            self.assertEqual({case["labels"]["kernel"] for case in on_host}, kernels)
            self.assertEqual({case["labels"]["matrix"] for case in cases}, {"tiny"})
            self.assertTrue(all(case["seconds"] for case in on_host), cases)
            self.assertIn("of the first", done.stdout)

    def test_products_of_a_matrix_that_is_not_symmetric_are_refused(self):
        self.write("matrices/tiny.mtx", MATRIX.replace("symmetric", "general"))
        for suite in ("products", "triangular"):
            os.path.exists(self.output) and os.remove(self.output)
            done = self.run_suite(suite, *self.matrices(), "--backend", "openmp")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("tiny is not symmetric", done.stdout)
        done = self.run_suite("products", "--restart", "--backend", "serial")
        self.assertEqual(done.returncode, 1)
        self.assertIn("--backend openmp --threads 1", done.stderr)

    def test_panels_beyond_the_memory_are_refused_with_the_numbers(self):
        done = self.run_suite("panel", "--backend", "openmp", "--threads", "2", "--samples", "1", "--limit-memory", "0.02")
        self.assertEqual(done.returncode, 0, done.stderr)
        cases = self.read()["cases"]
        measured = [case for case in cases if case["seconds"]]
        self.assertEqual({case["labels"]["columns"] for case in measured}, {1, 4, 16})
        self.assertEqual({case["labels"]["operation"] for case in measured}, {"P'Q", "P'P", "Y += X B", "Y = X B"})
        self.assertLessEqual({"gemm", "panel"}, {case["labels"]["kernel"] for case in measured})
        self.assertIn("panels of 20000 x 64 would take 48.8 MiB, more than the 20.5 MiB of --limit-memory", done.stdout)

    def test_a_broken_matrix_is_refused_by_line_and_the_others_are_measured(self):
        self.write("matrices/broken.mtx", MATRIX.replace("2 1 -1", "2 x -1"))
        done = self.run_suite("spmv", *self.matrices(), "--backend", "serial")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("broken.mtx:4:3", done.stdout)
        csr = [case for case in self.read()["cases"] if case["labels"]["format"] == "csr"]
        self.assertEqual({(case["labels"]["matrix"], bool(case["seconds"])) for case in csr}, {("tiny", True), ("broken", False)})

    def test_a_signal_leaves_a_file_that_the_same_command_goes_on_with(self):
        command = self.command("gemm", "--backend", "serial", "--limit-seconds", "2")
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        patience = time.monotonic() + 60
        while process.poll() is None and time.monotonic() < patience:
            if os.path.exists(self.output) and self.read()["cases"]:
                break
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, errors)
        self.assertIn("to go on: stiefel-bench suite gemm", errors)
        before = self.read()["cases"]
        self.assertGreater(len(before), 0)
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
        self.assertEqual(self.read()["cases"][:len(before)], before)


if __name__ == "__main__":
    unittest.main()
