# SPDX-License-Identifier: LGPL-2.1-or-later
"""What api.py asks of schemathesis: names that exist, most of the time, where a path names a camera, an element or an event, and a count of
all answers. schemathesis takes this file by SCHEMATHESIS_HOOKS."""
import collections
import json
import os
import pathlib
import random

import schemathesis

NAMES = {"camera": ["street", "gone"], "element": ["cudamog", "boxtrack", "boxrules"], "name": ["steps", "gate", "tree"]}
EVENTS = pathlib.Path(os.environ["VIGIL_EVENTS"])  # a file with a name in each line
COUNTS = pathlib.Path(os.environ["VIGIL_COUNTS"])
answers = collections.Counter()
choose = random.Random(1)


@schemathesis.hook
def map_path_parameters(_context, path_parameters):
    for key, value in (path_parameters or {}).items():
        known = EVENTS.read_text(encoding="utf-8").split() if key == "id" else NAMES.get(key)
        path_parameters[key] = choose.choice(known) if known and choose.random() < 0.8 else value
    return path_parameters


@schemathesis.hook
def after_call(_context, case, response):
    answers[f"{case.operation.method.upper()} {case.operation.path} {response.status_code}"] += 1
    COUNTS.write_text(json.dumps(answers), encoding="utf-8")
