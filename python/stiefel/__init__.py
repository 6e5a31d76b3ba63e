"""Symmetric positive definite systems, solved on all cores or on a GPU.

>>> import numpy as np, stiefel
>>> A = stiefel.generate("poisson2d", 100)     # any sparse matrix of SciPy
>>> b = np.ones(A.shape[0])
>>> x, info = stiefel.cg(A, b)                 # scipy.sparse.linalg.cg, on all cores
>>> r = stiefel.solve(A, b)                    # with a preconditioner that is found while it solves
>>> r.reason
'converged'
"""

from ._block_cg import block_cg
from ._cg import cg
from ._core import has_cuda, n_devices
from ._core import version as __version__
from ._eigen import eigsh, lobpcg
from ._files import generate, problems, read_matrix, read_vectors, write
from ._operator import Operator, Preconditioner, preconditioner
from ._result import Result
from ._solve import solve
from ._warnings import ConvergenceError, ConvergenceWarning, ConversionWarning

__all__ = [
    "ConvergenceError",
    "ConvergenceWarning",
    "ConversionWarning",
    "Operator",
    "Preconditioner",
    "Result",
    "__version__",
    "block_cg",
    "cg",
    "eigsh",
    "generate",
    "has_cuda",
    "lobpcg",
    "n_devices",
    "preconditioner",
    "problems",
    "read_matrix",
    "read_vectors",
    "solve",
    "write",
]
