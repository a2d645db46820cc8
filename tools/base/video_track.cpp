// SPDX-License-Identifier: LGPL-2.1-or-later
#include "video_track.h"

#include "iterate.h"

#include <cstdint>
#include <tuple>
#include <utility>

namespace vigil::tools {

namespace {

const GstStructure *first_of(const gst::CapsPtr &caps) {
  if (!caps || gst_caps_is_any(caps.get()) || gst_caps_get_size(caps.get()) == 0) return nullptr;
  return gst_caps_get_structure(caps.get(), 0);
}

gst::CapsPtr caps_of(GstPad *pad) {
  gst::CapsPtr caps(gst_pad_get_current_caps(pad));
  if (!caps) caps.reset(gst_pad_query_caps(pad, nullptr));
  return caps;
}

bool is_image(const GstStructure *s) {
  return s && g_str_has_prefix(gst_structure_get_name(s), "image/");
}

} // namespace

gst::ObjectPtr<GstPad> before_decoder(GstPad *pad) {
  gst::ObjectPtr<GstPad> at(GST_PAD(gst_object_ref(pad)));
  while (GST_IS_GHOST_PAD(at.get())) {
    GstPad *target = gst_ghost_pad_get_target(GST_GHOST_PAD(at.get()));
    if (!target) return {};
    at.reset(target);
  }
  const gst::ObjectPtr<GstElement> decoder(gst_pad_get_parent_element(at.get()));
  return gst::ObjectPtr<GstPad>(decoder ? gst_element_get_static_pad(decoder.get(), "sink") : nullptr);
}

namespace {

// True when the pad, or the decoder behind it, takes single pictures: the caps before the decoder say so.
bool is_of_images(GstPad *pad) {
  if (is_image(first_of(caps_of(pad)))) return true;
  const auto in = before_decoder(pad);
  return in && is_image(first_of(gst::CapsPtr(gst_pad_get_current_caps(in.get()))));
}

} // namespace

bool gives_pictures(GstPad *pad) {
  const gst::CapsPtr caps = caps_of(pad);
  const GstStructure *s = first_of(caps);
  return s && (g_str_has_prefix(gst_structure_get_name(s), "video/") || is_image(s));
}

gst::ObjectPtr<GstPad> best_video_pad(GstElement *decoder) {
  gst::ObjectPtr<GstPad> best;
  std::tuple<bool, std::int64_t> best_rank;
  for (gst::ObjectPtr<GstPad> &pad : all_of<GstPad>(gst_element_iterate_src_pads(decoder))) {
    if (!gives_pictures(pad.get())) continue;
    const gst::CapsPtr caps = caps_of(pad.get());
    const GstStructure *s = first_of(caps);
    if (!s) continue; // its caps went meanwhile
    int width = 0, height = 0;
    gst_structure_get_int(s, "width", &width);
    gst_structure_get_int(s, "height", &height);
    const std::tuple rank(!is_of_images(pad.get()), std::int64_t{width} * height);
    if (best && rank <= best_rank) continue;
    best = std::move(pad);
    best_rank = rank;
  }
  return best;
}

} // namespace vigil::tools
