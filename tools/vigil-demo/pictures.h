// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "demo.h"
#include "gst/video/gst_ptr.h"

#include <cstdint>
#include <string>

namespace vigil::demo {

// FOLDER/KIND-000060.png
std::string picture_name(const std::string &folder, const char *kind, std::uint64_t number);
// Raw video in system memory as PNG. Throws Error::device or Error::write.
void save_png(GstSample *, const std::string &path);
// One frame through the description (see Element::background), with the model that was learned.
gst::SamplePtr background(const Options &, const std::string &model, GstSample *frame);

} // namespace vigil::demo
