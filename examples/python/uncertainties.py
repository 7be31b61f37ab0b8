# %% [markdown]
# Spectra with uncertainties: an instrument says how uncertain every number is, and counts it as 1 / sigma^2. What is
# broken has weight zero, so it is predicted. Usage: uncertainties.py [FLUX.npy SIGMA.npy COMPONENTS]
# Both files are spectra x bands; without them, stars of three kinds are observed through a bright sky.

# %%
import sys

import numpy as np

import anmf


def observed_stars():
    """300 mixtures of three spectra with lines, each with a noise of its own, and more of it in bands where the sky is
    bright; some detector pixels are dead."""
    rng = np.random.default_rng(2)
    bands = np.linspace(0, 1, 160)
    continua = np.array([1.2 - bands, 0.4 + bands, 0.7 + 0.6 * np.sin(3 * bands)])
    lines = sum(np.exp(-(((bands - rng.random((3, 1))) / 0.015) ** 2)) for _ in range(6))
    spectra = continua + 0.8 * lines
    clean = rng.dirichlet(np.full(3, 0.4), 300) * rng.lognormal(1, 0.8, (300, 1)) @ spectra
    sky = 1 + 40 * sum(np.exp(-(((bands - at) / 0.02) ** 2)) for at in (0.15, 0.45, 0.62, 0.9))
    sigma = 0.02 * sky * rng.lognormal(0, 0.5, (300, 1))
    sigma[rng.random(clean.shape) < 0.02] = np.inf  # dead
    noise = np.where(np.isinf(sigma), 0, sigma) * rng.standard_normal(clean.shape)
    return np.where(np.isinf(sigma), 1e3, clean + noise), sigma, clean


# %%
clean = None
match sys.argv[1:]:
    case []:
        flux, sigma, clean = observed_stars()
        components = 3
    case [flux_file, sigma_file, number]:
        flux, sigma, components = np.load(flux_file), np.load(sigma_file), int(number)
    case _:
        sys.exit("Usage: uncertainties.py [FLUX.npy SIGMA.npy COMPONENTS]")
X = np.maximum(flux, 0)  # noise takes a few numbers below zero
weights = 1 / sigma**2  # 0 where sigma is infinite

# %% With the weights the objective is chi squared: about 1 per number where the model is right
model = anmf.NMF(components, init="scaled-random", random_state=0, max_iter=1000, tol=1e-3)
W = model.fit_transform(X, weights=weights)
chi2 = model.reconstruction_err_**2 / model.n_observed_
print(f"{X.shape[0]} spectra, {model.n_observed_} numbers observed, chi squared {chi2:.2f} of each, {model.status_}")

# %% Without weights, dead pixels as missing
plain = anmf.NMF(components, init="scaled-random", random_state=0, max_iter=1000, tol=1e-3)
masked = np.ma.array(X, mask=weights == 0)
if clean is not None:
    for name, fitted in {
        "without uncertainties": plain.fit_transform(masked) @ plain.components_,
        "with uncertainties": W @ model.components_,
    }.items():
        print(f"{name}: error {np.linalg.norm(fitted - clean) / np.linalg.norm(clean):.4f} of the true spectra")

# %% A new spectrum is fitted with its own uncertainties
print("parts of the first:", np.round(model.transform(X[:1], weights=weights[:1])[0], 3))
