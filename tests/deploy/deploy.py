# SPDX-License-Identifier: LGPL-2.1-or-later
"""What deploy/ holds fits the programs, and the schemas of its kinds. Usage: deploy.py SOURCE_ROOT VIGIL_MONITOR [unittest arguments]

Needs PyYAML; for Kubernetes' schemas the Python package kubernetes-validate, for Grafana's types grafana-foundation-sdk; kubectl for
kustomize; systemd-analyze. What is missing is skipped, and said so."""
import http.client
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

try:
    import yaml
except ImportError:
    yaml = None
try:
    import kubernetes_validate
except ImportError:
    kubernetes_validate = None
try:
    from grafana_foundation_sdk.cog.encoder import JSONEncoder
    from grafana_foundation_sdk.cog.plugins import register_default_plugins
    from grafana_foundation_sdk.models.dashboard import Dashboard
except ImportError:
    Dashboard = None

ROOT, MONITOR = pathlib.Path(sys.argv.pop(1)), sys.argv.pop(1)
DEPLOY = ROOT / "deploy"
KUBERNETES = DEPLOY / "kubernetes"


def documents(path):
    return [d for d in yaml.safe_load_all(path.read_text(encoding="utf-8")) if d]


def lost(before, after, path=""):
    """The places of what `before` has and `after` has not, or has otherwise."""
    if isinstance(before, dict) and isinstance(after, dict):
        return [x for k, v in before.items() for x in (lost(v, after[k], f"{path}.{k}") if k in after else [f"{path}.{k}"])]
    if isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        return [x for i, (a, b) in enumerate(zip(before, after)) for x in lost(a, b, f"{path}[{i}]")]
    return [] if before == after else [path]


def options_of(help_text):
    return set(re.findall(r"--[a-z-]+", help_text))


class Metrics(unittest.TestCase):
    def exported(self):
        """The names of a running monitor's metrics."""
        with tempfile.TemporaryDirectory(prefix="vigil-deploy-") as folder, subprocess.Popen(
                [MONITOR, "--listen", "127.0.0.1:0", "--storage", folder, "scenetestsrc"], stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL, text=True) as process:
            try:
                port = int(re.search(r":(\d+)/", process.stdout.readline())[1])
                connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
                connection.request("GET", "/metrics")
                text = connection.getresponse().read().decode()
            finally:
                process.terminate()
        return set(re.findall(r"^# TYPE (\S+)", text, re.M))

    def test_dashboard_names_metrics_that_are_exported(self):
        dashboard = json.loads((DEPLOY / "grafana/vigil.json").read_text(encoding="utf-8"))
        expressions = [t["expr"] for p in dashboard["panels"] for t in p["targets"]]
        named = {n for e in expressions for n in re.findall(r"\bvigil_\w+", e)}
        self.assertGreater(len(named), 8)
        self.assertEqual(named - self.exported(), set())
        self.assertEqual(len({p["id"] for p in dashboard["panels"]}), len(dashboard["panels"]))

    @unittest.skipUnless(Dashboard, "SKIPPED: no package grafana-foundation-sdk")
    def test_dashboard_is_of_grafanas_types(self):
        """Grafana's own types of a dashboard, its panels and queries take it, and know every member: none is lost on the way."""
        register_default_plugins()
        words = (DEPLOY / "grafana/vigil.json").read_text(encoding="utf-8")
        there = json.loads(JSONEncoder().encode(Dashboard.from_json(json.loads(words))))
        self.assertEqual(lost(json.loads(words), there), [])
        self.assertEqual(lost({"panels": [{"titel": "x"}]}, json.loads(JSONEncoder().encode(Dashboard.from_json({"panels": [{"type": "stat", "titel": "x"}]})))),
                         [".panels[0].titel"])

    def test_panels_do_not_overlap(self):
        taken = set()
        for panel in json.loads((DEPLOY / "grafana/vigil.json").read_text(encoding="utf-8"))["panels"]:
            g = panel["gridPos"]
            self.assertLessEqual(g["x"] + g["w"], 24, panel["title"])
            cells = {(x, y) for x in range(g["x"], g["x"] + g["w"]) for y in range(g["y"], g["y"] + g["h"])}
            self.assertFalse(cells & taken, panel["title"])
            taken |= cells


