// SPDX-License-Identifier: LGPL-2.1-or-later
// Pipeline descriptions, in gst-launch-1.0's words, as bins.
#pragma once

#include "gst/video/gst_ptr.h"

#include <optional>
#include <string>

namespace vigil::eval {

// A value for one property of a description.
struct Setting {
  std::string property;
  double value;
};

// The description as a bin whose open ends are its pads. Caps may stand at its ends too.
// Throws Error::bad_setting with the parser's own words.
gst::ObjectPtr<GstElement> parse_bin(const std::string &description);
// The same, with one sink and one source pad, the setting applied.
// Throws Error::bad_setting with the parser's own words, or what is missing.
gst::ObjectPtr<GstElement> make_bin(const std::string &description,
                                    const std::optional<Setting> &setting = {});
// The property of the first element (from the head of the chain) that has it and takes numbers; else null,
// and `element` untouched. The element is borrowed from the bin.
GParamSpec *find_property(GstBin *, const std::string &property, GstElement **element);

} // namespace vigil::eval
