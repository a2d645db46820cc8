// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pictures.h"

#include "common/error.h"
#include "common/file.h"
#include "preset.h"
#include "tools/base/mapped.h"
#include "tools/base/pipeline.h"
#include "tools/vigil-eval/run.h"

#include <cstdio>
#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <gst/video/video.h>
#include <vector>

namespace vigil::demo {

namespace {

constexpr GstClockTime picture_patience = 20 * GST_SECOND;

} // namespace

std::string picture_name(const std::string &folder, const char *kind, std::uint64_t number) {
  char digits[24];
  std::snprintf(digits, sizeof digits, "%06llu", static_cast<unsigned long long>(number));
  return text(folder, "/", kind, "-", digits, ".png");
}

void save_png(GstSample *sample, const std::string &path) {
  gst::CapsPtr png(gst_caps_new_empty_simple("image/png"));
  GError *error = nullptr;
  gst::SamplePtr converted(gst_video_convert_sample(sample, png.get(), picture_patience, &error));
  if (!converted) {
    gst::ErrorPtr owner(error);
    fail(Error::Kind::device, "cannot make ", path, ": ", error->message);
  }
  const tools::MappedBuffer map(gst_sample_get_buffer(converted.get()));
  if (!map) fail(Error::Kind::device, "cannot read the picture for ", path);
  replace_file(path, {map.data(), map.size()});
}

gst::SamplePtr background(const Options &o, const std::string &model, GstSample *frame) {
  tools::Pipeline pipeline;
  GstElement *source = pipeline.add(tools::make_element("appsrc"));
  GstElement *sink = pipeline.add(tools::make_element("appsink"));
  const auto bin = make_bin(o.element.background, o);
  gst::ObjectPtr<GstElement> watched(gst_bin_get_by_name(GST_BIN(bin.get()), "watch"));
  g_object_set(watched.get(), "model-location", model.c_str(), nullptr);
  g_object_set(source, "caps", gst_sample_get_caps(frame), "format", GST_FORMAT_TIME, nullptr);
  g_object_set(sink, "sync", FALSE, nullptr);
  tools::link({source, pipeline.add(bin.get()), sink});
  pipeline.play();
  gst_app_src_push_buffer(GST_APP_SRC(source), gst_buffer_ref(gst_sample_get_buffer(frame)));
  gst_app_src_end_of_stream(GST_APP_SRC(source));
  gst::SamplePtr result(gst_app_sink_try_pull_sample(GST_APP_SINK(sink), picture_patience));
  pipeline.work_off_messages();
  if (!result) fail(Error::Kind::device, "no background came out of \"", o.element.background, "\"");
  return result;
}

} // namespace vigil::demo
