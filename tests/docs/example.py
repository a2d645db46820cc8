# SPDX-License-Identifier: LGPL-2.1-or-later
"""The embedding example runs, sees motion begin and end, and refuses a pipeline that it cannot use."""
import subprocess
import sys

good = subprocess.run([sys.argv[1]], capture_output=True, text=True, timeout=120, check=False)
print(good.stdout, good.stderr)
assert good.returncode == 0 and "motion-begin at" in good.stdout and "motion-end at" in good.stdout
assert "moving objects at once" in good.stdout
bad = subprocess.run([sys.argv[1], "fakesrc ! fakesink"], capture_output=True, text=True, timeout=60, check=False)
assert bad.returncode == 1 and "watch" in bad.stderr
