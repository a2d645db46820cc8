# SPDX-License-Identifier: LGPL-2.1-or-later
"""Imported first by the tests' cameras: with VIGIL_TEST_PRELOAD (./run sanitize) the program starts again with those libraries, since a
sanitized plugin cannot be loaded without them."""
import os
import sys

if os.environ.get("VIGIL_TEST_PRELOAD", "") not in os.environ.get("LD_PRELOAD", ""):
    os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, "LD_PRELOAD": os.environ["VIGIL_TEST_PRELOAD"]})
