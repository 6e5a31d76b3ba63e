"""bench/instruction_counts/check fails where it should: with a program and a valgrind that are stand-ins, whose counts are
known."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

from project import ROOT

CHECK = os.path.join(ROOT, "bench", "instruction_counts", "check")
JOBS = """#!/bin/sh
case "$1" in
  --list) printf 'read\\nsolve\\n' ;;
  --build) echo 'GNU 12.2.0; glibc 2.36' ;;
  *) exit 0 ;;
esac
"""
VALGRIND = """#!/bin/sh
[ "$1" = --version ] && echo valgrind-3.19.0 && exit
for job; do :; done
case "$job" in read) n=1030 ;; solve) n=2000 ;; esac
echo "==1== Collected : $n" >&2
"""
TOOLS = {"compiler": "GNU 12.2.0", "c_library": "glibc 2.36", "valgrind": "valgrind-3.19.0"}


class Check(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.program, _ = self.executable("jobs", JOBS), self.executable("valgrind", VALGRIND)

    def executable(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, 0o755)
        return path

    def check(self, instructions, path=None, **tools):
        baseline = os.path.join(self.folder, "baseline.json")
        with open(baseline, "w", encoding="utf-8") as file:
            json.dump({**TOOLS, **tools, "instructions": instructions}, file)
        environment = dict(os.environ, PATH=path or self.folder + os.pathsep + os.environ["PATH"])
        done = subprocess.run([sys.executable, CHECK, "--program", self.program, "--baseline", baseline], capture_output=True,
                              text=True, check=False, env=environment, timeout=60)
        return done.returncode, done.stdout + done.stderr

    def test_up_to_three_percent_more_passes(self):
        code, out = self.check({"read": 1000, "solve": 2000})
        self.assertEqual(code, 0, out)
        self.assertIn("+3.00 %", out)

    def test_more_than_three_percent_fails_and_names_the_job(self):
        code, out = self.check({"read": 999, "solve": 2000})
        self.assertEqual(code, 1)
        self.assertIn("FAILED: read takes 3.10 % more instructions", out)
        self.assertNotIn("FAILED: solve", out)

    def test_fewer_ask_for_a_new_baseline(self):
        code, out = self.check({"read": 1030, "solve": 2100})
        self.assertEqual(code, 0)
        self.assertIn("solve takes 4.76 % fewer instructions: bench/instruction_counts/renew", out)

    def test_a_job_without_baseline_fails(self):
        code, out = self.check({"read": 1030, "gone": 5})
        self.assertEqual(code, 1)
        self.assertIn("FAILED: solve is only here", out)
        self.assertIn("FAILED: gone is only in the baseline", out)

    def test_another_toolchain_is_left_out_with_the_reason(self):
        code, out = self.check({"read": 1, "solve": 1}, compiler="GNU 13.3.0")
        self.assertEqual(code, 77)
        self.assertIn("here is compiler GNU 12.2.0, not GNU 13.3.0", out)

    def test_no_valgrind_is_left_out_with_the_reason(self):
        code, out = self.check({"read": 1, "solve": 1}, path=os.path.join(self.folder, "empty"))
        self.assertEqual(code, 77)
        self.assertIn("there is no valgrind: apt-get install valgrind", out)


if __name__ == "__main__":
    unittest.main()
