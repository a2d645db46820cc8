// SPDX-License-Identifier: LGPL-2.1-or-later
#include "input.h"

#include "common/error.h"

#include <algorithm>
#include <filesystem>
#include <initializer_list>

namespace vigil::demo {

namespace fs = std::filesystem;
using tools::make_element;

namespace {

// Links the first video pad of a decoder; the others stay open, which decoders allow.
void on_pad(GstElement *, GstPad *pad, GstElement *next) {
  tools::ObjectPtr<GstPad> sink(gst_element_get_static_pad(next, "sink"));
  tools::CapsPtr caps(gst_pad_query_caps(pad, nullptr));
  const bool video =
      gst_caps_get_size(caps.get()) > 0 &&
      g_str_has_prefix(gst_structure_get_name(gst_caps_get_structure(caps.get(), 0)), "video/");
  if (video && !gst_pad_is_linked(sink.get())) gst_pad_link(pad, sink.get());
}
void on_no_more_pads(GstElement *decoder, GstElement *next) {
  tools::ObjectPtr<GstPad> sink(gst_element_get_static_pad(next, "sink"));
  if (!gst_pad_is_linked(sink.get()))
    GST_ELEMENT_ERROR(decoder, STREAM, WRONG_TYPE, ("there is no video in the input"), (nullptr));
}

} // namespace

GstElement *add_input(tools::Pipeline &pipeline, const Options &o, Limit &limit) {
  GstElement *decoder = pipeline.add(make_element("uridecodebin", "input"));
  GstElement *convert = pipeline.add(make_element("videoconvert"));
  g_object_set(decoder, "uri", o.input.c_str(), nullptr);
  g_signal_connect(decoder, "pad-added", G_CALLBACK(on_pad), convert);
  g_signal_connect(decoder, "no-more-pads", G_CALLBACK(on_no_more_pads), convert);
  if (o.frames)
    limit.watch(tools::ObjectPtr<GstPad>(gst_element_get_static_pad(convert, "src")).get(), o.frames);
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
