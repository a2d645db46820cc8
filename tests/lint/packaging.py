# SPDX-License-Identifier: LGPL-2.1-or-later
"""What is said about packages in several places is the same in all of them. Usage: packaging.py SOURCE_ROOT

debian/control names every package that ./run installs, the versions that meson.build asks for, and every program and
element of the build; the detector's module is a package of its own; debian/changelog is at the project's version; presets are installed, and measured in docs/reference/presets.md."""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
meson, run, control = ((root / n).read_text(encoding="utf-8") for n in ("meson.build", "run", "debian/control"))
problems = []

# The stanzas of control, as dictionaries of their fields; continuation lines are joined.
stanzas = []
for block in re.split(r"\n\s*\n", control.strip()):
    fields = re.sub(r"\n[ \t]+", " ", block)
    stanzas.append(dict(line.split(":", 1) for line in fields.splitlines()))
source, *binaries = stanzas


def needs(stanza, *names):
    """Package -> version asked for, of the fields with these names; of alternatives each counts."""
    entries = [e for e in re.split(r"[,|]", ",".join(stanza.get(n, "") for n in names)) if not re.search(r"<[^!]", e)]  # <NAME>: of a build profile alone
    found = (re.match(r"\s*([a-z0-9][a-z0-9+.-]*)\s*(?:\(>=\s*([\d.]+)\))?", e) for e in entries)
    return {m[1]: m[2] for m in found if m}


build = needs(source, "Build-Depends")
known = set(build) | {"g++"}  # g++ is build-essential
for binary in binaries:
    known |= set(needs(binary, "Depends", "Recommends", "Suggests"))
wanted = [name for group in re.findall(r"^packages_\w+=\(([^$)]*)\)", run, re.M) for name in group.split()]
if len(wanted) < 20:
    problems.append(f"run: only {len(wanted)} packages found; was the list renamed?")
problems += [f"debian/control does not name {p}, which ./run installs" for p in wanted if p not in known]
problems += [f"run does not install {p}, a build dependency in debian/control" for p in build
             if p not in wanted and p != "debhelper-compat" and not p.startswith("dh-sequence-")]

# With the build profile pkg.vigil.plugin the source makes the plugin's package alone, without the libraries of the applications.
of_applications = {name for group in ("train", "monitor") for name in re.search(rf"^packages_{group}=\(([^)]*)\)", run, re.M)[1].split()} & set(build)
left_out = set(re.findall(r"([a-z0-9.+-]+)[^,]*<!pkg\.vigil\.plugin>", source["Build-Depends"]))
if of_applications != left_out:
    problems.append(f"debian/control: the applications' libraries in ./run and those with <!pkg.vigil.plugin> differ: {', '.join(sorted(of_applications ^ left_out))}")
for binary in binaries:
    name, profiles = binary["Package"].strip(), binary.get("Build-Profiles", "")
    if not name.startswith("gstreamer1.0-vigil") and "<!pkg.vigil.plugin>" not in profiles:
        problems.append(f"debian/control: the build profile pkg.vigil.plugin does not leave out {name}")

version = re.search(r"^  version: '([^']+)'", meson, re.M)[1]
packaged = re.match(r"vigil \(([^)-]+)-", (root / "debian/changelog").read_text(encoding="utf-8"))[1]
if version != packaged:
    problems.append(f"debian/changelog is at {packaged}, meson.build at {version}")
gst = re.search(r"^gst_need = '>= ([\d.]+)'", meson, re.M)[1]
tool = re.search(r"^  meson_version: '>= ([\d.]+)'", meson, re.M)[1]
for package, least in {"meson": tool, "libgstreamer1.0-dev": gst, "libgstreamer-plugins-base1.0-dev": gst,
                       "libgstreamer-plugins-bad1.0-dev": gst}.items():
    if build.get(package) != least:
        problems.append(f"debian/control asks for {package} {build.get(package)}, meson.build for {least}")

