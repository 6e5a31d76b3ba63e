"""What holds of the package as a whole: types, examples in docstrings, example programs and the notebook."""

import doctest
import importlib
import os
import pkgutil
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

import stiefel

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples" / "python"
MODULES = [f"stiefel.{m.name}" for m in pkgutil.iter_modules(stiefel.__path__) if m.name != "_core"]


def environment():
    return os.environ | {"PYTHONPATH": str(Path(stiefel.__file__).parent.parent), "OMP_WAIT_POLICY": "passive"}


def test_types_are_complete():
    pytest.importorskip("mypy")
    run = subprocess.run(
        [sys.executable, "-m", "mypy", "--cache-dir", os.devnull], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stdout
    assert (Path(stiefel.__file__).parent / "py.typed").exists()


@pytest.mark.parametrize("name", ["stiefel", *MODULES])
def test_examples_in_docstrings(name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        failed, _ = doctest.testmod(importlib.import_module(name))
    assert failed == 0


def test_all_that_is_public_is_described_with_an_example():
    for name in stiefel.__all__:
        value = getattr(stiefel, name)
        if isinstance(value, (str, bool)):
            continue
        assert value.__doc__, name
        if callable(value) and not isinstance(value, type) and name not in ("n_devices", "write", "problems", "read_vectors"):
            assert ">>>" in value.__doc__, name


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.name)
def test_example_programs_run(path, tmp_path):
    run = subprocess.run(
        [sys.executable, path], cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=300, check=False
    )
    assert run.returncode == 0 and run.stdout, run.stderr


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.ipynb")), ids=lambda path: path.name)
def test_notebooks_run(path, tmp_path):
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    notebook = nbformat.read(path, as_version=4)
    os.environ.update(environment())
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": tmp_path}}).execute()
    shown = [o for cell in notebook.cells if cell.cell_type == "code" for o in cell.outputs if "data" in o]
    assert any("text/html" in output["data"] for output in shown)


def test_python_of_the_pages_runs(tmp_path):
    """The blocks of docs/python.md and of README.md's section, one after the other in one program."""
    for page in (ROOT / "docs" / "python.md", ROOT / "README.md"):
        blocks = [part.split("```")[0] for part in page.read_text().split("```python\n")[1:]]
        assert blocks, page
        run = subprocess.run(
            [sys.executable, "-c", "\n".join(blocks)], cwd=tmp_path, env=environment(), capture_output=True, text=True,
            timeout=300, check=False,
        )  # fmt: skip
        assert run.returncode == 0, run.stderr
