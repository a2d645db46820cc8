# SPDX-License-Identifier: LGPL-2.1-or-later
"""A Kubernetes cluster of one node on this machine: etcd, kube-apiserver, kube-controller-manager, kube-scheduler, containerd and kubelet.

They run in network, mount and process namespaces of their own: when the program that started them ends, they and their pods end, and
their mounts, interfaces and addresses go with them. What they write lies in a folder that is removed, and so are their cgroups. Needs root."""
import contextlib
import json
import os
import pathlib
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import pause_image

PROGRAMS = ("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubelet", "kubectl", "containerd", "ctr", "runc", "openssl", "cc",
            "unshare", "ip", "mount")
PLUGINS = pathlib.Path("/usr/lib/cni")
ADDRESS = "10.77.0.1"
NAME = "node-0"
INSIDE = "VIGIL_TEST_NODE"
CGROUPS = pathlib.Path("/sys/fs/cgroup")
PAUSE = "localhost/pause:1"


def missing():
    """What the cluster needs and this machine has not."""
    there = [p for p in PROGRAMS if not shutil.which(p)]
    there += [f"{PLUGINS}/{p}" for p in ("bridge", "host-local", "loopback") if not (PLUGINS / p).exists()]
    return there + ([] if os.geteuid() == 0 else ["root"])


def run_apart():
    """Starts this program again in namespaces of its own and ends with its status; returns, inside, the folder for all that is written."""
    if INSIDE in os.environ:
        return pathlib.Path(os.environ[INSIDE])
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    folder = pathlib.Path(tempfile.mkdtemp(prefix="vigil-node-", dir="/var/tmp"))
    is_v2 = (CGROUPS / "cgroup.controllers").exists()
    groups = [c / folder.name for c in ([CGROUPS] if is_v2 else CGROUPS.iterdir()) if (c / "cgroup.procs").exists()]
    try:
        for g in groups:
            g.mkdir()
        status = subprocess.run(["unshare", "--mount", "--net", "--pid", "--fork", "--kill-child", "--mount-proc", sys.executable, *sys.argv],
                                env={**os.environ, INSIDE: str(folder)}, check=False).returncode
    finally:
        for g in groups:
            remove_group(g)
        shutil.rmtree(folder)
    sys.exit(status)


def remove_group(group):
    """A cgroup and those in it. The processes were killed, but may not be gone yet."""
    for d in sorted((p for p in [group, *group.rglob("*")] if p.is_dir()), key=lambda p: -len(p.parts)):
        for _ in range(100):
            try:
                d.rmdir()
                break
            except OSError:
                time.sleep(0.1)


