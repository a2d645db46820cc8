// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/cudamog/session.h"

namespace vigil::gst::cudamog {

void LiveStats::set(const Report &report, std::span<const StageTime> times) {
  const std::lock_guard lock(mutex_);
  report_ = report;
  times_.assign(times.begin(), times.end());
}

void LiveStats::clear() {
  model_frames = 0;
  precision = std::nullopt;
  set({}, {});
}

void LiveStats::add_to(GstStructure *s) const {
  const std::lock_guard lock(mutex_);
  const Report &r = report_;
  gst_structure_set(s, "model-frames", G_TYPE_UINT64, guint64(model_frames), "exposure-gain", G_TYPE_DOUBLE,
                    double(r.exposure.gain), "exposure-offset", G_TYPE_DOUBLE, double(r.exposure.offset),
                    "shift-x", G_TYPE_INT, r.shift.x, "shift-y", G_TYPE_INT, r.shift.y, "ghost-cells",
                    G_TYPE_INT, r.ghost_cells, "object-cells", G_TYPE_INT, r.object_cells, "relearning",
                    G_TYPE_BOOLEAN, gboolean(r.light != Report::Light::steady), nullptr);
  if (const std::optional<mog::Precision> p = precision)
    gst_structure_set(s, "precision", G_TYPE_STRING, mog::name_of(*p), nullptr);
  if (times_.empty()) return;
  GstStructure *stages = gst_structure_new_empty("stages");
  for (const StageTime &t : times_) {
    const auto mean = [&](double sum) { return t.frames > 0 ? sum / double(t.frames) : 0.; };
    GstStructure *stage = gst_structure_new(
        "stage", "frames", G_TYPE_UINT64, guint64(t.frames), "submit-us", G_TYPE_DOUBLE, mean(t.submit),
        "finish-us", G_TYPE_DOUBLE, mean(t.finish), "device-us", G_TYPE_DOUBLE, mean(t.device), nullptr);
    gst_structure_set(stages, t.stage, GST_TYPE_STRUCTURE, stage, nullptr);
    gst_structure_free(stage);
  }
  gst_structure_set(s, "stages", GST_TYPE_STRUCTURE, stages, nullptr);
  gst_structure_free(stages);
}

} // namespace vigil::gst::cudamog
