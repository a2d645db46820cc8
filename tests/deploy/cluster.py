# SPDX-License-Identifier: LGPL-2.1-or-later
"""deploy/kubernetes on a cluster of one node (node.py), whose kubelet starts the containers. The variant without a GPU watches six RTSP cameras:

- two pods become ready and have each camera once between them;
- a pod that is deleted, and a program that is killed with SIGKILL, come back with the same cameras, storage and events;
- a camera that is added to the ConfigMap is taken up by a pod that reads the change, which goes on with its others;
- a third pod takes cameras from both, and none moves between those two.

Then scan-job.yaml looks through 40 drawn clips in four shares, one pod of which is deleted; the results are byte for byte those of one pod.

cluster.py SOURCE_ROOT [monitors] [scan]. VIGIL_IMAGE names an archive of the image docker.io/library/vigil:cpu, made of deploy/container/Containerfile
(buildah push docker.io/library/vigil:cpu docker-archive:FILE:docker.io/library/vigil:cpu). Without it, a program of the cluster (found by PATH),
root or GstRtspServer it is skipped."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request

import archive
import node

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

from vigiltest import same, skip  # pylint: disable=wrong-import-position

SOURCE, IMAGE = pathlib.Path(sys.argv[1]).resolve(), os.environ.get("VIGIL_IMAGE", "")
PARTS = sys.argv[2:] or ["monitors", "scan"]

PYTHON = "/usr/bin/python3"
CAMERAS, SHARES = 6, 4
begun = time.monotonic()


def skip_unless_all_is_there():
    missing = node.missing() + ([] if pathlib.Path(IMAGE).is_file() else ["image: VIGIL_IMAGE names none"])
    if subprocess.run([PYTHON, "-c", "import gi; gi.require_version('GstRtspServer', '1.0')"], capture_output=True, check=False).returncode:
        missing.append("GstRtspServer")
    if missing:
        skip(f"no {', '.join(missing)}")


def say(*words):
    print(f"{time.monotonic() - begun:6.1f} s:", *words, flush=True)


def volume(name, place):
    """A folder of this node as a volume; kubelet gives a local one to the pod's group, where the pod names one."""
    place.mkdir(parents=True)
    return {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": name}, "spec": {
        "capacity": {"storage": "100Gi"}, "accessModes": ["ReadWriteOnce", "ReadWriteMany"], "local": {"path": str(place)},
        "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [
            {"key": "kubernetes.io/hostname", "operator": "In", "values": [node.NAME]}]}]}}}}


class Monitors:
    """The StatefulSet of deploy/kubernetes/cpu with this configuration."""

    def __init__(self, cluster):
        self.cluster = cluster
        shutil.copytree(SOURCE / "deploy/kubernetes", cluster.folder / "kubernetes")
        self.overlay = cluster.folder / "kubernetes/here"
        self.overlay.mkdir()
        cluster.kubectl("apply", "-f", SOURCE / "deploy/kubernetes/secret.example.yaml")

    def apply(self, count, cameras=CAMERAS):
        (self.overlay / "monitor.yaml").write_text(
            "http: {listen: 0.0.0.0:8090, token_file: /run/vigil/tokens}\nstorage: {path: /var/lib/vigil, min_free: 10MB}\n"
            "record: {pre_capture: 1, post_capture: 1, max_clip: 3}\ncameras:\n" + "".join(
                f"  cam{i}: {{source: 'rtsp://{node.ADDRESS}:8554/cam{i}'}}\n" for i in range(cameras)), encoding="utf-8")
        (self.overlay / "kustomization.yaml").write_text(json.dumps({
            "apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization", "namespace": "vigil", "resources": ["../cpu"],
            "replicas": [{"name": "vigil-monitor", "count": count}],
            "configMapGenerator": [
                {"name": "vigil-monitor", "behavior": "replace", "files": ["monitor.yaml"], "options": {"disableNameSuffixHash": True}},
                {"name": "vigil-shards", "behavior": "replace", "literals": [f"COUNT={count}"]}],
            "patches": [{"target": {"kind": "StatefulSet"}, "patch": json.dumps([
                {"op": "replace", "path": "/spec/template/spec/containers/0/resources/requests", "value": {"cpu": "100m", "memory": "256Mi"}}])}]}),
            encoding="utf-8")
        self.cluster.kubectl("apply", "-k", self.overlay)
        self.cluster.kubectl("-n", "vigil", "rollout", "status", "statefulset/vigil-monitor", "--timeout", "480s", seconds=500)

    def pod(self, i):
        return self.cluster.get("-n", "vigil", "pod", f"vigil-monitor-{i}")

    def ask(self, i, path, method="GET"):
        """A pod's answer, by its own address, from the node."""
        request = urllib.request.Request(f"http://{self.pod(i)['status']['podIP']}:8090{path}", method=method,
                                         headers={"Authorization": "Bearer change-me-to-a-long-word"})
        with urllib.request.urlopen(request, timeout=20) as answer:
            return json.load(answer)

    def cameras(self, i):
        return sorted(c["name"] for c in self.ask(i, "/api/cameras"))

    def shares(self, count, cameras=CAMERAS):
        found = [self.cameras(i) for i in range(count)]
        same(sorted(sum(found, [])), [f"cam{i}" for i in range(cameras)], "each camera is watched once")
        return found

    def finished(self, i):
        return {e["id"] for e in self.ask(i, "/api/events?limit=500")["events"] if e["end_time"] is not None}

    def some_finished(self, i):
        return self.cluster.wait_for(f"vigil-monitor-{i} has finished events", lambda: self.finished(i))

    def back(self, i, before, what):
        """Once the pod is another one than before, or its program another, and ready: nothing else changed."""
        def is_ready():
            try:
                pod = self.pod(i)
            except AssertionError:  # between the old one and the new
                return False
            [state] = pod["status"].get("containerStatuses") or [{"ready": False, "restartCount": -1}]
            return (pod["metadata"]["uid"], state["restartCount"]) != before and state["ready"]
        start = time.monotonic()
        self.cluster.wait_for(what, is_ready, 180)
        say(f"{what} after {time.monotonic() - start:.1f} s")


