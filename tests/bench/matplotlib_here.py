"""To be imported first by tests that draw: continues where matplotlib is, or leaves out the test with exit code 77."""

import sys

import project  # noqa: F401, finds bench/
from plotting.environment import continue_in_pinned_environment

try:
    continue_in_pinned_environment()
except SystemExit as reason:
    print(f"left out: {reason}")
    sys.exit(77)