@unittest.skipUnless(yaml, "SKIPPED: no PyYAML")
class Manifests(unittest.TestCase):
    def everything(self):
        for path in sorted(KUBERNETES.rglob("*.yaml")):
            for document in documents(path):
                if "kind" in document and document["kind"] != "Kustomization":
                    yield path, document

    @unittest.skipUnless(kubernetes_validate, "SKIPPED: no package kubernetes-validate")
    def test_schemas(self):
        known = 0
        for path, document in self.everything():
            if document["apiVersion"].startswith("monitoring.coreos.com/"):
                continue  # a kind of the Prometheus operator, which has no schema here
            with self.subTest(path=path.name, kind=document["kind"]):
                kubernetes_validate.validate(document, "1.31", strict=True)
            known += 1
        self.assertGreaterEqual(known, 7)

    @unittest.skipUnless(shutil.which("kubectl"), "SKIPPED: no kubectl")
    def test_kustomize(self):
        reported = subprocess.run(["kubectl", "version", "--client", "--output=json"], capture_output=True, text=True, check=True, timeout=60).stdout
        version = json.loads(reported)["clientVersion"]
        if (int(version["major"]), int(re.match(r"\d+", version["minor"])[0])) < (1, 21):
            self.skipTest(f"SKIPPED: kubectl {version['gitVersion']} has the kustomize of 2019; 1.21 is needed")
        kinds = {}
        for folder in ("base", "cpu", "pod-monitor"):
            text = subprocess.run(["kubectl", "kustomize", KUBERNETES / folder], capture_output=True, text=True, check=True, timeout=60).stdout
            kinds[folder] = {d["kind"]: d for d in yaml.safe_load_all(text)}
        self.assertEqual(set(kinds["base"]), {"Namespace", "ConfigMap", "Service", "StatefulSet", "PodDisruptionBudget", "NetworkPolicy"})
        self.assertEqual(set(kinds["cpu"]), set(kinds["base"]))
        # A server without the Prometheus operator refuses this kind, so it stands alone.
        self.assertEqual(set(kinds["pod-monitor"]), {"PodMonitor"})
        self.assertEqual(kinds["pod-monitor"]["PodMonitor"]["metadata"]["namespace"], kinds["base"]["Namespace"]["metadata"]["name"])
        limits = {f: k["StatefulSet"]["spec"]["template"]["spec"]["containers"][0]["resources"]["limits"] for f, k in kinds.items() if "StatefulSet" in k}
        self.assertIn("nvidia.com/gpu", limits["base"])
        self.assertNotIn("nvidia.com/gpu", limits["cpu"])

    @unittest.skipUnless(shutil.which("kubectl"), "SKIPPED: no kubectl")
    def test_a_new_count_restarts_the_pods_and_a_new_camera_does_not(self):
        """A pod with the old count would go on with cameras that a new pod has; a pod takes a new camera up when its configuration names it."""
        def template(folder):
            text = subprocess.run(["kubectl", "kustomize", folder / "base"], capture_output=True, text=True, check=True, timeout=60).stdout
            return next(d["spec"]["template"] for d in yaml.safe_load_all(text) if d["kind"] == "StatefulSet")

        with tempfile.TemporaryDirectory(prefix="vigil-deploy-") as name:
            copy = pathlib.Path(name) / "kubernetes"
            shutil.copytree(KUBERNETES, copy)
            before = template(copy)
            with open(copy / "base/monitor.yaml", "a", encoding="utf-8") as out:
                out.write('  door: {source: "rtsp://door.cameras.example/stream"}\n')
            self.assertEqual(template(copy), before)
            (copy / "base/monitor.env").write_text("COUNT=4\n", encoding="utf-8")
            self.assertNotEqual(template(copy), before)

    def test_numbers_that_stand_twice_are_the_same(self):
        state, = documents(KUBERNETES / "base/statefulset.yaml")
        count = int(re.search(r"^COUNT=(\d+)$", (KUBERNETES / "base/monitor.env").read_text(encoding="utf-8"), re.M)[1])
        self.assertEqual(state["spec"]["replicas"], count)
        job, = documents(KUBERNETES / "scan-job.yaml")
        args = job["spec"]["template"]["spec"]["containers"][0]["args"]
        self.assertEqual(args[args.index("--task") + 1], f"$(JOB_COMPLETION_INDEX)/{job['spec']['completions']}")
        compose, = documents(DEPLOY / "compose/compose.yaml")
        shards = [s["command"][s["command"].index("--shard") + 1] for s in compose["services"].values() if "command" in s]
        self.assertEqual(sorted(shards), [f"{i}/{len(shards)}" for i in range(len(shards))])

    def test_prometheus_may_ask_by_the_names_that_it_uses(self):
        """A monitor refuses requests for a host's name that its configuration does not have."""
        monitor, = documents(DEPLOY / "compose/monitor.yaml")
        prometheus, = documents(DEPLOY / "compose/prometheus.yaml")
        names = {t.partition(":")[0] for c in prometheus["scrape_configs"] for s in c["static_configs"] for t in s["targets"]}
        self.assertTrue(names)
        self.assertLessEqual(names, set(monitor["http"].get("hosts", [])))
        compose, = documents(DEPLOY / "compose/compose.yaml")
        self.assertLessEqual(names, set(compose["services"]))

    def test_gpus_go_to_services_that_exist(self):
        compose, = documents(DEPLOY / "compose/compose.yaml")
        gpu, = documents(DEPLOY / "compose/compose.gpu.yaml")
        monitors = {n for n, s in compose["services"].items() if s.get("image") == "vigil"}
        self.assertEqual(set(gpu["services"]), monitors)
        for service in gpu["services"].values():
            self.assertEqual(service["deploy"]["resources"]["reservations"]["devices"][0]["capabilities"], ["gpu"])

    def test_health_check_is_in_the_image(self):
        compose, = documents(DEPLOY / "compose/compose.yaml")
        command, = {s["healthcheck"]["test"][1] for s in compose["services"].values() if s.get("image") == "vigil"}
        image = (DEPLOY / "container/Containerfile").read_text(encoding="utf-8")
        self.assertRegex(image, rf"COPY --chmod=755 deploy/container/healthcheck /usr/bin/{command}\n")
        self.assertRegex(image, rf'HEALTHCHECK .* CMD \["{command}"\]')

    def test_options_exist(self):
        known = options_of(subprocess.run([MONITOR, "--help"], capture_output=True, text=True, check=True, timeout=60).stdout)
        used = set()
        state, = documents(KUBERNETES / "base/statefulset.yaml")
        used |= options_of(" ".join(state["spec"]["template"]["spec"]["containers"][0]["args"]))
        compose, = documents(DEPLOY / "compose/compose.yaml")
        for service in compose["services"].values():
            used |= options_of(" ".join(service.get("command", [])))
        unit = (DEPLOY / "systemd/vigil-monitor@.service").read_text(encoding="utf-8")
        used |= options_of("\n".join(re.findall(r"^Exec.*vigil-monitor.*$", unit, re.M)))
        self.assertIn("--shard", used)
        self.assertEqual(used - known, set())

    def test_configurations_are_accepted(self):
        for path in (KUBERNETES / "base/monitor.yaml", DEPLOY / "compose/monitor.yaml"):
            result = subprocess.run([MONITOR, "--config", path, "--check"], capture_output=True, text=True, timeout=60, check=False,
                                    env={**os.environ, "CAMERA_PASSWORD": "x", "MQTT_PASSWORD": "x"})
            self.assertEqual(result.returncode, 0, result.stderr)

    def test_brokers_know_their_users(self):
        """Anyone who may publish below vigil/ can switch cameras: the examples name a user, and their broker takes nobody else."""
        for path in (KUBERNETES / "base/monitor.yaml", DEPLOY / "compose/monitor.yaml"):
            mqtt = documents(path)[0]["mqtt"]
            self.assertTrue(mqtt.get("user") and mqtt.get("password"), path)
        settings = dict(line.split(maxsplit=1) for line in (DEPLOY / "compose/mosquitto.conf").read_text(encoding="utf-8").splitlines() if not line.startswith("#"))
        self.assertEqual(settings.get("allow_anonymous"), "false")
        compose, = documents(DEPLOY / "compose/compose.yaml")
        mounted = {v.split(":")[1] for v in compose["services"]["mosquitto"]["volumes"]}
        self.assertIn(settings["password_file"], mounted)

    def test_shares_of_a_configuration(self):
        """Each camera is in one share, whatever their number, as a program that starts finds it."""
        path = DEPLOY / "compose/monitor.yaml"
        ask = lambda shard: subprocess.run([MONITOR, "--config", path, "--shard", shard, "--check"], capture_output=True, text=True,
                                           timeout=60, check=False, env={**os.environ, "MQTT_PASSWORD": "x"})
        counts = [int(re.search(r"(\d+) cameras?", ask(f"{i}/3").stdout)[1]) for i in range(3)]
        self.assertEqual(sum(counts), 4)
        beyond = ask("3/3")
        self.assertEqual(beyond.returncode, 1)
        self.assertIn("there is no share 3 of 3", beyond.stderr)


