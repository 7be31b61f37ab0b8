# %% [markdown]
# Ratings: X is users x films, and most of it nobody has seen. What is stored was observed, the rest is missing, and W H
# predicts it. Usage: ratings.py [RATINGS.tsv]
# RATINGS.tsv has lines "user film stars ..." as MovieLens' u.data has them; without it, ratings are made up.

# %%
import sys

import numpy as np
import scipy.sparse as sp

import anmf


def made_up_ratings():
    """600 users with four tastes rate some of 300 films, popular ones more often, with up to five stars."""
    rng = np.random.default_rng(0)
    liked = 0.4 + rng.dirichlet(np.full(4, 0.4), 600) @ rng.gamma(2, 1.6, (4, 300))
    seen = rng.random((600, 300)) < rng.beta(1, 6, 300) + 0.05
    users, films = np.nonzero(seen)
    stars = np.clip(np.round(2 * (liked[seen] + 0.5 * rng.standard_normal(len(users)))) / 2, 0.5, 5)
    return users, films, stars


# %%
match sys.argv[1:]:
    case []:
        users, films, stars = made_up_ratings()
    case [file]:
        users, films, stars = np.loadtxt(file, usecols=(0, 1, 2)).T
        users, films = (np.unique(names, return_inverse=True)[1] for names in (users, films))
    case _:
        sys.exit("Usage: ratings.py [RATINGS.tsv]")
shape = users.max() + 1, films.max() + 1
test = np.random.default_rng(1).random(len(stars)) < 0.1  # nothing below sees these
X = sp.csr_array((stars[~test], (users[~test], films[~test])), shape=shape)
print(f"{shape[0]} users, {shape[1]} films, {X.nnz} ratings, {100 * X.nnz / np.prod(shape):.1f} % of the matrix")

# %% The rank and the penalty, by ratings that are held out of these. The penalty matters where little is observed: a
# user's tastes then come from a few ratings.
found = {}
for rank in (1, 2, 4, 8):
    for strength in (2, 6):
        penalty = {"alpha_W": strength / shape[1], "alpha_H": strength / shape[0]}
        options = {"missing": "zeros", "seed": 0, "max_iterations": 200, **penalty}
        tried = anmf.factorize(X, rank, heldout=0.1, **options)
        rmse = tried.heldout_error / np.sqrt(tried.heldout_entries)
        found[rmse] = rank, options
        print(f"rank {rank}, penalty {strength}: error {rmse:.3f} of {tried.heldout_entries} ratings held out")
rank, options = found[min(found)]

# %% All ratings but the last tenth, and that tenth predicted
model = anmf.factorize(X, rank, **options)
predicted = np.clip(model.predict_entries(users[test], films[test]), stars.min(), stars.max())
count = np.maximum(1, np.bincount(films[~test], minlength=shape[1]))
mean_of_film = np.bincount(films[~test], stars[~test], minlength=shape[1]) / count
for name, guess in {
    "mean": np.full(test.sum(), stars[~test].mean()),
    "mean of the film": mean_of_film[films[test]],
    f"rank {rank}": predicted,
}.items():
    print(f"{name}: error {np.sqrt(np.mean((guess - stars[test]) ** 2)):.3f} of {test.sum()} ratings never seen")

# %% What the first user may like, among what they have not rated
new = np.setdiff1d(np.arange(shape[1]), films[users == 0])
print("for the first user:", new[np.argsort(-model.predict_entries(0, new))[:5]])
