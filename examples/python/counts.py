# %% [markdown]
# Counts, here of mutations: every sample is a sum of a few processes, each with its own shares of the kinds of
# mutations. Counts scatter as Poisson's law says, and the Kullback-Leibler divergence is the likelihood of that. X is
# samples x kinds. Usage: counts.py [COUNTS.npz PROCESSES]
# COUNTS.npz is scipy's sparse matrix; without it, 500 samples of three processes are made up.

# %%
import sys

import numpy as np
import scipy.sparse as sp

import anmf


def samples():
    """500 samples of 96 kinds, some with few mutations and some with many."""
    rng = np.random.default_rng(0)
    processes = rng.dirichlet(np.full(96, 0.1), 3)
    weights = rng.dirichlet(np.full(3, 0.5), 500) * rng.lognormal(5, 1, (500, 1))
    return sp.csr_matrix(rng.poisson(weights @ processes)), processes


# %%
planted = None
match sys.argv[1:]:
    case []:
        X, planted = samples()
        number = 3
    case [file, text]:
        X, number = sp.load_npz(file).tocsr(), int(text)
    case _:
        sys.exit("Usage: counts.py [COUNTS.npz PROCESSES]")

# %% The default solver goes over the nonzeros alone; rows of components_ are scaled to shares
options = {"n_components": number, "normalize": "l1", "random_state": 0, "max_iter": 2000}
model = anmf.NMF(beta_loss="kullback-leibler", **options)
W = model.fit_transform(X)
print(f"divergence {model.reconstruction_err_**2 / 2:.0f}, {model.status_}")


# %% How much of each process is in new samples, each by itself to the optimum
print("the first sample:", np.round(model.transform(X[0])[0], 1), "of", X[0].sum())


# %% The squared distance listens most to the samples with many mutations
def likeness(found):
    """The cosine of every planted process with the one found that is nearest to it."""
    unit = [F / np.linalg.norm(F, axis=1, keepdims=True) for F in (planted, found)]
    return np.round((unit[0] @ unit[1].T).max(axis=1), 4)


if planted is not None:
    print("Kullback-Leibler:", likeness(model.components_))
    print("Frobenius:", likeness(anmf.NMF(**options).fit(X).components_))

# %% The same from a stream: only one batch of samples is in memory at a time
stream = anmf.MiniBatchNMF(number, beta_loss="kullback-leibler", init="random", random_state=0)
for _ in range(10):
    for begin in range(0, X.shape[0], 100):
        stream.partial_fit(X[begin : begin + 100])
print(f"{stream.n_steps_} batches", "" if planted is None else likeness(stream.components_))
