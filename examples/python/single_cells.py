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
match sys.argv[1:]:
    case []:
        cells, programs = made_up_cells(), 3
    case [file, number]:
        cells, programs = ad.read_h5ad(file), int(number)
    case _:
        sys.exit("Usage: single_cells.py [CELLS.h5ad PROGRAMS]")
# Every cell to 10000 counts, then ln(1 + x), as scanpy's normalize_total and log1p do. The sum matters: of a sum of 1,
# ln(1 + x) is x, and a few genes with many counts are all that the fit sees.
X = anmf.prepare("total=1e4,log1p").fit_transform(cells.X)

# %%
model = anmf.NMF(programs, random_state=0, max_iter=1000, normalize="l1")
cells.obsm["X_nmf"] = model.fit_transform(X)
cells.varm["nmf"] = model.components_.T
cells.uns["nmf"] = {"error": model.reconstruction_err_, "iterations": model.n_iter_, "status": model.status_}

# %%
for number, program in enumerate(cells.varm["nmf"].T, start=1):
    print(f"program {number}:", ", ".join(cells.var_names[program.argsort()[::-1][:5]]))
cells.write_h5ad("programs.h5ad")
