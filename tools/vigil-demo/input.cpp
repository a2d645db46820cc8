// SPDX-License-Identifier: LGPL-2.1-or-later
#include "input.h"

#include "common/error.h"

#include <algorithm>
#include <filesystem>
#include <initializer_list>

namespace vigil::demo {

namespace fs = std::filesystem;
using tools::make_element;

GstElement *add_input(tools::Pipeline &pipeline, const Options &o, Limit &limit) {
  GstElement *decoder = pipeline.add(make_element("uridecodebin", "input"));
  GstElement *convert = pipeline.add(make_element("videoconvert"));
  g_object_set(decoder, "uri", o.input.c_str(), nullptr);
  tools::link_video(decoder, convert);
  if (o.frames)
    limit.watch(gst::ObjectPtr<GstPad>(gst_element_get_static_pad(convert, "src")).get(), o.frames);
  return convert;
}

void clear_old_results(const std::string &folder) {
  constexpr const char *kinds[] = {"mask-", "overlay-", "clean-", "noisy-", "filtered-"};
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) fail(Error::Kind::write, "cannot make the folder ", folder, ": ", error.message());
  for (const auto &entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    const bool picture =
        entry.path().extension() == ".png" &&
        (name == "background.png" || std::any_of(std::begin(kinds), std::end(kinds),
                                                 [&](const char *kind) { return name.starts_with(kind); }));
    if (picture || name.starts_with("overlay.")) fs::remove(entry.path());
  }
}

} // namespace vigil::demo
