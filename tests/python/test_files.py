"""Matrices and vectors to files and back; generators."""

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp

import stiefel


def test_a_matrix_there_and_back(tmp_path):
    for k, matrix in enumerate([stiefel.generate("poisson2d", 9), sp.random_array((30, 20), density=0.2, rng=1)]):
        path = tmp_path / f"{k}.mtx.gz"
        if matrix.format == "csr":
            stiefel.write(path, matrix, comments=["mine"])
        else:
            with pytest.warns(stiefel.ConversionWarning):
                stiefel.write(path, matrix)
        read = stiefel.read_matrix(path)
        assert read.has_canonical_format and (read != matrix).nnz == 0
        assert (scipy.io.mmread(path).tocsr() != matrix).nnz == 0
        assert scipy.io.mminfo(path)[5] == ("symmetric" if k == 0 else "general")


@pytest.mark.parametrize("ending", [".mtx", ".npy", ".csv"])
def test_vectors(tmp_path, ending):
    columns = np.random.default_rng(1).standard_normal((7, 3))
    path = tmp_path / f"x{ending}"
    stiefel.write(path, columns)
    if ending != ".csv":
        np.testing.assert_array_equal(stiefel.read_vectors(path), columns)
    else:
        np.testing.assert_array_equal(np.loadtxt(path, delimiter=","), columns)


def test_arrays_of_a_file_outlive_the_matrix(tmp_path):
    stiefel.write(tmp_path / "a.mtx", stiefel.generate("poisson2d", 5))
    data = stiefel.read_matrix(tmp_path / "a.mtx").data
    assert data.sum() == stiefel.generate("poisson2d", 5).data.sum()


def test_errors_name_file_line_and_column(tmp_path):
    path = tmp_path / "broken.mtx"
    path.write_text("%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1.0\n1 x 2.0\n")
    with pytest.raises(ValueError, match=r"broken.mtx:4:3"):
        stiefel.read_matrix(path)
    with pytest.raises(OSError, match="nowhere.mtx"):
        stiefel.read_matrix(tmp_path / "nowhere.mtx")


def test_generators():
    assert stiefel.generate("poisson3d", 3, 4, 5).shape == (60, 60)
    for name in ("poisson2d", "poisson3d"):
        assert name in stiefel.problems()
    with pytest.raises(ValueError, match="poisson2d"):
        stiefel.generate("poison2d", 3)
    with pytest.raises(ValueError, match="poisson2d"):
        stiefel.generate("poisson2d", 3, wrong=1)
