"""To be imported first by tests that draw: continues where matplotlib is, or leaves out the test with exit code 77."""

import importlib.util
import os
import sys

from project import ROOT

PINNED = os.path.join(ROOT, "out", "venv")

if importlib.util.find_spec("matplotlib") is None:
    python = os.path.join(PINNED, "bin", "python")
    if os.path.realpath(sys.prefix) != os.path.realpath(PINNED) and os.access(python, os.X_OK):
        os.execv(python, [python, *sys.argv])
    print("left out: there is no matplotlib; scripts/plot-environment installs it")
    sys.exit(77)