class Node:
    """After start() the cluster is there, and kubectl() asks it; stop() ends the daemons."""

    def __init__(self, folder):
        self.folder = folder
        self.processes = []
        self.socket = "/run/containerd/containerd.sock"
        self.token = secrets.token_hex(16)
        self.kubeconfig = folder / "kubeconfig"

    # ---- what there must be before the daemons

    def prepare(self):
        (self.folder / "logs").mkdir()
        subprocess.run(["mount", "--make-rshared", "/"], check=True)  # of our namespace: kubelet hands mounts on to containers
        for place in "/run", "/var/lib", "/var/log":
            subprocess.run(["mount", "-t", "tmpfs", "none", place], check=True)
        for words in ("link set lo up", "link add node type veth peer name outside", f"addr add {ADDRESS}/24 dev node", "link set node up",
                      "link set outside up", "route add default dev node"):
            subprocess.run(["ip", *words.split()], check=True)
        pathlib.Path("/proc/sys/net/ipv4/ip_forward").write_text("1", encoding="ascii")
        self.write("tokens.csv", f"{self.token},admin,admin,system:masters\n")
        self.write("kubeconfig", json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "c",
            "clusters": [{"name": "c", "cluster": {"server": f"https://{ADDRESS}:6443", "insecure-skip-tls-verify": True}}],
            "users": [{"name": "admin", "user": {"token": self.token}}], "contexts": [{"name": "c", "context": {"cluster": "c", "user": "admin"}}]}))
        subprocess.run(["openssl", "genrsa", "-out", self.folder / "sa.key", "2048"], check=True, capture_output=True)
        self.write("resolv.conf", "")
        (self.folder / "net.d").mkdir()
        self.write("net.d/10-pods.conflist", json.dumps({
            "cniVersion": "0.4.0", "name": "pods", "plugins": [{
                "type": "bridge", "bridge": "pods", "isGateway": True, "ipMasq": False,
                "ipam": {"type": "host-local", "dataDir": str(self.folder / "addresses"), "routes": [{"dst": "0.0.0.0/0"}],
                         "ranges": [[{"subnet": "10.78.0.0/24"}]]}}]}))
        self.write("containerd.toml", f"""version = 2
root = "{self.folder}/containerd"
state = "/run/containerd"
[grpc]
  address = "{self.socket}"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "{PAUSE}"
  disable_apparmor = true
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "{PLUGINS}"
    conf_dir = "{self.folder}/net.d"
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
      SystemdCgroup = false
[plugins."io.containerd.internal.v1.opt"]
  path = "{self.folder}/opt"
""")
        self.write("kubelet.yaml", json.dumps({
            "apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration", "failCgroupV1": False, "failSwapOn": False,
            "cgroupDriver": "cgroupfs", "cgroupRoot": f"/{self.folder.name}", "containerRuntimeEndpoint": f"unix://{self.socket}",
            "podLogsDir": str(self.folder / "logs"), "volumePluginDir": str(self.folder / "volume-plugins"), "resolvConf": str(self.folder / "resolv.conf"),
            "authentication": {"anonymous": {"enabled": True}, "webhook": {"enabled": False}}, "authorization": {"mode": "AlwaysAllow"},
            "evictionHard": {"memory.available": "100Mi"}, "imageGCHighThresholdPercent": 100, "nodeStatusUpdateFrequency": "5s", "syncFrequency": "10s",
            "address": ADDRESS}))

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        path.chmod(0o600)

    # ---- the daemons

    def daemon(self, *command):
        with open(self.folder / f"{command[0]}.log", "a", encoding="utf-8") as log:
            self.processes.append(subprocess.Popen(list(map(str, command)), stdout=log, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL))

    def wait_for(self, what, there, seconds=120):
        end = time.monotonic() + seconds
        while not (found := there()):
            for p in self.processes:
                if p.poll() is not None:
                    raise AssertionError(f"{p.args[0]} ended with {p.returncode}, while this was waited for: {what}; {self.tail(p.args[0])}")
            if time.monotonic() > end:
                raise AssertionError(f"after {seconds} s not yet: {what}")
            time.sleep(0.5)
        return found

    def tail(self, program):
        return (self.folder / f"{program}.log").read_text(encoding="utf-8", errors="replace")[-1500:]

    def start(self, images):
        """Until the node is ready."""
        self.prepare()
        self.daemon("etcd", "--data-dir", self.folder / "etcd", "--listen-client-urls", "http://127.0.0.1:2379", "--advertise-client-urls",
                    "http://127.0.0.1:2379", "--listen-peer-urls", "http://127.0.0.1:2380", "--unsafe-no-fsync")
        self.daemon("containerd", "--config", self.folder / "containerd.toml")
        self.daemon("kube-apiserver", "--etcd-servers=http://127.0.0.1:2379", f"--bind-address={ADDRESS}", f"--cert-dir={self.folder}/certificates",
                    "--service-cluster-ip-range=10.96.0.0/24", "--service-account-issuer=https://kubernetes.default.svc",
                    f"--service-account-signing-key-file={self.folder}/sa.key", f"--service-account-key-file={self.folder}/sa.key",
                    f"--token-auth-file={self.folder}/tokens.csv", "--authorization-mode=RBAC", "--kubelet-preferred-address-types=InternalIP")
        self.wait_for("containerd answers", lambda: subprocess.run(["ctr", "version"], capture_output=True, check=False).returncode == 0)
        for image in (pause_image.make(self.folder, PAUSE), *images):
            subprocess.run(["ctr", "-n", "k8s.io", "images", "import", image], check=True, timeout=600, capture_output=True)
        self.wait_for("the API server is ready", lambda: self.kubectl("get", "--raw", "/readyz", check=False) == "ok", 300)
        self.daemon("kube-controller-manager", f"--kubeconfig={self.kubeconfig}", f"--service-account-private-key-file={self.folder}/sa.key",
                    "--leader-elect=false", f"--cert-dir={self.folder}/certificates-kcm")
        self.daemon("kube-scheduler", f"--kubeconfig={self.kubeconfig}", "--leader-elect=false", f"--cert-dir={self.folder}/certificates-scheduler")
        self.daemon("kubelet", f"--config={self.folder}/kubelet.yaml", f"--kubeconfig={self.kubeconfig}", f"--hostname-override={NAME}",
                    f"--node-ip={ADDRESS}", f"--root-dir={self.folder}/kubelet", f"--cert-dir={self.folder}/certificates-kubelet")
        self.wait_for("the node is ready", lambda: "True" in self.kubectl(
            "get", "node", NAME, "-o", "jsonpath={.status.conditions[?(@.type=='Ready')].status}", check=False), 180)

    def stop(self):
        for p in reversed(self.processes):
            p.terminate()
        for p in self.processes:
            with contextlib.suppress(subprocess.TimeoutExpired):
                p.wait(5)

    # ---- how it is asked

    def kubectl(self, *words, check=True, seconds=120, **more):
        done = subprocess.run(["kubectl", "--kubeconfig", self.kubeconfig, *map(str, words)], capture_output=True, text=True, timeout=seconds, check=False,
                              **more)
        if check and done.returncode:
            raise AssertionError(f"kubectl {' '.join(map(str, words))}: {done.stderr}")
        return done.stdout

    def get(self, *words):
        return json.loads(self.kubectl("get", *words, "-o", "json"))

    def apply(self, objects):
        self.kubectl("apply", "-f", "-", input=json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
