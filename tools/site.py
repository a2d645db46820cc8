# SPDX-License-Identifier: LGPL-2.1-or-later
"""Hooks of mkdocs (mkdocs.yml): the navigation, from the folders of docs/, the search, tabs, and links to files of the source, which are no pages.

The same code in several languages, one fence after the other, becomes tabs. A link to a file that is no page becomes the name of the file, or a link to the repository where mkdocs.yml names one (repo_url)."""
import json
import os
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[1]
LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(([^)\s]+)\)")
# Folders in the order in which a reader needs them; pages that come first in theirs.
FOLDERS = [("tutorials", "Tutorials"), ("how-to", "How-to"), ("reference", "Reference"), ("explanation", "Explanation"), ("develop", "Develop"),
           ("measurements", "Measurements")]
FIRST = ["index.md", "first-camera.md", "four-cameras.md", "motion-events.md", "install.md", "monitor.md", "monitor-page.md", "monitor-yaml.md", "how-cudamog-works.md", "architecture.md"]
LANGUAGES = {"cpp": "C++", "c": "C", "python": "Python", "rust": "Rust"}
# A line that begins with the language's name may stand above the code.
SAMPLE = r"(?:^(?:C\+\+|C|Python|Rust)[ ,:][^\n]*\n\n)?^```(?:cpp|c|python|rust)\n.*?^```\n"
SAMPLES = re.compile(rf"{SAMPLE}(?:\n{SAMPLE})+", re.DOTALL | re.MULTILINE)
NAMES = {"elements": "Elements", "tools": "Tools", "log": "Log"}


def pages(folder, docs):
    """The navigation of a folder: its pages, then its folders."""
    entries = sorted(folder.iterdir(), key=lambda p: (p.is_dir(), FIRST.index(p.name) if p.name in FIRST else len(FIRST), p.name))
    out = []
    for entry in entries:
        if entry.is_dir():
            inner = pages(entry, docs)
            if inner:
                out.append({NAMES.get(entry.name, entry.name): inner})
        elif entry.suffix == ".md":
            out.append(entry.relative_to(docs).as_posix())
    return out


def on_config(config):
    docs = pathlib.Path(config["docs_dir"])
    front = [p.name for p in (docs / "index.md", docs / "glossary.md", docs / "known-issues.md", docs / "security.md", docs / "stability.md") if p.exists()]
    rest = sorted(p.name for p in docs.glob("*.md") if p.name not in front)
    config["nav"] = front[:1] + [{title: pages(docs / name, docs)} for name, title in FOLDERS if (docs / name).is_dir()] + [{"More": front[1:] + rest}]
    return config


def on_post_build(config):
    """Diaries are not found by a search: their many words would hide the pages for readers."""
    index = pathlib.Path(config["site_dir"]) / "search/search_index.json"
    if index.exists():
        content = json.loads(index.read_text(encoding="utf-8"))
        content["docs"] = [d for d in content["docs"] if not d["location"].startswith("measurements/log/")]
        index.write_text(json.dumps(content, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")


def tabs(match):
    """Samples in different languages as tabs of pymdownx.tabbed."""
    out, seen = [], set()
    for words, language, code in re.findall(r"(?:^([^`\n]+)\n\n)?^(?:```(cpp|c|python|rust)\n)(.*?^```\n)", match[0], re.DOTALL | re.MULTILINE):
        name = LANGUAGES[language]
        if language in seen or (words and not re.match(re.escape(name) + "[ ,:]", words)):
            return match[0]
        seen.add(language)
        inside = ("" if words in ("", name + ":") else words + "\n\n") + f"```{language}\n{code}"
        out.append(f'=== "{name}"\n\n' + re.sub(r"^(?=.)", "    ", inside, flags=re.MULTILINE))
    return "\n".join(out)


def on_page_markdown(markdown, page, config, files):
    folder = (pathlib.Path(config["docs_dir"]) / page.file.src_path).parent
    docs = pathlib.Path(config["docs_dir"])

    def replace(match):
        text, target = match[1], match[2].split("#")[0]
        if not target or re.match(r"[a-z]+:", target):
            return match[0]
        file = pathlib.Path(os.path.normpath(folder / target))
        if docs in file.parents and file.is_file():
            return f"[{text}]({os.path.relpath(file, folder)}{match[2][len(target):]})"
        if config["repo_url"]:
            return f"[{text}]({config['repo_url'].rstrip('/')}/blob/main/{file.relative_to(ROOT).as_posix()})"
        path = file.relative_to(ROOT).as_posix()
        return text if "`" in text else f"`{path}`" if text.rstrip("/") in (file.name, path) else f"{text} (`{path}`)"

    blocks = re.split(r"(^ *```.*?^ *```$)", markdown, flags=re.DOTALL | re.MULTILINE)
    linked = "".join(block if block.lstrip().startswith("```") else LINK.sub(replace, block) for block in blocks)
    return SAMPLES.sub(tabs, linked)