text = " ".join(b["Description"] for b in binaries) + (root / "debian/tests/smoke").read_text(encoding="utf-8")
names = [p.stem for p in (root / "docs/reference/elements").glob("*.md")] + [p.name for p in (root / "tools").glob("vigil-*")]
problems += [f"debian/: no description or smoke test names {n}" for n in names if not re.search(rf"\b{n}\b", text)]
presets = sorted((root / "gst/presets").glob("*.prs"))
listed, tuning = ((root / n).read_text(encoding="utf-8") for n in ("gst/meson.build", "docs/reference/presets.md"))
for file in presets:
    if f"presets/{file.name}" not in listed:
        problems.append(f"gst/meson.build does not install {file.name}")
    groups = re.findall(r"^\[(?!_presets_)(.+)\]", file.read_text(encoding="utf-8"), re.M)
    problems += [f"docs/reference/presets.md does not measure preset {g} of {file.name}" for g in groups if f"`{g}`" not in tuning]
# The plugin with CUDA is a package of its own, in contrib. It diverts the one without, whose package it needs; that one never looks for nvcc.
debian = root / "debian"
of_cuda = next((b for b in binaries if b["Package"].strip() == "gstreamer1.0-vigil-cuda"), {})
if not of_cuda.get("Section", "").strip().startswith("contrib/") or "pkg.vigil.cuda" not in of_cuda.get("Build-Profiles", ""):
    problems.append("debian/control: gstreamer1.0-vigil-cuda is not of contrib and the build profile pkg.vigil.cuda")
if "gstreamer1.0-vigil (= ${binary:Version})" not in of_cuda.get("Depends", "") or "Conflicts" in of_cuda:
    problems.append("debian/control: gstreamer1.0-vigil-cuda does not depend on the gstreamer1.0-vigil of its version")
diverting, back = (re.findall(r"^plugin=.*|--divert .*", (debian / f"gstreamer1.0-vigil-cuda.{n}").read_text(encoding="utf-8"), re.M) for n in ("preinst", "postrm"))
if len(diverting) != 2 or diverting != back:
    problems.append("debian/gstreamer1.0-vigil-cuda.preinst and .postrm divert different files")
rules = (debian / "rules").read_text(encoding="utf-8")
if not re.search(r"^\tdh_auto_configure -- .*-Dcuda=disabled$", rules, re.M):
    problems.append("debian/rules does not configure the packages of main with -Dcuda=disabled")
if "--no-start" in rules:  # debhelper then makes no prerm
    problems.append("debian/rules: --no-start leaves the service running after its package is removed")
problems += [f"{n} names a folder of one architecture" for n in ("meson.build", "debian/rules") if re.search(r"/usr/lib/\w+-linux-gnu", (root / n).read_text(encoding="utf-8"))]
# OpenCV comes with the module of the detector, which is a package of its own; the monitor's error names that.
module = "vigil-detector.module"
holders = sorted(p.name for p in debian.glob("*.install") if module in p.read_text(encoding="utf-8"))
if holders != ["vigil-monitor-detector.install"]:
    problems.append(f"debian/: {module} is in {holders or 'no package'} instead of vigil-monitor-detector alone")
of_module = next((b for b in binaries if b["Package"].strip() == "vigil-monitor-detector"), {})
if "${binary:Version}" not in of_module.get("Depends", "") or "${shlibs:Depends}" not in of_module.get("Depends", ""):
    problems.append("debian/control: vigil-monitor-detector does not depend on its libraries and on the vigil-monitor of its version")
opener = (root / "tools/vigil-monitor/detector/engine_module.cpp").read_text(encoding="utf-8")
for word in (module, "vigil-monitor-detector", "libopencv-dnn-dev"):
    if word not in opener:
        problems.append(f"engine_module.cpp: its error does not name {word}")
image = (root / "deploy/container/packages").read_text(encoding="utf-8")
problems += [f"deploy/container/packages gives the image no {b['Package'].strip()}" for b in binaries if not re.search(rf"[ =]{b['Package'].strip()}[ ;\n]", image)]
# systemd-sysusers makes the unit's user.
user = re.search(r"^User=(\S+)", (debian / "vigil-monitor.service").read_text(encoding="utf-8"), re.M)[1]
if not re.search(rf"^u {user} ", (debian / "vigil-monitor.sysusers").read_text(encoding="utf-8"), re.M) or "dh-sequence-installsysusers" not in build:
    problems.append(f"debian/vigil-monitor.sysusers does not make the unit's user {user}")
