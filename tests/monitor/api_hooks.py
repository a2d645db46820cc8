# SPDX-License-Identifier: LGPL-2.1-or-later
"""What api.py asks of schemathesis: names that exist, most of the time, where a path names a camera, an element or an event, and a count of
all answers. schemathesis takes this file by SCHEMATHESIS_HOOKS."""
import collections
import json
import os
import pathlib
import zlib

import schemathesis

NAMES = {"camera": ["street", "gone"], "label": ["dog"], "element": ["cudamog", "boxtrack", "boxrules"], "name": ["steps", "gate", "tree"]}
EVENTS = pathlib.Path(os.environ["VIGIL_EVENTS"])  # a file with a name in each line
COUNTS = pathlib.Path(os.environ["VIGIL_COUNTS"])
answers = collections.Counter()
events = EVENTS.read_text(encoding="utf-8").split()


@schemathesis.serializer("application/sdp", "application/trickle-ice-sdpfrag")
def plain_text(_context, value):
    return value.encode() if isinstance(value, str) else json.dumps(value).encode()


@schemathesis.hook
def map_path_parameters(_context, path_parameters):
    """The same value always becomes the same name: hypothesis makes each request again from its choices, and ends the run as flaky where
    another one comes of them."""
    for key, value in (path_parameters or {}).items():
        known = events if key == "id" else NAMES.get(key)
        n = zlib.crc32(repr(value).encode())
        if known and value not in known and n % 5:
            path_parameters[key] = known[n // 5 % len(known)]
    return path_parameters


@schemathesis.hook
def after_call(_context, case, response):
    answers[f"{case.operation.method.upper()} {case.operation.path} {response.status_code}"] += 1
    COUNTS.write_text(json.dumps(answers), encoding="utf-8")
