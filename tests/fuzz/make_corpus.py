#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the seeds of the fuzz targets anew into tests/fuzz/corpus. Needs numpy and scipy.

Files named found-* are not seeds but inputs that once were findings; they stay.
"""

import gzip
import io
import pathlib
import struct
import zlib

import numpy as np
import scipy.io
import scipy.sparse

CORPUS = pathlib.Path(__file__).parent / "corpus"
MARK = b"=====\n"
MATRIX = np.array([[1, 0, 2.5], [0, 3, 4]])


def seed(target: str, name: str, data: bytes | str) -> None:
    folder = CORPUS / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(data.encode() if isinstance(data, str) else data)


def saved(save, *arguments, **keywords) -> bytes:
    out = io.BytesIO()
    save(out, *arguments, **keywords)
    return out.getvalue()


def npy() -> None:
    for dtype in ["<f8", ">f4", "|u1", "<u2", ">i2", "|i1", "<i8", "<u8", "|b1", "<f4"]:
        name = dtype.replace("<", "le-").replace(">", "be-").replace("|", "")
        seed("npy", name, saved(np.save, MATRIX.astype(dtype)))
    seed("npy", "fortran", saved(np.save, np.asfortranarray(MATRIX)))
    seed("npy", "long-header", saved(lambda out: np.lib.format.write_array(out, MATRIX, version=(2, 0))))
    seed("npy", "three-dimensions", saved(np.save, np.ones((2, 1, 2))))
    seed("npy", "three-in-fortran-order", saved(np.save, np.asfortranarray(np.ones((2, 3, 2)))))
    seed("npy", "text", saved(np.save, np.array("csr")))
    seed("npy_dict", "usual", "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }          \n")
    seed("npy_dict", "python2", "{'shape': (2L, 3L), \"fortran_order\": True, 'descr': '|u1'}")
    seed("npy_dict", "records", "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (2,), }")
    seed("npy_dict", "scalar", "{'descr': '|S3', 'fortran_order': False, 'shape': (), }")


def sparse_members(matrix) -> dict[str, np.ndarray]:
    arrays = {"format": np.array(matrix.format.encode()), "shape": np.array(matrix.shape), "data": matrix.data}
    if matrix.format == "coo":
        return arrays | {"row": matrix.row, "col": matrix.col}
    return arrays | {"indices": matrix.indices, "indptr": matrix.indptr}


def npz() -> None:
    for layout in ["csr", "csc", "coo"]:
        matrix = scipy.sparse.coo_array(MATRIX).asformat(layout)
        for compressed in [False, True]:
            name = f"{layout}-deflated" if compressed else layout
            seed("npz", name, saved(scipy.sparse.save_npz, matrix, compressed=compressed))
        members = [key.encode() + b"\n" + saved(np.save, array) for key, array in sparse_members(matrix).items()]
        seed("npz_arrays", layout, MARK.join(members))
    seed("npz", "dense", saved(np.savez, a=MATRIX))
    seed("npz", "several", saved(np.savez_compressed, a=MATRIX, data=MATRIX, c=np.arange(3)))
    seed("npz_arrays", "dense", b"data\n" + saved(np.save, MATRIX) + MARK + b"b\n" + saved(np.save, np.arange(3)))
    coordinates = np.array([[0, 0, 1], [0, 2, 1]])
    arrays = {"format": np.array("coo"), "shape": np.array([2, 3]), "data": np.ones(3), "coords": coordinates}
    seed("npz_arrays", "coords", MARK.join(k.encode() + b"\n" + saved(np.save, a) for k, a in arrays.items()))


def text() -> None:
    banner = "%%MatrixMarket matrix "
    markets = {
        "coordinate": banner + "coordinate real general\n% c\n\n3 4 3\n1 1 1.5\n3 4 2e-1\n2 2 +4\n",
        "pattern": banner + "coordinate pattern symmetric\r\n3 3 3\r\n1 1\r\n2 1\r\n3 3\r\n",
        "integer": banner + "coordinate integer general\n2 2 2\n1 1 3\n1 1 4\n",
        "array": banner + "array integer general\n2 3\n1\n2\n3\n4\n5\n6\n",
        "array-symmetric": banner + "array real symmetric\n3 3\n1\n2\n3\n4\n5\n6e2\n",
    }
    tables = {
        "names": 'a,"b ""c""",d\nr,1,2.5\ns,3,4e2\n',
        "tabs": "1\t2\n\n3\t4\n",
        "blanks": "# x\n1  2 3\n4 5 6\n",
        "semicolons": ';x;y\n1;2;3\r\n"2";4;5\r\n',
        "as-r-writes": "x y\na 1 2\nb 3 4\n",
        "marked": "\ufeffgene,cell\nABC,1\n",
    }
    for name, content in markets.items():
        seed("matrix_market", name, content)
        seed("gzip", name, gzip.compress(content.encode(), mtime=0))
        features = "ENSG1\tACTB\tGene\nENSG2\tCD3E\nENSG3\tCD4\n"
        seed("ten_x_folder", name, MARK.decode().join([content, features, "AAA-1\nCCC-1\nGGG-1\nTTT-1\n"]))
    for name, content in tables.items():
        seed("table", name, content)
    seed("gzip", "table", gzip.compress(b"a,b\n1,2\n", mtime=0))
    seed("gzip", "two-members", gzip.compress(b"a,b\n1,", mtime=0) + gzip.compress(b"2\n", mtime=0))
    seed("gzip", "stored", gzip.compress(b"a,b\n1,2\n3,4\n", compresslevel=0, mtime=0))
    seed("svmlight", "usual", "1 qid:2 1:2 3:1.5e1 # x\n-1 2:4\n")
    seed("svmlight", "from-zero", "# c\n0 0:1 7:2\n1\n0 3:.5\n")
    seed("cluto", "usual", "2 3 3\n1 2 3 1.5\n2 4\n=====\na\nb\n=====\nx\ny\nz\n")
    seed("cluto", "empty-row", "3 3 2\n1 2\n\n3 1\n")
    seed("triplets", "times", "196\t242\t3\t881250949\n186\t302\t3\t891717742\n")
    seed("triplets", "colons", "1::1193::5::978300760\n1::661::3::978302109\n")
    seed("triplets", "words", "user,item,plays\nada,tea,3\nbob,\"a, b\",1\n")
    seed("bag_of_words", "usual", "2\n3\n2\n1 1 2\n2 3 1\n=====\na\nb\nc\n")


