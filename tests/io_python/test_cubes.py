# SPDX-License-Identifier: MIT
"""Arrays of three axes and stacks of images, as NumPy, scipy, h5py, tifffile and Pillow write them."""

import numpy as np
import pytest
import scipy.io

HEIGHT, WIDTH, BANDS = 7, 5, 4
CUBE = np.random.default_rng(3).integers(0, 200, (HEIGHT, WIDTH, BANDS))
PIXELS = CUBE.reshape(HEIGHT * WIDTH, BANDS)
ORDERS = [("pixels-first", CUBE), ("pixels-last", np.moveaxis(CUBE, 2, 0))]


def expect_scene(found):
    np.testing.assert_array_equal(found.matrix, PIXELS)
    assert found.image_shape == [HEIGHT, WIDTH]


@pytest.mark.parametrize(("cube", "array"), ORDERS)
@pytest.mark.parametrize("dtype", ["f8", "f4", "u1", ">u2", "i8"])
def test_numpy(tmp_path, read, cube, array, dtype):
    for order in ["C", "F"]:
        np.save(tmp_path / "x.npy", np.array(array, dtype=dtype, order=order))
        expect_scene(read(tmp_path / "x.npy", cube))
        np.savez_compressed(tmp_path / "x.npz", cube=np.array(array, dtype=dtype, order=order), wavelengths=np.arange(4))
        expect_scene(read(tmp_path / "x.npz", cube))


@pytest.mark.parametrize(("cube", "array"), ORDERS)
@pytest.mark.parametrize("dtype", ["f8", "f4", "u1", "u2", "i4"])
def test_matlab(tmp_path, read, cube, array, dtype):
    for packed in [False, True]:
        scipy.io.savemat(tmp_path / "x.mat", {"scene": array.astype(dtype), "gain": 2.5}, do_compression=packed)
        expect_scene(read(tmp_path / "x.mat", cube))


@pytest.mark.parametrize(("cube", "array"), ORDERS)
def test_matlab_73(tmp_path, read, cube, array):
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "x.mat", "w", userblock_size=512) as file:
        file.create_dataset("scene", data=array.astype("f8").T).attrs["MATLAB_class"] = np.bytes_("double")
    with open(tmp_path / "x.mat", "r+b") as file:
        file.write(b"MATLAB 7.3 MAT-file".ljust(124) + bytes([0, 2]) + b"IM")
    expect_scene(read(tmp_path / "x.mat", cube))


@pytest.mark.parametrize(("cube", "array"), ORDERS)
@pytest.mark.parametrize("options", [{}, {"chunks": (2, 3, 3), "compression": "gzip"}])
def test_hdf5(tmp_path, read, cube, array, options):
    h5py = pytest.importorskip("h5py")
    for dtype in ["f8", "f4", "u1", ">u2"]:
        with h5py.File(tmp_path / "x.h5", "w") as file:
            file.create_dataset("scene", data=array.astype(dtype), **options)
        expect_scene(read(tmp_path / "x.h5", cube))


@pytest.mark.parametrize("dtype", ["u1", "u2", "u4", "f4", "f8"])
@pytest.mark.parametrize(
    "options", [{}, {"byteorder": ">"}, {"bigtiff": True}, {"rowsperstrip": 2}, {"tile": (16, 16)}, {"imagej": True}]
)
def test_tifffile(tmp_path, read, dtype, options):
    tifffile = pytest.importorskip("tifffile")
    if "imagej" in options and dtype not in ["u1", "u2", "f4"]:
        pytest.skip("ImageJ has no such type")
    pages = np.moveaxis(CUBE, 2, 0).astype(dtype)
    tifffile.imwrite(tmp_path / "x.tif", pages, photometric="minisblack", **options)
    expect_scene(read(tmp_path / "x.tif"))


@pytest.mark.parametrize("compression", [None, "tiff_lzw", "tiff_adobe_deflate", "packbits"])
@pytest.mark.parametrize("dtype", ["u1", "u2", "f4"])
def test_pillow(tmp_path, read, compression, dtype):
    image = pytest.importorskip("PIL.Image")
    pages = [image.fromarray(page.astype(dtype)) for page in np.moveaxis(CUBE, 2, 0)]
    pages[0].save(tmp_path / "x.tif", save_all=True, append_images=pages[1:], compression=compression)
    expect_scene(read(tmp_path / "x.tif"))


def test_one_page_and_a_folder(tmp_path, read):
    tifffile = pytest.importorskip("tifffile")
    (tmp_path / "pages").mkdir()
    for band in range(BANDS):
        tifffile.imwrite(tmp_path / "pages" / f"{band}.tif", CUBE[:, :, band].astype("u2"), photometric="minisblack")
    expect_scene(read(tmp_path / "pages"))
    found = read(tmp_path / "pages" / "0.tif")
    np.testing.assert_array_equal(found.matrix, PIXELS[:, :1])
    assert found.image_shape == [HEIGHT, WIDTH]


@pytest.mark.parametrize(("mode", "words"), [("RGB", "is in colour"), ("P", "in a palette"), ("1", "of 1 bit")])
def test_what_is_not_grey_is_refused(tmp_path, refusal, mode, words):
    image = pytest.importorskip("PIL.Image")
    image.new(mode, (WIDTH, HEIGHT)).save(tmp_path / "x.tif")
    assert words in refusal(tmp_path / "x.tif")
