# SPDX-License-Identifier: LGPL-2.1-or-later
"""VLFeat's dense SIFT, Gaussian mixture and Fisher vectors, and liblinear's SVM, called in their C libraries.

The comparison programs of this folder compare Vigil with it. numpy is needed; the libraries are Debian's libvlfeat1 and
liblinear4, or what VLFEAT_LIB and LIBLINEAR_LIB name (a build of VLFeat with its SIMD kernels is twice as fast).
"""
import ctypes
import os

import numpy as np

VL_TYPE_FLOAT = 1
FISHER_IMPROVED = 3  # VL_FISHER_FLAG_IMPROVED: signed square root, then L2
SCALES = {n: [2 ** (0.5 - 0.5 * i) for i in range(8)] for n in (8,)}
SCALES[9] = [2 ** (1 - 0.5 * i) for i in range(9)]
SCALES[7] = [2 ** (-0.5 * i) for i in range(7)]


class Geometry(ctypes.Structure):
    _fields_ = [(n, ctypes.c_int) for n in ("bins_t", "bins_x", "bins_y", "bin_size_x", "bin_size_y")]


class Filter(ctypes.Structure):
    """VlDsiftFilter, as far as it is read here (vl/dsift.h)."""
    _fields_ = ([(n, ctypes.c_int) for n in ("width", "height", "step_x", "step_y", "min_x", "min_y", "max_x", "max_y")] +
                [("geometry", Geometry), ("flat_window", ctypes.c_int), ("window_size", ctypes.c_double),
                 ("count", ctypes.c_int), ("size", ctypes.c_int), ("frames", ctypes.POINTER(ctypes.c_double)),
                 ("descriptors", ctypes.POINTER(ctypes.c_float))])


def library():
    vl = ctypes.CDLL(os.environ.get("VLFEAT_LIB", "libvl.so.1"))
    vl.vl_dsift_new_basic.restype = ctypes.POINTER(Filter)
    vl.vl_gmm_new.restype = ctypes.c_void_p
    vl.vl_gmm_cluster.restype = vl.vl_gmm_em.restype = ctypes.c_double
    for name in "means", "covariances", "priors":
        getattr(vl, "vl_gmm_get_" + name).restype = ctypes.c_void_p
    vl.vl_fisher_encode.restype = ctypes.c_size_t
    vl.vl_get_rand.restype = ctypes.c_void_p
    return vl


VL = library()


def resampling(size, to):
    """The matrix that resizes a line of `size` pixels to `to` ones by a triangle that widens when it shrinks."""
    scale = to / size
    width = max(1.0, 1 / scale)
    centre = (np.arange(to) + 0.5) / scale - 0.5
    w = np.maximum(0, 1 - np.abs(np.arange(size)[None, :] - centre[:, None]) / width)
    return (w / w.sum(1, keepdims=True)).astype(np.float32)


_matrices = {}


def resize(image, scale):
    key = image.shape, scale
    if key not in _matrices:
        _matrices[key] = [resampling(n, max(1, round(n * scale))) for n in image.shape]
    rows, columns = _matrices[key]
    return np.ascontiguousarray(rows @ image @ columns.T)


def describe(image, scales, step=4, bin_size=4, contrast=0.005):
    """Descriptors (T, 128) of a grey picture with values 0..1, and their centres (T, 2) in -0.5..0.5."""
    window = 3 * bin_size + 1
    all_descriptors, all_places = [], []
    for scale in scales:
        small = resize(image, scale) if scale != 1 else np.ascontiguousarray(image, np.float32)
        height, width = small.shape
        if min(height, width) < window:
            continue
        f = VL.vl_dsift_new_basic(ctypes.c_int(width), ctypes.c_int(height), ctypes.c_int(step), ctypes.c_int(bin_size))
        f.contents.flat_window = 1
        VL.vl_dsift_process(f, small.ctypes.data_as(ctypes.c_void_p))
        n = f.contents.count
        d = np.ctypeslib.as_array(f.contents.descriptors, (n, 128)).copy()
        frames = np.ctypeslib.as_array(f.contents.frames, (n, 4)).copy()
        VL.vl_dsift_delete(f)
        d[frames[:, 3] < contrast] = 0
        all_descriptors.append(d)
        all_places.append((frames[:, :2] + 0.5) / [width, height] - 0.5)
    return np.concatenate(all_descriptors), np.concatenate(all_places).astype(np.float32)


