#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Elements under GstValidate, which watches each pad: order of events, segments, times, flushes, caps.

scenarios.py SCENARIO WRITER ELEMENT...   plays the scenario with each element; WRITER makes gpufisher's model

GstValidate is a part of GStreamer (gst-devtools) that Debian and Ubuntu do not package; without gst-validate-1.0
the test is skipped (exit status 77).
"""
import os
import shutil
import subprocess
import sys
import tempfile

SETTINGS = {
    'boxrules': [['draw=true']],
    'boxtrack': [[]],
    'clbilateral': [['backend=opencl', 'tune=off', 'async-depth=2']],
    'clfilter': [['tune=off', 'async-depth=2', 'chain=gaussian sigma=1 ! invert']],
    'clhistogram': [['overlay=true', 'async-depth=2']],
    'cudamog': [['backend=cpu', 'async-depth=2'], ['backend=cpu', 'async-depth=2', 'output=passthrough']],
    'glcolinearseg': [['backend=cpu', 'async-depth=2', 'background-frames=2'],
                      ['backend=opengl', 'background-frames=2']],
    'gpufisher': [['backend=cpu', 'async-depth=2', 'model-location={model}']],
}


def play(tool, scenario, element):
    """Whether GstValidate found nothing to complain of."""
    pipeline = ['scenetestsrc', 'name=source', 'num-buffers=75', '!', 'capsfilter', 'name=size',
                'caps=video/x-raw,format=RGBA,width=160,height=120', '!', *element, '!', 'fakesink', 'sync=true']
    run = subprocess.run([tool, '--set-scenario', scenario, *pipeline], timeout=150, capture_output=True, text=True,
                         check=False)
    good = run.returncode == 0 and 'Issues found: 0' in run.stdout
    print('passed:' if good else 'FAILED:', *element, flush=True)
    if not good:
        print(run.stdout[-4000:], run.stderr[-4000:], sep='\n')
    return good


def main():
    scenario, writer, elements = sys.argv[1], sys.argv[2], sys.argv[3:]
    tool = shutil.which('gst-validate-1.0')
    if not tool:
        print('SKIP: gst-validate-1.0 is not installed (gst-devtools of GStreamer, which Debian does not package)')
        return 77
    with tempfile.TemporaryDirectory() as folder:
        model = os.path.join(folder, 'model')
        subprocess.run([writer, model], check=True)
        return 0 if all([play(tool, scenario, [name, *(word.format(model=model) for word in settings)])
                         for name in elements for settings in SETTINGS[name]]) else 1


if __name__ == '__main__':
    sys.exit(main())
