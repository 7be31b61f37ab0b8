# %% [markdown]
# Hyperspectral unmixing: every pixel is a mixture of a few materials. X is pixels x bands; rows of components_ are the
# spectra of the materials, rows of W their shares. Usage: spectra.py [CUBE.npy MATERIALS]
# CUBE.npy is height x width x bands; without it, a scene of three materials is made up.

# %%
import sys

import numpy as np

import anmf


def scene():
    """60 x 40 pixels of three materials in 50 bands, pure in places, with some noise."""
    rng = np.random.default_rng(1)
    bands = np.linspace(0, 1, 50)
    spectra = np.array([np.exp(-(((bands - center) / 0.15) ** 2)) + 0.1 for center in (0.2, 0.5, 0.8)])
    shares = rng.dirichlet(np.full(3, 0.3), (60, 40))
    return np.abs(shares @ spectra + 0.002 * rng.standard_normal((60, 40, 50)))


# %%
match sys.argv[1:]:
    case []:
        cube, materials = scene(), 3
    case [file, number]:
        cube, materials = np.load(file), int(number)
    case _:
        sys.exit("Usage: spectra.py [CUBE.npy MATERIALS]")
X = cube.reshape(-1, cube.shape[-1])

# %% Start from the purest pixels, which successive projection finds
model = anmf.NMF(materials, init="spa", normalize="max", tol=1e-5, max_iter=2000)
maps = model.fit_transform(X).reshape(*cube.shape[:-1], -1)
print(f"relative error {model.reconstruction_err_ / np.linalg.norm(X):.4f}, {model.status_}")

# %% Shares of a new pixel among known spectra: exact nonnegative least squares, with a certificate
shares, kkt = anmf.nnls(model.components_.T, X[0])
print("the first pixel:", np.round(shares, 3), f"optimal to {kkt:.0e}")
