"""stiefel-bench scaling as a user runs it: small systems on one and two ranks."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM, MPIRUN = sys.argv[1:3]
del sys.argv[1:3]


class Scaling(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.json = os.path.join(folder.name, "runs.json")
        self.sessions = os.path.join(folder.name, "sessions")  # of mpirun: several at once may fail to make the one that they share
        os.mkdir(self.sessions)

    def run_scaling(self, *words):
        environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1",
                           OMPI_MCA_odls_base_sigkill_timeout="0", OMPI_MCA_orte_tmpdir_base=self.sessions)
        return subprocess.run([PROGRAM, "scaling", "--mpirun", MPIRUN, *words], capture_output=True, text=True, timeout=100, check=False,
                              env=environment)

    def test_a_row_for_each_number_of_ranks(self):
        done = self.run_scaling("--ranks", "1", "2", "--size", "8", "--rounds", "2", "--iterations", "5", "--json", self.json)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        self.assertEqual(len(lines), 8, done.stdout)
        self.assertTrue(lines[0].startswith("strong, poisson3d, 8^3 points, 1 thread a rank"), lines[0])
        self.assertTrue(lines[4].startswith("weak, poisson3d, 8^3 points a rank"), lines[4])
        words = [line.split() for line in lines]
        self.assertEqual([row[:2] for row in (words[2], words[3], words[6], words[7])], [["1", "512"], ["2", "512"], ["1", "512"], ["2", "1,024"]])
        self.assertEqual(words[2][4], "1.00")
        self.assertEqual(words[3][-2:], ["1", "KiB"])  # 64 points of a plane each way
        with open(self.json, encoding="utf-8") as file:
            runs = json.load(file)
        self.assertEqual([(of["kind"], of["ranks"], len(of["runs"])) for of in runs], [("strong", 1, 2), ("strong", 2, 2), ("weak", 1, 2), ("weak", 2, 2)])
        self.assertEqual(runs[3]["runs"][0]["result"]["iterations"], 5)

    def test_what_cannot_run_is_told_with_what_was_said(self):
        done = self.run_scaling("--only", "weak", "--ranks", "2", "--program", "/nowhere/stiefel", "--rounds", "1")
        self.assertEqual(done.returncode, 1)
        self.assertIn("ended without a report", done.stderr)
        self.assertIn("/nowhere/stiefel", done.stderr)
        self.assertIn("scaling: --only", self.run_scaling("--only", "some").stderr)


if __name__ == "__main__":
    unittest.main()
