// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/boxrules/painter.h"

#include "common/error.h"
#include "gst/errors.h"

namespace vigil::gst::boxrules {

void Painter::restart() {
  drawing_.forget();
  drawable_ = downstream_composes_ = false;
  ask_ = true;
}

void Painter::set_caps(const GstCaps *caps, const StreamPosition &place) {
  drawable_ =
      gst_caps_features_is_equal(gst_caps_get_features(caps, 0), GST_CAPS_FEATURES_MEMORY_SYSTEM_MEMORY) &&
      place.info.finfo;
  warned_ = false;
  ask_ = true;
}

// The base class asks the next element of no element that works in place.
void Painter::ask_downstream(GstBaseTransform *trans) {
  if (!ask_.exchange(false)) return;
  downstream_composes_ = false;
  GstPad *src = GST_BASE_TRANSFORM_SRC_PAD(trans);
  GstCaps *caps = gst_pad_get_current_caps(src);
  if (!caps) return;
  GstQuery *query = gst_query_new_allocation(caps, FALSE);
  downstream_composes_ =
      gst_pad_peer_query(src, query) &&
      gst_query_find_allocation_meta(query, GST_VIDEO_OVERLAY_COMPOSITION_META_API_TYPE, nullptr);
  gst_query_unref(query);
  gst_caps_unref(caps);
}

void Painter::draw(GstBaseTransform *trans, GstBuffer *buffer, const rules::RuleEngine &engine,
                   const std::vector<TrackOnFrame> &tracks, const StreamPosition &place) {
  drawing_.step(engine, tracks, place.seconds, place.width, place.height);
  if (drawable_ && drawing_.blend(buffer, place.info)) return;
  ask_downstream(trans);
  if (downstream_composes_) {
    drawing_.attach(buffer);
    return;
  }
  if (warned_) return;
  warned_ = true;
  post_warning(
      GST_ELEMENT(trans),
      Error(
          Error::Kind::bad_setting,
          "draw=true, but these frames cannot be drawn on: they are not in system memory, or not writable, "
          "and "
          "the next element takes no overlay compositions; put a download before, or an element that does"));
}

} // namespace vigil::gst::boxrules