def monitors(cluster):
    cluster.apply([volume(f"storage-{i}", cluster.folder / f"storage-{i}") for i in range(3)])
    with subprocess.Popen([PYTHON, SOURCE / "tests/monitor/camera_server.py", "8554", node.ADDRESS, str(CAMERAS + 1)], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, text=True) as cameras:
        same(cameras.stdout.readline(), "ready\n", "the camera server's first words")
        m = Monitors(cluster)
        shares = start_two(m)
        lose_a_pod_and_a_program(m, shares)
        reload(m, shares)
        add_a_pod(m)
        cluster.kubectl("-n", "vigil", "delete", "statefulset", "vigil-monitor")
        cameras.terminate()


def start_two(m):
    m.apply(2)
    shares = m.shares(2)
    say("two pods are ready, their cameras:", shares)
    assert all(shares), "a pod without a camera shows nothing"
    return shares


def lose_a_pod_and_a_program(m, shares):
    for i in range(2):
        events = m.some_finished(i)
        pod = m.pod(i)
        before = pod["metadata"]["uid"], pod["status"]["containerStatuses"][0]["restartCount"]
        if i == 0:
            m.cluster.kubectl("-n", "vigil", "delete", "pod", "vigil-monitor-0", "--wait=false")
            m.back(i, before, "a deleted pod is back and ready")
        else:
            os.kill(process_of(pod), signal.SIGKILL)
            m.back(i, before, "a killed program is back and ready")
        same(m.cameras(i), shares[i], "the same cameras as before")
        same(events - m.finished(i), set(), "events that are gone")
    say("the same cameras, volumes and events")


def reload(m, shares):
    m.apply(2, CAMERAS + 1)
    uids = [m.pod(i)["metadata"]["uid"] for i in range(2)]

    def taken_up():
        m.ask(0, "/api/reload", "POST")
        m.cluster.kubectl("-n", "vigil", "exec", "vigil-monitor-1", "-c", "vigil-monitor", "--", "sh", "-c", "kill -HUP 1")
        return sum(len(m.cameras(i)) for i in range(2)) == CAMERAS + 1
    m.cluster.wait_for("the new camera is watched", taken_up, 180)
    now = m.shares(2, CAMERAS + 1)
    same([[c for c in n if c != f"cam{CAMERAS}"] for n in now], shares, "the other cameras")
    same([m.pod(i)["metadata"]["uid"] for i in range(2)], uids, "the pods")
    say("a camera more in the ConfigMap, taken up without a restart:", now)


