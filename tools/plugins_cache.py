#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes docs/reference/gst_plugins_cache.json, what the plugin says of its elements: pads, properties, signals, enumerations.
Usage: plugins_cache.py [--check]

It needs python3-gi and GST_PLUGIN_PATH at a build with OpenCL and OpenGL. --check compares, and fails with each difference. Caps of memory
other than the system's depend on what was built in, and are left out; so are elements that this build has not. A pad that takes every
format that GStreamer knows has the name of that list, since each version of GStreamer knows other formats."""
import json
import pathlib
import re
import sys

try:
    import gi

    gi.require_version("Gst", "1.0")
    gi.require_version("GstVideo", "1.0")
    from gi.repository import GObject, Gst, GstVideo
except (ImportError, ValueError) as why:
    print(f"SKIPPED: {why}; install python3-gi gir1.2-gstreamer-1.0 gir1.2-gst-plugins-base-1.0")
    sys.exit(77)

CACHE = pathlib.Path(__file__).resolve().parents[1] / "docs/reference/gst_plugins_cache.json"
# What GStreamer's own classes bring changes with its version.
INHERITED = {"GstObject", "GstBaseTransform", "GstAggregator", "GstElement", "GstBin", "GObject"}
FLAGS = {"readable": GObject.ParamFlags.READABLE, "writable": GObject.ParamFlags.WRITABLE, "construct": GObject.ParamFlags.CONSTRUCT,
         "construct-only": GObject.ParamFlags.CONSTRUCT_ONLY}
CHANGES = {1 << 12: "playing", 1 << 11: "paused", 1 << 10: "ready"}  # GST_PARAM_MUTABLE_*, which the bindings lack
CONTROLLABLE = 1 << 9


def number(value):
    return repr(round(value, 12)) if isinstance(value, float) else str(value)


def properties(element):
    out = {}
    for spec in sorted(element.list_properties(), key=lambda s: s.name):
        if spec.owner_type.name in INHERITED:
            continue
        entry = {"blurb": spec.blurb, "type": spec.value_type.name, "controllable": bool(spec.flags & CONTROLLABLE)}
        entry.update({name: bool(spec.flags & flag) for name, flag in FLAGS.items()})
        entry["mutable"] = next((state for flag, state in CHANGES.items() if spec.flags & flag), "null")
        for name in ("minimum", "maximum"):
            if hasattr(spec, name):
                entry[name[:3]] = number(getattr(spec, name))
        if hasattr(spec, "enum_class"):
            values = type(element.get_property(spec.name)).__enum_values__  # PyGObject 3.50's enum_class has no list of them
            entry["default"] = values[int(spec.default_value)].value_nick  # newer PyGObject gives the number alone
            entry["values"] = [{"name": v.value_nick, "desc": v.value_name} for _, v in sorted(values.items())]
        elif hasattr(spec, "default_value") and spec.default_value is not None:
            entry["default"] = number(spec.default_value)
        out[spec.name] = entry
    return out


def with_named_formats(structure):
    """The text of a structure of caps, with GST_VIDEO_FORMATS_ALL for all formats of this GStreamer."""
    text = structure.to_string()
    found = re.search(r"format=\(string\)\{ ([^}]*) \}", text)
    if found and set(found[1].split(", ")) == ALL_FORMATS:
        text = text.replace(found[0], "format=(string)GST_VIDEO_FORMATS_ALL")
    return text


def system_caps(caps):
    """The structures of caps that are in system memory, as text."""
    if caps.is_any():
        return ["ANY"]
    out = []
    for i in range(caps.get_size()):
        features = caps.get_features(i)
        if features is None or features.is_equal(Gst.CapsFeatures.from_string("memory:SystemMemory")):
            out.append(with_named_formats(caps.get_structure(i)))
    return out


def describe(factory):
    element = factory.create(None)
    signals = {}
    for number_of in GObject.signal_list_ids(element.__gtype__):
        query = GObject.signal_query(number_of)
        signals[query.signal_name] = {"args": [t.name for t in query.param_types], "return": query.return_type.name,
                                      "action": bool(query.signal_flags & GObject.SignalFlags.ACTION)}
    pads = {t.name_template: {"direction": t.direction.value_nick, "presence": t.presence.value_nick, "caps": system_caps(t.get_caps())}
            for t in factory.get_static_pad_templates()}
    return {"long-name": factory.get_metadata("long-name"), "klass": factory.get_metadata("klass"), "description": factory.get_metadata("description"),
            "pad-templates": dict(sorted(pads.items())), "properties": properties(element), "signals": dict(sorted(signals.items()))}


def differences(old, new, path=""):
    """Where two trees differ, by path."""
    if isinstance(old, dict) and isinstance(new, dict):
        return [d for key in sorted({*old, *new}) for d in differences(old.get(key), new.get(key), f"{path}/{key}")]
    return [] if old == new else [f"{path}: the cache has {json.dumps(old)}, the plugin {json.dumps(new)}"]


Gst.init([])
ALL_FORMATS = {GstVideo.VideoFormat.to_string(f) for f in GstVideo.video_formats_raw()}
plugin = Gst.Registry.get().find_plugin("vigil")
if plugin is None:
    sys.exit("GStreamer does not find the plugin vigil; set GST_PLUGIN_PATH to the folder of libgstvigil.so")
elements = {f.get_name(): describe(f.load()) for f in Gst.Registry.get().get_feature_list_by_plugin("vigil") if isinstance(f, Gst.ElementFactory)}
if sys.argv[1:] == ["--check"]:
    kept = json.loads(CACHE.read_text(encoding="utf-8"))["vigil"]["elements"]
    for gone in sorted(kept.keys() - elements.keys()):
        print(f"{gone} is not in this build, and is not compared")
    found = differences({name: kept.get(name) for name in elements}, elements)
    if found:
        sys.exit("\n".join([f"{CACHE.name} is not what the plugin says; run tools/plugins_cache.py, and see whether pages follow:", *found]))
    print(f"{len(elements)} elements, {sum(len(e['properties']) for e in elements.values())} properties")
elif not sys.argv[1:]:
    CACHE.write_text(json.dumps({"vigil": {"description": plugin.get_description(), "elements": dict(sorted(elements.items()))}}, indent=1) + "\n", encoding="utf-8")
else:
    sys.exit(__doc__)
