# SPDX-License-Identifier: LGPL-2.1-or-later
"""The image that holds a pod's namespaces: one static program that waits. make() returns the path of its archive."""
import hashlib
import io
import json
import subprocess
import tarfile


def make(folder, name):
    source, program = folder / "pause.c", folder / "pause"
    source.write_text("#include <signal.h>\n#include <unistd.h>\nstatic void end(int s) { (void)s; _exit(0); }\n"
                      "int main(void) { signal(SIGTERM, end); signal(SIGINT, end); for (;;) pause(); }\n", encoding="utf-8")
    subprocess.run(["cc", "-static", "-O1", "-s", "-o", program, source], check=True, timeout=60)
    layer = io.BytesIO()
    with tarfile.open(fileobj=layer, mode="w") as t:
        t.add(program, "pause")
    layer = layer.getvalue()
    files = {"layer.tar": layer,
             "config.json": json.dumps({"architecture": "amd64", "os": "linux", "config": {"Entrypoint": ["/pause"]},
                                        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{hashlib.sha256(layer).hexdigest()}"]}}).encode(),
             "manifest.json": json.dumps([{"Config": "config.json", "RepoTags": [name], "Layers": ["layer.tar"]}]).encode()}
    archive = folder / "pause.tar"
    with tarfile.open(archive, "w") as t:
        for file, data in files.items():
            entry = tarfile.TarInfo(file)
            entry.size = len(data)
            t.addfile(entry, io.BytesIO(data))
    return archive
