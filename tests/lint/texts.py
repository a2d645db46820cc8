#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Texts of vigil-monitor's page: each is in every catalogue, no catalogue has others, and no text is put into the page without one.

In the code a text is the English literal in t("..."), tx("...", ...) or tn("1 event", "{n} events", n), and each value of events/labels.js. A
catalogue, texts/LANGUAGE.json, has those of t and tx as a string, and that of tn, by its second literal, as [one, many].

texts.py ROOT [FILE]    with a FILE of JavaScript alone (a test of this test): what is wrong in it"""
import json
import pathlib
import re
import sys

IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*")
CALLS = {"t", "tn", "tx"}
# What stands before a literal that is no text: attributes of elements, selectors, ways of the API, names of events.
NO_TEXT = re.compile(r"""(\b(class|viewBox|d|points|transform|pattern|href|src|type|role|preserveAspectRatio|rootMargin|autocomplete|rel|kind|mode|cache|credentials|name)
    ["']?\s*[:=]\s*(.*\?\s*)?
    |(querySelector|querySelectorAll|closest|matches|matchMedia|find|go|address|rewrite|import|from|setProperty|getPropertyValue|Request|URL|fetch|match|className\s*=|startsWith|endsWith|split|join|register)\(?\s*
    |\bstyle\.[\w]+\s*=\s*)$""", re.X)
KEYS = {"ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Arrow", "Enter", "Escape", "Home", "End", "PageUp", "PageDown", "Delete", "Backspace", "Control", "Space",
        "Control+z", "Control+y", "Control+Z"}
# Names that are the same in every language, words of HTTP, and what no person sees.
NAMES = KEYS | {"Vigil", "Opus", "AbortError", "Content-Type", "X-Content-Type-Options", "X-Recording-Start", "SHA-256 ", "MQTT", "CPU", "GPU", "API", "image/jpeg", "Notification", "PushManager",
                "The live stream announces a record of ", "gst-launch-1.0 ", " bytes", "live: ", "button icon-only", " going", " new", " chosen", "corner first", '"] input', "events of ", "frames of ",
                "Deutsch", "English", "Español", "Français", "Italiano", "Nederlands", "vigil "}
NO_FILES = {"camera/export.js": "presets and configuration, which programs read"}


def literals(source):
    """(line, text, what stands before it, callee of the innermost parenthesis, number of the argument) of each string, and of each part of a template."""
    out, at, line = [], 0, 1
    stack = []  # of open brackets: [callee, arguments so far]
    before_code = ""

    def add(text):
        callee, argument = stack[-1] if stack else ("", 0)
        out.append((line, text, before_code[-160:], callee, argument))

    def scan(end):
        nonlocal at, line, before_code
        depth = 0
        while at < len(source):
            c = source[at]
            if c == "\n":
                line += 1
            if source.startswith("//", at):
                at = source.find("\n", at)
                at = len(source) if at < 0 else at
                continue
            if source.startswith("/*", at):
                close = source.index("*/", at) + 2
                line += source.count("\n", at, close)
                at = close
                continue
            if c == "/" and re.search(r"[=(,:[!&|?{};]\s*$|return\s*$|=>\s*$", before_code[-12:]):  # a regular expression
                found = re.compile(r"/(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[a-z]*").match(source, at)
                if found:
                    before_code += "/r/"
                    at = found.end()
                    continue
            if c in "\"'":
                close = at + 1
                while source[close] != c:
                    close += 2 if source[close] == "\\" else 1
                add(json.loads('"' + source[at + 1:close].replace("\\'", "'") + '"') if c == '"' else source[at + 1:close])
                before_code += '"s"'
                at = close + 1
                continue
            if c == "`":
                at += 1
                template()
                continue
            if c == end and depth == 0 and end == "}":
                at += 1
                return
            if c in "([{":
                name = re.search(r"([A-Za-z_$][\w$]*)\s*$", before_code[-40:]) if c == "(" else None
                stack.append([name[1] if name else "", 0])
                depth += 1
            elif c in ")]}":
                stack.pop()
                depth -= 1
            elif c == "," and stack:
                stack[-1][1] += 1
            before_code += c
            at += 1

    def template():
        nonlocal at, line, before_code
        text = ""
        while source[at] != "`":
            if source[at] == "\\":
                text += source[at + 1]
                at += 2
            elif source.startswith("${", at):
                add(text)
                text = ""
                at += 2
                before_code += "`${"
                stack.append(["", 0])
                scan("}")
                stack.pop()
            else:
                line += source[at] == "\n"
                text += source[at]
                at += 1
        add(text)
        before_code += "`s`"
        at += 1

    scan("")
    return out


def is_text(text):
    """Whether a person would read it: words, the first with a capital letter, or several small ones."""
    if not re.search(r"[A-Za-zÀ-ÿ]{2}", text) or text in NAMES or text.strip() in NAMES:
        return False
    if re.fullmatch(r"[\w./:#?&=%+@~,;()\[\]{}<>*|\\^$!'\"-]*", text):  # one word
        return bool(re.fullmatch(r"[A-Z][a-z]+[.:!?]?", text))
    return bool(re.search(r"(^|\s)[A-Za-z]{2,}[.,:;!?]?(\s|$)", text)) and not re.search(r"[{}<>=]|var\(|calc\(|min-width", text)


def texts_of(name, source):
    """Texts of t and tx, those of tn, and what is wrong."""
    single, plural, wrong = {}, {}, []
    if name == "events/labels.js":
        return {text: name for _, text, before, _, _ in literals(source) if before.rstrip().endswith(":")}, {}, []
    last = None
    for line, text, before, callee, argument in literals(source):
        place = f"{name}:{line}"
        compared = re.search(r"[=!]==\s*$", before)
        if callee in CALLS and not compared and (argument == 0 or (callee == "tn" and argument == 1)):
            if callee == "tn" and argument == 0:
                last = text
            elif callee == "tn":
                plural[text] = (place, last)
            else:
                single[text] = place
        elif not compared and is_text(text) and not NO_TEXT.search(before) and name not in NO_FILES:
            wrong.append(f"{place}: the text {text!r} is not in t(), tn() or tx()")
    return single, plural, wrong


def places(text):
    return sorted(re.findall(r"\{(\w+)\}", text))


def check_catalogue(language, catalogue, single, plural):
    wrong = []
    for text in sorted((set(single) | set(plural)) - set(catalogue)):
        wrong.append(f"texts/{language}.json: {text!r} is missing")
    for text in sorted(set(catalogue) - set(single) - set(plural)):
        wrong.append(f"texts/{language}.json: {text!r} is not used")
    for text, found in catalogue.items():
        if text in plural:
            if not (isinstance(found, list) and len(found) == 2 and all(isinstance(f, str) and f for f in found)):
                wrong.append(f"texts/{language}.json: {text!r} needs [one, many]")
                continue
            fits = places(found[1]) == places(text) and set(places(found[0])) <= set(places(text))
        elif text in single:
            if not isinstance(found, str) or not found:
                wrong.append(f"texts/{language}.json: {text!r} needs a string")
                continue
            fits = places(found) == places(text)
        else:
            continue
        if not fits:
            wrong.append(f"texts/{language}.json: {text!r} has other places in braces than {found!r}")
    return wrong


def check_page(page):
    single, plural, wrong = {}, {}, []
    for file in sorted(page.rglob("*.js")):
        name = file.relative_to(page).as_posix()
        one, many, more = texts_of(name, file.read_text(encoding="utf-8"))
        single.update(one)
        plural.update(many)
        wrong += more
    both = set(single) & set(plural)
    wrong += [f"{single[text]}: {text!r} is a text of tn(), too" for text in sorted(both)]
    names = sorted(file.stem for file in page.glob("texts/*.json"))
    for language in names:
        wrong += check_catalogue(language, json.loads((page / f"texts/{language}.json").read_text(encoding="utf-8")), single, plural)
    listed = re.search(r"languages = \{ (.*?) \}", (page / "app/text.js").read_text(encoding="utf-8"))[1]
    known = sorted(set(IDENTIFIER.findall(re.sub(r'"[^"]*"', "", listed))) - {"en"})
    worker = re.search(r"const languages = \[(.*?)\]", (page / "service-worker.js").read_text(encoding="utf-8"))[1]
    for what, found in ("languages of app/text.js", known), ("languages of service-worker.js", sorted(re.findall(r'"(\w+)"', worker))):
        if found != names:
            wrong.append(f"{what}: {found}, but the catalogues are {names}")
    return wrong, len(single) + len(plural), names


def self_test():
    """This test finds what it is for."""
    cases = {'h("p", {}, "Nothing moved")': 1, "x = `${n} events were found`": 1, 'h("p", { title: "Close" })': 1, 'h("p", { class: "panel block" })': 0, 't("Nothing moved")': 0,
             'tn("1 event", "{n} events", n)': 0, 't(a === "undo" ? "Taken back" : "Done")': 0, 'b.querySelector("div span")': 0, "// A comment": 0, 'x = /a "b c" d/;': 0,
             'h("p", {}, cond ? "no picture comes" : "")': 1}
    wrong = [code for code, count in cases.items() if len(texts_of("x.js", code)[2]) != count]
    found = check_catalogue("xx", {"a {n}": "b", "c": "d", "{n} e": "f"}, {"a {n}": "", "z": ""}, {"{n} e": ""})
    if len(found) != 4:
        wrong.append(f"a catalogue: {found}")
    return wrong


def main():
    broken = self_test()
    page = pathlib.Path(sys.argv[1]) / "tools/vigil-monitor/page"
    if len(sys.argv) > 2:
        print(*texts_of("x.js", pathlib.Path(sys.argv[2]).read_text(encoding="utf-8")), sep="\n")
        return 0
    wrong, count, names = check_page(page)
    for line in [*(f"this test does not work: {b}" for b in broken), *wrong]:
        print(line)
    if not (broken or wrong):
        print(f"{count} texts, in English and in {', '.join(names)}")
    return 1 if broken or wrong else 0


if __name__ == "__main__":
    sys.exit(main())