def _pointer(a):
    return a.ctypes.data_as(ctypes.c_void_p)


def expectation_maximisation(x, priors, means, variances, floor, iterations):
    """The log-likelihood of all rows of x after so many iterations at most from this mixture."""
    x = np.ascontiguousarray(x, np.float32)
    n, d = x.shape
    g = ctypes.c_void_p(VL.vl_gmm_new(ctypes.c_int(VL_TYPE_FLOAT), ctypes.c_size_t(d), ctypes.c_size_t(len(priors))))
    start = [np.ascontiguousarray(a, np.float32) for a in (priors, means, variances)]
    for name, a in zip(("priors", "means", "covariances"), start):
        getattr(VL, "vl_gmm_set_" + name)(g, _pointer(a))
    lowest = np.ascontiguousarray(floor, np.float64)
    VL.vl_gmm_set_covariance_lower_bounds(g, _pointer(lowest))
    VL.vl_gmm_set_max_num_iterations(g, ctypes.c_size_t(iterations))
    likelihood = VL.vl_gmm_em(g, _pointer(x), ctypes.c_size_t(n))
    VL.vl_gmm_delete(g)
    return likelihood


class Codebook:
    """PCA and mixture as numpy arrays: mean (128), projection (D, 128), means, covariances (N, D + 2), priors (N)."""

    def __init__(self, **arrays):
        self.__dict__.update({k: np.ascontiguousarray(v, np.float32) for k, v in arrays.items()})

    @staticmethod
    def train(descriptors, places, components=256, dimensions=80, seed=1):
        mean = descriptors.mean(0, dtype=np.float64)
        _, vectors = np.linalg.eigh(np.cov(descriptors.T.astype(np.float64)))
        book = Codebook(mean=mean, projection=vectors[:, ::-1][:, :dimensions].T, means=[], covariances=[], priors=[])
        x = book.project(descriptors, places)
        VL.vl_rand_seed(ctypes.c_void_p(VL.vl_get_rand()), ctypes.c_uint(seed))
        n, d = x.shape
        g = ctypes.c_void_p(VL.vl_gmm_new(ctypes.c_int(VL_TYPE_FLOAT), ctypes.c_size_t(d), ctypes.c_size_t(components)))
        VL.vl_gmm_set_covariance_lower_bound(g, ctypes.c_double(float(x.var(0).max()) * 1e-4))
        VL.vl_gmm_cluster(g, _pointer(x), ctypes.c_size_t(n))

        def array(name, *shape):
            at = getattr(VL, "vl_gmm_get_" + name)(g)
            return np.ctypeslib.as_array(ctypes.cast(at, ctypes.POINTER(ctypes.c_float)), shape).copy()
        book.means, book.covariances = array("means", components, d), array("covariances", components, d)
        book.priors = array("priors", components)
        VL.vl_gmm_delete(g)
        return book

    def project(self, descriptors, places):
        return np.ascontiguousarray(np.concatenate([(descriptors - self.mean) @ self.projection.T, places], 1), np.float32)

    def encode(self, descriptors, places):
        x = self.project(descriptors, places)
        n, d = self.means.shape
        out = np.empty(2 * n * d, np.float32)
        VL.vl_fisher_encode(_pointer(out), ctypes.c_int(VL_TYPE_FLOAT), _pointer(self.means), ctypes.c_size_t(d),
                            ctypes.c_size_t(n), _pointer(self.covariances), _pointer(self.priors), _pointer(x),
                            ctypes.c_size_t(len(x)), ctypes.c_int(FISHER_IMPROVED))
        return out
