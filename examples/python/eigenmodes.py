"""The lowest tones of a square drum."""

import numpy as np

import stiefel

side = 100
A = stiefel.generate("poisson2d", side)
squares, modes = stiefel.eigsh(A, k=4, which="SA", tol=1e-8)
tones = np.sqrt(squares) * (side + 1) / np.pi
print("tones of a drum:", ", ".join(f"{tone:.4f}" for tone in tones))
print("of a continuous one:", ", ".join(f"{np.sqrt(i * i + j * j):.4f}" for i, j in ((1, 1), (1, 2), (2, 1), (2, 2))))