def matlab() -> None:
    for compressed in [False, True]:
        ending = "-deflated" if compressed else ""

        def save(name: str, ending=ending, compressed=compressed, **variables) -> None:
            seed("matlab", name + ending, saved(scipy.io.savemat, variables, do_compression=compressed))

        save("double", a=MATRIX)
        save("cube", a=np.arange(12.0).reshape(2, 3, 2))
        save("uint8", a=MATRIX.astype(np.uint8))
        save("single", a=MATRIX.astype(np.float32))
        save("sparse", a=scipy.sparse.csc_matrix(MATRIX))
        save("several", a=MATRIX, b=np.ones((2, 2)), text="words", cell=np.array([1, "x"], dtype=object))
        save("structure", s={"x": MATRIX})
        save("complex", a=MATRIX * 1j)


def png(bits: int, colour: int, row_bytes: int) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    palette = chunk(b"PLTE", bytes(range(12))) if colour == 3 else b""
    rows = b"".join(bytes([filter_type]) + bytes(range(row_bytes)) for filter_type in [1, 2, 3, 4])
    header = struct.pack(">IIBBBBB", 3, 4, bits, colour, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + palette + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    )


def images() -> None:
    narrow = b"P5\n3 4\n255\nabcdefabcdef"
    wide = b"P5 3 4 65535\n" + bytes(range(24))
    seed("images", "pgm", MARK.join([narrow, narrow, wide]))
    seed("images", "png-grey", png(8, 0, 3))
    seed("images", "png-grey-16", MARK.join([narrow, png(16, 0, 6)]))
    seed("images", "png-colour", png(8, 2, 9))
    seed("images", "png-palette", png(2, 3, 1))
    seed("images", "png-one-bit", png(1, 0, 1))
    # The image of one colour: quantisation, a frame of 8 x 8, one table each of DC and AC codes, and a scan.
    quantisation = b"\xff\xdb\x00\x43\x00" + bytes([16] * 64)
    frame = b"\xff\xc0\x00\x0b\x08\x00\x08\x00\x08\x01\x01\x11\x00"
    codes = b"".join(
        b"\xff\xc4\x00\x14" + bytes([kind]) + bytes([1] + [0] * 15) + b"\x00" for kind in [0x00, 0x10]
    )
    scan = b"\xff\xda\x00\x08\x01\x01\x00\x00\x3f\x00" + b"\x3f"
    seed("images", "jpeg", b"\xff\xd8" + quantisation + frame + codes + scan + b"\xff\xd9")


