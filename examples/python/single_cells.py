# %% [markdown]
# Gene programs of single cells: AnnData in, obsm and varm out. Usage: single_cells.py [CELLS.h5ad PROGRAMS]
# Without a file, counts of 300 cells with three programs are made up.

# %%
import sys

import anndata as ad
import numpy as np
import scipy.sparse as sp

import anmf


def made_up_cells():
    rng = np.random.default_rng(0)
    programs = rng.gamma(0.3, 1.0, (3, 200))
    usage = rng.dirichlet(np.full(3, 0.5), 300)
    cells = ad.AnnData(sp.csr_matrix(rng.poisson(4 * usage @ programs).astype(np.float32)))
    cells.var_names = [f"gene{j}" for j in range(200)]
    return cells


# %%
cells, programs = (ad.read_h5ad(sys.argv[1]), int(sys.argv[2])) if len(sys.argv) == 3 else (made_up_cells(), 3)
X = cells.X.astype(np.float32)
X = X.multiply(1 / np.maximum(X.sum(axis=1), 1)).tocsr().log1p()  # counts per cell, on a log scale

# %%
model = anmf.NMF(programs, random_state=0, max_iter=1000, normalize="l1")
cells.obsm["X_nmf"] = model.fit_transform(X)
cells.varm["nmf"] = model.components_.T
cells.uns["nmf"] = {"error": model.reconstruction_err_, "iterations": model.n_iter_, "status": model.status_}

# %%
for number, program in enumerate(cells.varm["nmf"].T, start=1):
    print(f"program {number}:", ", ".join(cells.var_names[program.argsort()[::-1][:5]]))
cells.write_h5ad("programs.h5ad")
