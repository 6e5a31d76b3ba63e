"""The wheel of scripts/wheel in an empty virtual environment. Skipped where none was built: that takes as long as the library."""

import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WHEELS = sorted((ROOT / "out" / "wheels").glob("stiefel-*.whl"))
ALLOWED = re.compile(r"lib(c|m|stdc\+\+|gcc_s|gomp|pthread|dl|rt)\.so\.\d+|ld-linux-x86-64\.so\.2")

if not WHEELS:
    pytest.skip("there is no wheel: scripts/wheel builds one", allow_module_level=True)


def test_it_needs_the_compilers_libraries_alone(tmp_path):
    with zipfile.ZipFile(WHEELS[0]) as wheel:
        module = next(name for name in wheel.namelist() if name.endswith(".so"))
        text = subprocess.run(["readelf", "-d", wheel.extract(module, tmp_path)], capture_output=True, text=True, check=True)
        assert {"stiefel/py.typed", "stiefel/_core.pyi"} <= set(wheel.namelist())
        assert all(name.startswith(("stiefel/", "stiefel-")) for name in wheel.namelist())
    needed = re.findall(r"NEEDED.*\[(.*)\]", text.stdout)
    assert needed and all(ALLOWED.fullmatch(name) for name in needed), needed


def test_it_solves_in_an_empty_environment(tmp_path):
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
    python = tmp_path / "venv" / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", WHEELS[0]], check=True)
    code = (
        "import numpy as np, stiefel; A = stiefel.generate('poisson3d', 20); "
        "r = stiefel.solve(A, np.ones(8000), preconditioner='amg', backend='openmp').raise_for_status(); "
        "x, info = stiefel.cg(A, np.ones(8000)); print(r.reason, info)"
    )
    run = subprocess.run([python, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["converged", "0"]
