# SPDX-License-Identifier: LGPL-2.1-or-later
"""What git says of a clone. Empty where git is not installed, and where the files are no clone."""
import subprocess


def git(root, *words):
    try:
        done = subprocess.run(["git", "-C", root, *words], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return ""
    return "" if done.returncode else done.stdout