# A purge takes away the files that postinst makes.
made = set(re.findall(r"(?:install -m \d+ /dev/null|touch) (/\S+?)[;\s]", (debian / "vigil-monitor.postinst").read_text(encoding="utf-8")))
taken = (debian / "vigil-monitor.postrm").read_text(encoding="utf-8").partition('= purge ]')[2]
if not made:
    problems.append("debian/vigil-monitor.postinst: no file found that it makes; is this pattern out of date?")
problems += [f"debian/vigil-monitor.postrm does not remove {f}, which postinst makes, at a purge" for f in made if not re.search(rf"rm -r?f .*{re.escape(f)}\b", taken)]
problems += [f"{p.name} calls adduser" for p in debian.glob("*.p*inst") if re.search(r"\b(adduser|useradd)\b", p.read_text(encoding="utf-8"))]
# The hardening of the package's unit and of the shards' is the same: from the first such line to the end.
units = {n: (root / n).read_text(encoding="utf-8") for n in ("debian/vigil-monitor.service", "deploy/systemd/vigil-monitor@.service")}
hardening = {n: text.partition("\nNoNewPrivileges=")[2].partition("\n[Install]")[0] for n, text in units.items()}
for name, text in hardening.items():
    if len(text.splitlines()) < 20:
        problems.append(f"{name}: no hardening from NoNewPrivileges= to [Install]")
for name, text in units.items():
    files = re.search(r"^LimitNOFILE=(\d+)$", text, re.M)  # a camera takes a dozen, a viewer three
    if not files or int(files[1]) < 65536:
        problems.append(f"{name}: LimitNOFILE is not at least 65536")
    problems += [f"{name}: no {limit}" for limit in ("MemoryMax", "TasksMax") if not re.search(rf"^{limit}=", text, re.M)]
    for line in re.findall(r"^Exec(?:Start|StartPre)=\S*vigil-monitor .*$", text, re.M):
        if "--local none" not in line:  # a program that forwards to a service's port is this machine
            problems.append(f"{name}: without --local none: {line}")
for name in ("deploy/compose/monitor.yaml", "deploy/kubernetes/base/monitor.yaml", "deploy/home-assistant/vigil/start"):
    if not re.search(r"\blocal: none\b", (root / name).read_text(encoding="utf-8")):
        problems.append(f"{name}: without http: local: none")
if len(set(hardening.values())) > 1:
    differ = set.symmetric_difference(*(set(t.splitlines()) for t in hardening.values()))
    problems.append(f"{' and '.join(units)} differ in their hardening: {'; '.join(sorted(differ))}")

# Recipes of other package systems: meson's version and options, and the comment that they are not published.
recipes = {n: (root / "deploy" / n).read_text(encoding="utf-8") for n in
           ("flatpak/org.freedesktop.Platform.GStreamer.vigil.yaml", "homebrew/vigil.rb", "conda/recipe.yaml")}
options = set(re.findall(r"^option\('([\w-]+)'", (root / "meson_options.txt").read_text(encoding="utf-8"), re.M))
for name, recipe in recipes.items():
    used = set(re.findall(r"-D([a-z-]+)=(?:enabled|disabled)\b", recipe))
    problems += [f"deploy/{name}: meson_options.txt has no option {o}" for o in used - options]
    if "cuda" not in used:
        problems.append(f"deploy/{name}: does not say whether CUDA is built")
    if "Not published" not in recipe:
        problems.append(f"deploy/{name}: does not say that it is not published")
if (found := re.search(r"^  version: (.*)$", recipes["conda/recipe.yaml"], re.M)[1]) != version:
    problems.append(f"deploy/conda/recipe.yaml is at {found}, meson.build at {version}")
if f"gstreamer >={gst}\n" not in recipes["conda/recipe.yaml"]:
    problems.append(f"deploy/conda/recipe.yaml does not ask for gstreamer >={gst}")

print(*problems, sep="\n")
print(f"{len(wanted)} packages, {len(names)} programs and elements, {len(problems)} problems")
sys.exit(1 if problems or not names else 0)