def tiff() -> None:
    def file(pages: list[np.ndarray], order: str = "<", compression: int = 1) -> bytes:
        data = (b"II*\0" if order == "<" else b"MM\0*") + struct.pack(order + "I", 0)
        link = 4
        for page in pages:
            pixels = page.astype(page.dtype.newbyteorder(order)).tobytes()
            pixels = zlib.compress(pixels) if compression == 8 else pixels
            at = len(data)
            data += pixels + b"\0" * (len(pixels) % 2)
            data = data[:link] + struct.pack(order + "I", len(data)) + data[link + 4 :]
            height, width = page.shape
            kind = 3 if page.dtype.kind == "f" else 1
            tags = [(256, width), (257, height), (258, 8 * page.itemsize), (259, compression), (262, 1), (273, at)]
            tags += [(277, 1), (278, height), (279, len(pixels)), (339, kind)]
            data += struct.pack(order + "H", len(tags))
            data += b"".join(struct.pack(order + "HHII", tag, 4, 1, value) for tag, value in tags)
            link = len(data)
            data += struct.pack(order + "I", 0)
        return data

    for dtype in ["u1", "u2", "u4", "f4", "f8"]:
        seed("tiff", dtype, file([MATRIX.astype(dtype), 2 * MATRIX.astype(dtype)]))
    seed("tiff", "other-order", file([MATRIX.astype("u2")], ">"))
    seed("tiff", "deflated", file([MATRIX.astype("f4")], "<", 8))


def hdf5() -> None:
    # Choices, not files: nothing odd at all, and a few that are.
    for target in ["hdf5", "h5ad", "ten_x_h5", "matlab_73"]:
        seed(target, "sound", b"\0")
        for number in range(3):
            seed(target, f"odd-{number}", np.random.default_rng(number).bytes(200))


def container() -> None:
    def block(lines: np.ndarray, letters: str) -> tuple[bytes, bytes]:
        matrix = scipy.sparse.csr_array(lines)
        data = np.diff(matrix.indptr).astype("<u4").tobytes() + matrix.indices.astype("<u4").tobytes()
        data += matrix.data.astype("<" + letters).tobytes()
        index = struct.pack("<QQI", len(lines), matrix.nnz, zlib.crc32(data)) + letters.encode() + b"\0\0"
        return data, index

    def file(parts: list[tuple[np.ndarray, str]], layout: bytes, row_names: list[str], cols: int) -> bytes:
        start = b"\x89ANMF\r\n\x1a" + struct.pack("<I", 1) + layout + b"\0\0\0"
        blocks, index = (b"".join(p) for p in zip(*(block(*part) for part in parts)))
        names = b"".join(struct.pack("<I", len(name)) + name.encode() for name in row_names)
        lines = sum(len(part[0]) for part in parts)
        nonzeros = sum(np.count_nonzero(part[0]) for part in parts)
        sizes = (lines, cols) if layout == b"r" else (cols, lines)
        end = struct.pack("<6Q", *sizes, nonzeros, len(parts), len(names), 0)
        end += struct.pack("<II", zlib.crc32(names), zlib.crc32(index))
        return start + blocks + names + index + end + struct.pack("<I", zlib.crc32(start + end)) + b"ANMF"

    for letters in ["u1", "u2", "u4", "f4", "f8"]:
        seed("container", letters, file([(np.ceil(MATRIX), letters)], b"r", [], 3))
    seed("container", "names", file([(MATRIX, "f4"), (MATRIX, "f8")], b"r", ["a", "b", "", "d"], 3))
    seed("container", "columns", file([(MATRIX, "f8"), (np.zeros((1, 3)), "u1")], b"c", [], 3))


npy()
npz()
text()
matlab()
images()
tiff()
hdf5()
container()