def add_a_pod(m):
    before = m.shares(2, CAMERAS + 1)
    m.apply(3, CAMERAS + 1)
    after = m.shares(3, CAMERAS + 1)
    say("three pods:", after)
    for i in range(2):
        same([c for c in after[i] if c not in before[i]], [], f"cameras that came to vigil-monitor-{i} from the other")
    assert after[2], "the third has none"


def process_of(pod):
    """The number of the pod's program; containerd knows it."""
    container = pod["status"]["containerStatuses"][0]["containerID"].removeprefix("containerd://")
    for line in subprocess.run(["ctr", "-n", "k8s.io", "tasks", "ls"], capture_output=True, text=True, check=True).stdout.splitlines():
        if line.split()[0] == container:
            return int(line.split()[1])
    raise AssertionError("no such task")


def ended(cluster, job):
    conditions = cluster.get("-n", "vigil", "job", job)["status"].get("conditions", [])
    return next((c["type"] for c in conditions if c["type"] in ("Complete", "Failed") and c["status"] == "True"), None)


def scan_job(cluster):
    places = cluster.folder / "volumes"
    cluster.apply([volume(name, places / name) for name in ("archive", "results", "results-whole")])
    clips = places / "archive"
    archive.draw(clips)
    (clips / "files.txt").write_text("".join(f"/archive/clips/{i:02}.avi\n" for i in range(archive.CLIPS)), encoding="utf-8")
    cluster.apply([{"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name, "namespace": "vigil"}, "spec": {
        "volumeName": name, "accessModes": ["ReadWriteMany"], "storageClassName": "", "resources": {"requests": {"storage": "1Gi"}}}}
                   for name in ("archive", "results", "results-whole")])
    for name, shares in ("results-whole", 1), ("results", SHARES):
        job = json.loads(cluster.kubectl("create", "--dry-run=client", "-o", "json", "-f", SOURCE / "deploy/kubernetes/scan-job.yaml"))
        job["metadata"]["name"] = name
        job["spec"].update(completions=shares, parallelism=2, maxFailedIndexes=1)
        pod = job["spec"]["template"]["spec"]
        [container] = pod["containers"]
        container["image"] = "vigil:cpu"
        container["args"] = [a.replace("/100", f"/{shares}") for a in container["args"]]
        container["resources"] = {"requests": {"cpu": "100m", "memory": "256Mi"}}
        pod["volumes"] = [{**v, "persistentVolumeClaim": {"claimName": name}} if v["name"] == "results" else v for v in pod["volumes"]]
        cluster.apply([job])
        if shares > 1:
            cluster.wait_for("some clips are done", lambda: archive.finished(places / "results") > 3)
            victim = cluster.get("-n", "vigil", "pods", "-l", f"job-name={name}", "--field-selector", "status.phase=Running")["items"][0]
            cluster.kubectl("-n", "vigil", "delete", "pod", victim["metadata"]["name"], "--grace-period=0", "--force")
            say(f"{victim['metadata']['name']} deleted with {archive.finished(places / 'results')} of {archive.CLIPS} clips done")
        end = cluster.wait_for(f"the end of the job {name}", lambda: ended(cluster, name), 600)
        same(end, "Complete", f"the job {name}")
        say(f"the job with {shares} share(s) is complete")
    whole, parts = (archive.results(places / name) for name in ("results-whole", "results"))
    same(len(whole), archive.CLIPS + 1, "results")
    same(whole, parts, "the bytes of the results")
    say(f"{len(parts) - 1} results of {SHARES} pods, the bytes of one pod")


def main():
    skip_unless_all_is_there()
    folder = node.run_apart()
    cluster = node.Node(folder)
    try:
        cluster.start([IMAGE])
        say(cluster.kubectl("get", "nodes", "-o", "wide").splitlines()[-1])
        cluster.kubectl("apply", "-f", SOURCE / "deploy/kubernetes/base/namespace.yaml")
        if "monitors" in PARTS:
            monitors(cluster)
        if "scan" in PARTS:
            scan_job(cluster)
    except (AssertionError, subprocess.SubprocessError, urllib.error.URLError):
        print(cluster.kubectl("get", "pods", "-A", "-o", "wide", check=False), cluster.kubectl("get", "events", "-A", check=False)[-4000:],
              *(cluster.kubectl("-n", "vigil", "logs", "-l", label, "--tail", "20", check=False)
                for label in ("app.kubernetes.io/name=vigil-monitor", "batch.kubernetes.io/job-name")), sep="\n")
        raise
    finally:
        cluster.stop()
    print("all good")


main()
