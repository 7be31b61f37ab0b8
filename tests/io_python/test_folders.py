# SPDX-License-Identifier: MIT
import gzip

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp


@pytest.mark.parametrize("packed", [False, True])
def test_ten_x(tmp_path, read, matrix, packed):
    folder = tmp_path / "filtered_feature_bc_matrix"
    folder.mkdir()
    counts = sp.coo_matrix(np.ceil(matrix * 9).astype(int))
    scipy.io.mmwrite(folder / "matrix.mtx", counts)
    (folder / "features.tsv").write_text("".join(f"ID{i}\tgene {i}\tGene Expression\n" for i in range(13)))
    (folder / "barcodes.tsv").write_text("".join(f"cell-{j}\n" for j in range(7)))
    if packed:
        for path in list(folder.iterdir()):
            (folder / (path.name + ".gz")).write_bytes(gzip.compress(path.read_bytes()))
            path.unlink()
    found = read(folder)
    np.testing.assert_array_equal(found.matrix, counts.toarray())
    assert found.row_names == [f"gene {i}" for i in range(13)]
    assert found.col_names == [f"cell-{j}" for j in range(7)]


@pytest.mark.parametrize("ending", ["png", "pgm", "jpg"])
def test_images(tmp_path, read, ending):
    image = pytest.importorskip("PIL.Image")
    pictures = np.random.default_rng(1).integers(0, 256, (3, 8, 8), dtype=np.uint8)
    if ending == "jpg":
        pictures[:] = np.array([10, 100, 200])[:, None, None]  # flat, since JPEG loses what is not
    folder = tmp_path / "images"
    folder.mkdir()
    for k, picture in enumerate(pictures):
        image.fromarray(picture).save(folder / f"{k}.{ending}")
    found = read(folder)
    np.testing.assert_allclose(found.matrix, pictures.reshape(3, 64).T, atol=2 if ending == "jpg" else 0)
