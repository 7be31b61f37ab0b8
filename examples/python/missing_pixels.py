# %% [markdown]
# Pictures with a third of their pixels gone: every picture is a row of X, and what is gone is learnt from the others.
# Usage: missing_pixels.py [IMAGES.npy HEIGHT WIDTH]
# IMAGES.npy holds images x pixels of 8 bits; without it, faces are drawn.

# %%
import sys

import numpy as np
from PIL import Image

import anmf


def faces(number=400, size=32):
    """A head with eyes, brows, nose and mouth, each in one of a few places and of its own brightness."""
    rng = np.random.default_rng(0)
    y, x = np.mgrid[:size, :size] / (size - 1) - 0.5

    def blob(up, right, height, width):
        return np.exp(-((((y - up) / height) ** 2 + ((x - right) / width) ** 2) ** 2))

    pictures = []
    for _ in range(number):
        gaze, brow, smile, nose = rng.integers(3, size=4) * 0.04 - 0.04
        parts = [blob(0, 0, 0.45, 0.36), blob(0.02 + nose, 0, 0.1, 0.03)]
        parts += [blob(-0.12, side * 0.15 + gaze, 0.04, 0.06) for side in (-1, 1)]
        parts += [blob(-0.23 + brow, side * 0.15, 0.02, 0.1) for side in (-1, 1)]
        parts += [blob(0.22 + 8 * smile * x**2, 0, 0.03, 0.16)]
        light = rng.random(4) * 60 + (90, 20, 90, 60)
        face = sum(light[min(k // 2 + (k > 0), 3)] * part for k, part in enumerate(parts))
        pictures.append(face * rng.normal(1, 0.04, face.shape))
    return np.clip(pictures, 0, 255).astype(np.uint8).reshape(number, -1), (size, size)


# %%
match sys.argv[1:]:
    case []:
        pixels, shape = faces()
    case [file, height, width]:
        pixels, shape = np.load(file), (int(height), int(width))
    case _:
        sys.exit("Usage: missing_pixels.py [IMAGES.npy HEIGHT WIDTH]")
gone = np.random.default_rng(1).random(pixels.shape) < 1 / 3

# %% A mask says what is missing, whatever lies below it. (So would NaN, with missing="nan".)
X = np.ma.array(pixels, mask=gone)
model = anmf.NMF(30, init="scaled-random", random_state=0, max_iter=500, tol=0.01)
W = model.fit_transform(X)
filled = X.filled(0).astype(float)
filled[gone] = model.predict_entries(W, *np.nonzero(gone))

# %% How good that is, beside the mean of every pixel, which is what a SimpleImputer would write there
mean = np.broadcast_to(X.mean(axis=0), X.shape)
for name, guess in {"mean of the pixel": mean, "anmf": filled}.items():
    error = np.sqrt(np.mean((guess[gone] - pixels[gone].astype(float)) ** 2))
    print(f"{name}: error {error:.1f} of 255 at {gone.sum()} missing pixels of {len(pixels)} images")


# %% Before, what was left, after
def strip(rows, marked=None, zoom=3):
    """Images side by side; marked pixels are blue."""
    grey = np.clip(np.asarray(rows, dtype=float), 0, 255).astype(np.uint8)
    colours = np.repeat(grey[:, :, None], 3, axis=2)
    if marked is not None:
        colours[marked] = (70, 110, 190)
    images = [np.pad(row.reshape(*shape, 3), ((1, 1), (1, 1), (0, 0))) for row in colours]
    return np.hstack(images).repeat(zoom, axis=0).repeat(zoom, axis=1)


some = slice(0, 7)
picture = np.vstack([strip(pixels[some]), strip(pixels[some], gone[some]), strip(filled[some])])
Image.fromarray(picture).quantize(64).save("missing-pixels.png", optimize=True)
print("See missing-pixels.png: before, what was left, after")
