# %% [markdown]
# Which rank, and which gene programs: AnnData in, obsm and varm out. Usage: gene_programs.py [CELLS.h5ad RANKS STARTS]
# with ranks as in 5-14. Without a file, counts of 300 cells with four programs are made up.

# %%
import sys

import anndata as ad
import numpy as np
import scipy.sparse as sp

import anmf


def made_up_cells():
    rng = np.random.default_rng(0)
    programs = rng.gamma(0.3, 1.0, (4, 200))
    usage = rng.dirichlet(np.full(4, 0.3), 300)
    cells = ad.AnnData(sp.csr_matrix(rng.poisson(40 * usage @ programs).astype(np.float32)))
    cells.var_names = [f"gene{j}" for j in range(200)]
    cells.obs_names = [f"cell{i}" for i in range(300)]
    return cells


# %%
match sys.argv[1:]:
    case []:
        cells, ranks, starts = made_up_cells(), range(2, 7), 12
    case [file, words, number]:
        first, last = map(int, words.split("-"))
        cells, ranks, starts = ad.read_h5ad(file), range(first, last + 1), int(number)
    case _:
        sys.exit("Usage: gene_programs.py [CELLS.h5ad RANKS STARTS]")
# The genes that vary most, each scaled to unit variance, as cNMF has them.
cells.layers["scaled"] = anmf.prepare("unit-variance").fit_transform(cells.X)
spread = anmf.prepare("total=1e4,log1p,top-variance=2000" if cells.n_vars > 2000 else "total=1e4,log1p").fit(cells.X)
cells.var["variable"] = np.isin(np.arange(cells.n_vars), spread.features_)

# %%
# Everything is kept in the folder: the same call goes on where an interrupted one was, with more ranks or starts, too.
survey = anmf.survey(
    cells, ranks, starts=starts, layer="scaled", genes="variable", out="programs", progress=sys.stderr.isatty()
)
print(
    survey.table[["rank", "converged", "heldout", "heldout_se", "silhouette", "silhouette_min"]].to_string(index=False)
)
print("\n".join(survey.reasons))

# %%
# Where no rank is clearly the best, the likeliest one is a place to begin.
rank = survey.suggestion or (survey.alternatives or survey.ranks)[0]
agreed = survey.consensus(rank)
for number, (program, members) in enumerate(zip(agreed.spectra, agreed.components["members"], strict=True), start=1):
    genes = [agreed.feature_names[j] for j in program.argsort()[::-1][:5]]
    print(f"program {number}, found by {members} of {len(agreed.starts)} starts: {', '.join(genes)}")

# %%
agreed.to_anndata(cells).write_h5ad("programs.h5ad")
print("See", survey.report("programs.html"))
