"""Where the bench's programs and modules lie, for the tests of them."""

import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "bench"))


def program(*words):
    """What a program of bench/ says: (exit code, standard output, standard error)."""
    done = subprocess.run([sys.executable, os.path.join(ROOT, "bench", words[0]), *words[1:]], capture_output=True, text=True,
                          check=False, timeout=300)
    return done.returncode, done.stdout, done.stderr