class Slurm(unittest.TestCase):
    def test_script(self):
        """What the job array's tasks run, with Slurm's variables as it sets them."""
        environment = {**os.environ, "SLURM_ARRAY_TASK_ID": "2", "SLURM_ARRAY_TASK_COUNT": "5", "VIGIL_SCAN": "echo"}
        script = DEPLOY / "slurm/scan.sbatch"
        ran = subprocess.run([script, "/results", "/files", "--split", "600"], capture_output=True, text=True, check=True, timeout=60, env=environment)
        self.assertEqual(ran.stdout.strip(), "--out /results --list /files --task 2/5 --split 600")
        self.assertEqual(subprocess.run([script], capture_output=True, check=False, timeout=60, env=environment).returncode, 2)


class Systemd(unittest.TestCase):
    @unittest.skipUnless(shutil.which("systemd-analyze"), "SKIPPED: no systemd-analyze")
    def test_unit(self):
        with tempfile.TemporaryDirectory(prefix="vigil-deploy-") as folder:
            unit = pathlib.Path(folder) / "vigil-monitor@0.service"  # with a program that is there
            text = (DEPLOY / "systemd/vigil-monitor@.service").read_text(encoding="utf-8")
            unit.write_text(text.replace("/usr/bin/vigil-monitor", str(pathlib.Path(MONITOR).resolve())).replace("man:vigil-monitor(1)", "file:///"), encoding="utf-8")
            result = subprocess.run(["systemd-analyze", "verify", "--man=no", unit], capture_output=True, text=True, timeout=60, check=False)
        about = [line for line in result.stderr.splitlines() if "vigil-monitor" in line]
        self.assertEqual((result.returncode, about), (0, []), result.stderr)

    def test_as_hardened_as_the_packaged_one(self):
        """Both units have the same sandbox."""
        pattern = r"^((?:Protect|Private|Restrict|NoNew|Lock|Remove|SystemCall|Capability|UMask|Device)\w*=.*)$"
        units = [set(re.findall(pattern, p.read_text(encoding="utf-8"), re.M))
                 for p in (ROOT / "debian/vigil-monitor.service", DEPLOY / "systemd/vigil-monitor@.service")]
        self.assertGreater(len(units[0]), 15)
        self.assertEqual(units[0] - units[1], set())


if __name__ == "__main__":
    unittest.main()
