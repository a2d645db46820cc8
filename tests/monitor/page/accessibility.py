# SPDX-License-Identifier: LGPL-2.1-or-later
"""The accessibility checker axe: a file of VIGIL_AXE, or that of PyPI's axe-playwright-python, of which only axe.min.js is used."""
import importlib.util
import os
import pathlib


def axe_file():
    """None where there is none."""
    if "VIGIL_AXE" in os.environ:
        return pathlib.Path(os.environ["VIGIL_AXE"])
    spec = importlib.util.find_spec("axe_playwright_python")
    file = spec and pathlib.Path(spec.submodule_search_locations[0]) / "axe.min.js"
    return file if file and file.exists() else None


def serious_faults(browser):
    """What axe finds serious or critical on the page as it is."""
    browser.run(axe_file().read_text(encoding="utf-8"))
    found = browser.driver.execute_async_script(
        "axe.run().then((r) => arguments[0](r.violations), (e) => arguments[0]([{impact: 'serious', id: String(e), nodes: []}]))")
    return [(v["id"], v.get("help"), [n["html"][:160] for n in v["nodes"]][:3]) for v in found if v["impact"] in ("serious", "critical")]
