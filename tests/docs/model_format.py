# SPDX-License-Identifier: LGPL-2.1-or-later
"""The Python example of docs/reference/model-format.md reads what vigil-train writes, and writes what vigil-train reads.
Usage: model_format.py VIGIL_TRAIN docs/reference/model-format.md"""
import pathlib
import re
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ImportError:
    print("SKIPPED: numpy is not installed")
    sys.exit(77)

program, page = sys.argv[1:]
exec(re.search(r"```python\n(.*?)```", pathlib.Path(page).read_text(encoding="utf-8"), re.S)[1])  # pylint: disable=exec-used


def run(*arguments, status=0):
    result = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, timeout=60, check=False)
    assert result.returncode == status, result.stdout + result.stderr
    return result.stdout + result.stderr


rng = np.random.default_rng(1)
P, N = 5, 4
book = {"projection": rng.normal(size=(P, 128)), "means": rng.normal(size=(N, P + 2)),
        "covariances": rng.uniform(0.1, 1, (N, P + 2)), "priors": np.full(N, 1 / N), "mean": rng.normal(size=128)}
with tempfile.TemporaryDirectory() as folder:
    npz, model, other = (pathlib.Path(folder) / n for n in ("a.npz", "a.model", "b.model"))
    for save in np.savez, np.savez_compressed:
        for change in (lambda a: a), (lambda a: a.astype(np.float32)), np.asfortranarray:
            save(npz, **{k: change(v) for k, v in book.items()})
            run("import", "-o", model, npz)
            arrays = read_model(model)  # noqa: F821
            assert all(np.array_equal(arrays[k], v.astype(np.float32)) for k, v in book.items())
    arrays = dict(arrays, classes=np.frombuffer(b"running\n", np.uint8), bias=np.zeros(1, np.float32),
                  weights=np.ones((1, 2 * N * (P + 2)), np.float32), begin=np.ones(1, np.float32),
                  end=np.zeros(1, np.float32), baseline=np.int32(7), another=np.arange(3))
    arrays.pop("another")
    write_model(other, arrays)  # noqa: F821
    assert "class running" in run("describe", other)
    arrays["covariances"] = -arrays["covariances"]
    write_model(other, arrays)  # noqa: F821
    assert "variances is -" in run("describe", other, status=1)

    # What a .npz claims is not believed.
    for name, bad, says in [("means", book["means"][:, :3], "means has another shape"),
                            ("projection", book["projection"][:, :7], "projection has another shape"),
                            ("covariances", book["covariances"][:2], "covariances has another shape"),
                            ("covariances", book["covariances"] * np.nan, "variances is nan"),
                            ("priors", np.full(N, 1.0), "priors sum to 4"), ("priors", np.arange(N), "of type <i8"),
                            ("mean", np.zeros((128, 1, 1)), "not those of its shape"),
                            ("means", np.zeros((200000, P + 2)), "larger than any codebook's")]:
        np.savez_compressed(npz, **dict(book, **{name: bad}))
        said = run("import", "-o", model, npz, status=1)
        assert says in said, said
    np.savez(npz, **{k: v for k, v in book.items() if k != "priors"})
    assert "no array 'priors'" in run("import", "-o", model, npz, status=1)
    good = pathlib.Path(npz).read_bytes()
    for cut in range(0, len(good), 97):
        npz.write_bytes(good[:cut])
        run("import", "-o", model, npz, status=1)
    changed = bytearray(good)
    for _ in range(100):
        changed = bytearray(good)
        changed[rng.integers(len(good))] ^= 1 << rng.integers(8)
        npz.write_bytes(changed)
        run("import", "-o", model, npz, status=1)  # at least the array that is not there
print("read, written, imported")
