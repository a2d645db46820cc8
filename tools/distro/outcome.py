# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the tests of ./run distro came to: those that failed, those skipped for want of a GPU as a count, and all else
that was skipped, whole or in part, with its reason. Usage: outcome.py TESTLOG_JSON SUMMARY_PY"""
import re
import subprocess
import sys

GPU = re.compile(r"no CUDA|CUDA device|CUDA driver|libcuda|NVIDIA|no GPU|second CUDA", re.I)

said = subprocess.run([sys.executable, sys.argv[2], sys.argv[1]], capture_output=True, text=True, check=False).stdout.splitlines()
without_gpu, failed, others = [], [], []
for line in said:
    if line.startswith("FAILED: "):
        failed.append(line)
    elif line.startswith("SKIPPED"):
        part, what = line.startswith("SKIPPED in part"), line.split(": ", 1)[1]
        if GPU.search(what):
            without_gpu.append(what.split(": ")[0].rsplit(":", 1)[-1] + (" (in part)" if part else ""))
        else:
            others.append(f"SKIPPED{' in part' if part else ''}: {what[:200]}")
print("\n".join(failed + others))
if without_gpu:
    print(f"skipped for want of a GPU, {len(without_gpu)}: {', '.join(without_gpu)}")
