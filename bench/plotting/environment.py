"""Which Python draws: that of out/venv, with the pinned versions, where there is one."""

import importlib.util
import os
import sys

PROJECT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ENVIRONMENT = os.path.join(PROJECT, "out", "venv")


def continue_in_pinned_environment():
    """Starts this program again there, or returns where it runs there already or there is none but this Python has a
    matplotlib of its own. Exits with what to run where there is no matplotlib."""
    pinned = os.path.join(ENVIRONMENT, "bin", "python")
    is_there = os.path.realpath(sys.prefix) == os.path.realpath(ENVIRONMENT)
    if not is_there and os.access(pinned, os.X_OK):
        # What matplotlib finds out about fonts stays there too, and not in the user's home.
        os.environ.setdefault("MPLCONFIGDIR", os.path.join(ENVIRONMENT, "matplotlib"))
        os.execv(pinned, [pinned, *sys.argv])
    if importlib.util.find_spec("matplotlib") is None:
        sys.exit("bench/plot needs matplotlib: run scripts/plot-environment, which installs it into out/venv")
