# SPDX-License-Identifier: LGPL-2.1-or-later
"""Masks of a method of pybgs (PyPI) with its defaults, for weather.py --other.
Usage: pybgs_masks.py METHOD WIDTH HEIGHT, METHOD as pybgs calls it (SuBSENSE, PAWCS).

Reads frames in BGR from standard input, writes a mask of bytes for each to standard output. What the method prints goes to standard error.
"""
import os
import sys
import tempfile

import numpy
import pybgs

method, width, height = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
masks = os.fdopen(os.dup(1), "wb")
os.dup2(2, 1)
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    os.mkdir("config")  # where pybgs writes its defaults, and reads them
    model = getattr(pybgs, method)()
    while len(data := sys.stdin.buffer.read(width * height * 3)) == width * height * 3:
        mask = model.apply(numpy.frombuffer(data, numpy.uint8).reshape(height, width, 3))
        masks.write(numpy.zeros((height, width), numpy.uint8) if mask is None or not mask.size else mask)
masks.close()
os._exit(0)  # pybgs' own end is not awaited
