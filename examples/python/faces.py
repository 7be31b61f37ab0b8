# %% [markdown]
# Parts of faces: every image is one row of X. Usage: faces.py [IMAGES.npy HEIGHT WIDTH]
# IMAGES.npy holds pixels x images of 8 bits; without it, pictures of a swimmer with four limbs are drawn.

# %%
import sys

import numpy as np

import anmf


def swimmers():
    """256 pictures of 11 x 14 pixels: a torso, and four limbs in four positions each."""
    pictures = []
    for code in range(256):
        picture = np.zeros((11, 14), np.uint8)
        picture[3:8, 6:8] = 200
        for limb, (row, col) in enumerate([(3, 5), (3, 8), (7, 5), (7, 8)]):
            down, right = [(0, 1), (1, 1), (1, 0), (2, 1)][code >> 2 * limb & 3]
            for step in range(4):
                y = row + (-step if row == 3 else step) * down // 2
                x = col + (-step if col == 5 else step) * right
                picture[min(max(y, 0), 10), min(max(x, 0), 13)] = 255
        pictures.append(picture.ravel())
    return np.array(pictures).T, (11, 14)


# %%
match sys.argv[1:]:
    case []:
        pixels, shape = swimmers()
    case [file, height, width]:
        pixels, shape = np.load(file), (int(height), int(width))
    case _:
        sys.exit("Usage: faces.py [IMAGES.npy HEIGHT WIDTH]")
X = pixels.T  # a view: 8-bit pixels are used where they lie

# %%
model = anmf.NMF(16, random_state=0, max_iter=500, normalize="max")
weights = model.fit_transform(X)
print(f"{X.shape[0]} images, error {model.reconstruction_err_ / np.linalg.norm(X.astype(float)):.3f}, {model.status_}")

# %% A page with the sixteen parts as pictures
result = anmf.factorize(X, 16, seed=0, max_iterations=500)
print("See", result.report("faces.html", title="Parts of faces", image_shape=shape))
