// SPDX-License-Identifier: LGPL-2.1-or-later
#include "analysis_chain.h"

#include "common/guarded.h"
#include "gpu_pictures.h"
#include "gst/video/gst_ptr.h"
#include "pipeline_element.h"
#include "properties.h"
#include "tools/base/pipeline.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

namespace vigil::monitor {
namespace {

// Whether cudamog takes OpenGL by itself here: that runs on a GPU, and passes the element's trial. A short
// pipeline finds out, once, where there is a device at all.
bool mog_takes_gl() {
  static const bool found = [] {
    std::error_code none;
    if (has_cuda_driver() || !std::filesystem::exists("/dev/dri", none)) return false;
    GstElement *made =
        gst_parse_launch("videotestsrc num-buffers=1 ! video/x-raw,format=NV12,width=64,height=48"
                         " ! cudamog name=mog ! fakesink",
                         nullptr);
    if (!made) return false;
    gst_object_ref_sink(made);
    const gst::ObjectPtr<GstElement> line(made), mog(gst_bin_get_by_name(GST_BIN(made), "mog"));
    if (!mog) return false;
    const gst::ObjectPtr<GstBus> bus(gst_element_get_bus(made));
    gst_element_set_state(made, GST_STATE_PLAYING);
    constexpr GstClockTime longest = 10 * GST_SECOND;
    const gst::MessagePtr end(gst_bus_timed_pop_filtered(
        bus.get(), longest, static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR)));
    GstStructure *stats = nullptr;
    g_object_get(mog.get(), "stats", &stats, nullptr);
    const bool gl = g_strcmp0(gst_structure_get_string(stats, "backend"), "gl") == 0;
    gst_structure_free(stats);
    gst_element_set_state(made, GST_STATE_NULL);
    return gl && end && GST_MESSAGE_TYPE(end.get()) == GST_MESSAGE_EOS;
  }();
  return found;
}

void use_processor(GstElement *e) {
  const GParamSpec *spec = g_object_class_find_property(G_OBJECT_GET_CLASS(e), "backend");
  if (spec && G_IS_PARAM_SPEC_ENUM(spec) &&
      g_enum_get_value_by_nick(G_PARAM_SPEC_ENUM(spec)->enum_class, "cpu"))
    gst_util_set_object_arg(G_OBJECT(e), "backend", "cpu");
}

// What the monitor sets where the configuration says nothing. All else keeps the element's own defaults,
// which are chosen on labelled video (docs/explanation/quality.md); an event only ends after a second and a
// half of rest, and the cameras share the processors: with two threads each they took 4 % more of their time.
constexpr std::pair<const char *, const char *> mog_defaults[] = {
    {"motion-hold", "1500"},
    {"motion-delay", "100"}, // a streak of rain or a bad picture shows in one frame
    {"threads", "1"},
};

} // namespace

void AnalysisChain::build(GstElement *pictures, const std::function<void(const std::string &)> &refused) {
  const bool silhouettes = config_.privacy.silhouettes;
  GstElement *queue = queue_.emplace(pipeline_).element();
  tools::link({pictures, queue});
  GstElement *last = reduces() ? add_reduction(queue) : queue;
  for (const std::string &name : chain_elements()) {
    const bool asked = config_.elements.count(name) != 0;
    const bool rules = (name == "boxtrack" || name == "tracklabel" || name == "boxrules") &&
                       tools::has_element(name.c_str());
    if (name != "cudamog" && !asked && !rules) continue;
    GstElement *e = add_element(pipeline_, name.c_str(), name.c_str());
    if (!has_cuda_driver() && (name != "cudamog" || !mog_takes_gl())) use_processor(e);
    if (name == "cudamog") {
      for (const auto &[p, v] : mog_defaults) set_property(e, p, v);
      if (silhouettes) set_property(e, "absorb-after", "0"); // somebody may stand motionless
      gst_util_set_object_arg(G_OBJECT(e), "output", silhouettes ? "mask" : "passthrough");
      mog_ = e;
    }
    if (asked) apply_settings(e, config_.elements.at(name), refused);
    tools::link({last, e});
    elements_.push_back(e);
    last = e;
  }
}

GstElement *AnalysisChain::element(const std::string &name) const {
  for (GstElement *e : elements_)
    if (name == GST_OBJECT_NAME(e)) return e;
  return nullptr;
}

bool AnalysisChain::has(const GstObject *object) const {
  return std::any_of(elements_.begin(), elements_.end(),
                     [&](GstElement *e) { return GST_OBJECT(e) == object; });
}

bool AnalysisChain::reduces() const {
  if (config_.privacy.silhouettes) return true; // plain tiles are of pictures that came: the chain has masks
  if (config_.detect_height != detect_half) return config_.detect_height != detect_full;
  // A GPU has time for whole pictures, and what these two do depends on how large things are in them.
  return !on_gpu() && !config_.elements.count("gpufisher") && !config_.elements.count("clbilateral");
}

bool AnalysisChain::tints() const {
  return reduction_ && (!on_gpu() || config_.privacy.silhouettes);
}

GstElement *AnalysisChain::add_reduction(GstElement *last) {
  GstElement *scale = add_element(pipeline_, on_gpu() ? "cudascale" : "videoscale");
  if (g_object_class_find_property(G_OBJECT_GET_CLASS(scale), "add-borders"))
    g_object_set(scale, "add-borders", FALSE,
                 nullptr); // for the part of a pixel that the width is rounded by
  reduction_ = add_element(pipeline_, "capsfilter");
  const gst::ObjectPtr<GstPad> sink(gst_element_get_static_pad(scale, "sink"));
  gst_pad_add_probe(sink.get(), GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
                    guarded<AnalysisChain::caps_to_reduce, GST_PAD_PROBE_OK>, this, nullptr);
  tools::link({last, scale, reduction_});
  return reduction_;
}

GstPadProbeReturn AnalysisChain::caps_to_reduce(GstPad *, GstPadProbeInfo *info, gpointer user) {
  if (const auto video = video_of(info)) static_cast<AnalysisChain *>(user)->set_reduction(*video);
  return GST_PAD_PROBE_OK;
}

void AnalysisChain::set_reduction(const GstVideoInfo &video) {
  const int reduced = chain_lines(config_.detect_height, video.height);
  const gst::CapsPtr caps(reduced_caps(video, reduced));
  g_object_set(reduction_, "caps", caps.get(), nullptr);
  const bool half = config_.detect_height == detect_half && reduced < video.height;
  if (std::exchange(halved_, half) != half) fit_settings(mog_, half, config_.elements);
}

} // namespace vigil::monitor
