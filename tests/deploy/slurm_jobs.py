# SPDX-License-Identifier: LGPL-2.1-or-later
"""deploy/slurm/scan.sbatch under Slurm on this machine: an array of four tasks over 40 drawn clips, the program of one of them killed with
SIGKILL, the array submitted again, and the results byte for byte those of a single process.

slurm_jobs.py SOURCE_ROOT VIGIL_SCAN. Starts munged, slurmctld and slurmd of its own, with configuration, key and state in a folder of
its own. Needs Debian's packages slurmctld, slurmd, slurm-client and munge, and root; without, it is skipped."""
import contextlib
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

import archive

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

from vigiltest import free_port, skip, wait_for  # pylint: disable=wrong-import-position

missing = [p for p in ("munged", "slurmctld", "slurmd", "sbatch", "scontrol") if not shutil.which(p, path=os.environ["PATH"] + ":/usr/sbin")]
if missing or os.geteuid() != 0:
    skip(f"no {', '.join(missing)}" if missing else "slurmd needs root")
os.environ["PATH"] += ":/usr/sbin"
version = int(re.search(r"(\d+)\.", subprocess.run(["slurmd", "-V"], capture_output=True, text=True, check=True, timeout=60).stdout)[1])
# Debian 12's 22.05 needs no control groups, from 24 on they can be switched off.
if version == 23 and not os.path.ismount("/sys/fs/cgroup"):
    skip("slurmd 23 wants control groups, and none are mounted on /sys/fs/cgroup")
root, scan = pathlib.Path(sys.argv[1]), sys.argv[2]
TASKS = 4


def configuration(folder):
    host = socket.gethostname().split(".")[0]
    return f"""ClusterName=vigil
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={free_port()}
SlurmdPort={free_port()}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
ReturnToService=2
NodeName={host} NodeAddr=127.0.0.1 CPUs={2 * TASKS} RealMemory=65536 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


@contextlib.contextmanager
def running(folder, *command):
    """A daemon in the foreground, which is asked to end, and then killed."""
    with open(folder / f"{command[0]}.log", "w", encoding="utf-8") as log, \
            subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT) as process:
        try:
            yield process
        finally:
            process.terminate()
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()


def ask(*command):
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


def states(job):
    """The state of each task of an array."""
    lines = ask("scontrol", "--oneliner", "show", "job", job).stdout.splitlines()
    return sorted(re.search(r"JobState=(\w+)", line)[1] for line in lines if line)


def ended(job):
    now = states(job)
    return len(now) == TASKS and not {"PENDING", "RUNNING", "COMPLETING", "CONFIGURING"} & set(now)


def submit(folder, out, files):
    result = ask("sbatch", "--parsable", f"--array=0-{TASKS - 1}", f"--output={folder}/job-%a.log", root / "deploy/slurm/scan.sbatch", out, files)
    if result.returncode:
        raise AssertionError(result.stderr)
    return result.stdout.strip()


def array_with_a_kill(folder, files):
    out = folder / "shared"
    first, killed = submit(folder, out, files), False
    deadline = time.monotonic() + 300
    while not killed and not ended(first) and time.monotonic() < deadline:
        done = archive.finished(out)
        if done >= 4 and (pid := archive.program_of(scan, out)):
            os.kill(pid, signal.SIGKILL)
            killed = True
            print(f"killed the program of a task after {done} of {archive.CLIPS} clips")
    wait_for("the array's end", lambda: ended(first), 600)
    print(f"the array ended: {', '.join(states(first))}; {archive.finished(out)} of {archive.CLIPS} clips are done")
    if not killed or states(first) != ["COMPLETED"] * (TASKS - 1) + ["FAILED"] or archive.finished(out) == archive.CLIPS:
        raise AssertionError("one task was to be killed in the middle, and the others to complete")
    again = submit(folder, out, files)
    wait_for("the second array's end", lambda: ended(again), 600)
    print(f"submitted again: {', '.join(states(again))}")
    if archive.results(out) != archive.results(folder / "one"):
        raise AssertionError("the results differ from those of a single process")
    print(f"{archive.finished(out)} results, the same bytes as of a single process")


def main(folder):
    files = archive.draw(folder)
    subprocess.run([scan, "--out", folder / "one", "--list", files], check=True, timeout=600)
    for name in ("state", "spool"):
        (folder / name).mkdir()
    (folder / "slurm.conf").write_text(configuration(folder), encoding="utf-8")
    if version >= 24:  # a container or chroot has no control groups
        (folder / "cgroup.conf").write_text("CgroupPlugin=disabled\n", encoding="utf-8")
    (folder / "munge.key").write_bytes(os.urandom(128))
    os.chmod(folder / "munge.key", 0o600)
    os.environ.update(SLURM_CONF=str(folder / "slurm.conf"), VIGIL_SCAN=scan)
    with contextlib.ExitStack() as daemons:
        daemons.enter_context(running(folder, "munged", "--foreground", "--force", f"--key-file={folder}/munge.key", f"--socket={folder}/munge.socket",
                                      f"--pid-file={folder}/munge.pid", f"--log-file={folder}/munge.log", f"--seed-file={folder}/munge.seed"))
        wait_for("munged", (folder / "munge.socket").exists)
        daemons.enter_context(running(folder, "slurmctld", "-D", "-i", "-f", folder / "slurm.conf"))
        daemons.enter_context(running(folder, "slurmd", "-D", "-f", folder / "slurm.conf"))
        wait_for("an idle node", lambda: "idle" in ask("sinfo", "--noheader", "--format=%t").stdout.split())
        array_with_a_kill(folder, files)


with tempfile.TemporaryDirectory(prefix="vigil-slurm-", ignore_cleanup_errors=True) as work:
    try:
        main(pathlib.Path(work))
    except BaseException:
        for log in sorted(pathlib.Path(work).glob("*.log")):
            print(f"--- {log.name}", "".join(log.read_text(encoding="utf-8", errors="replace").splitlines(True)[-20:]), sep="\n")
        raise
print("all good")
