// SPDX-License-Identifier: LGPL-2.1-or-later
#include "view_learning.h"

#include "gst/video/gst_ptr.h"
#include "tools/base/mapped.h"
#include "utc.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <gst/video/video.h>
#include <system_error>

namespace vigil::monitor {
namespace {

StillPicture::Cells brightness_of(const GstVideoFrame &frame) {
  // Luma, or of colours green, which is most of it.
  const int component = GST_VIDEO_INFO_IS_RGB(&frame.info) ? GST_VIDEO_COMP_G : GST_VIDEO_COMP_Y;
  const auto *data = static_cast<const std::uint8_t *>(GST_VIDEO_FRAME_COMP_DATA(&frame, component));
  const auto stride = static_cast<std::size_t>(GST_VIDEO_FRAME_COMP_STRIDE(&frame, component)),
             step = static_cast<std::size_t>(GST_VIDEO_FRAME_COMP_PSTRIDE(&frame, component)),
             width = static_cast<std::size_t>(GST_VIDEO_FRAME_COMP_WIDTH(&frame, component)),
             height = static_cast<std::size_t>(GST_VIDEO_FRAME_COMP_HEIGHT(&frame, component));
  constexpr std::size_t samples = 4; // of a cell, in each direction
  StillPicture::Cells cells{};
  for (std::size_t i = 0; i < cells.size(); i++) {
    unsigned sum = 0;
    for (std::size_t s = 0; s < samples * samples; s++) {
      const std::size_t x =
          (i % StillPicture::columns * samples + s % samples) * width / (StillPicture::columns * samples);
      const std::size_t y =
          (i / StillPicture::columns * samples + s / samples) * height / (StillPicture::rows * samples);
      sum += data[y * stride + x * step];
    }
    cells[i] = static_cast<std::uint8_t>(sum / (samples * samples));
  }
  return cells;
}

} // namespace

void ViewLearning::begin_turn() {
  if (!mog_) return; // nothing has to be learnt again
  const std::lock_guard guard(lock_);
  turns_++;
  if (!turning_) still_.forget();
  turning_ = true;
}

void ViewLearning::end_turn() {
  const std::lock_guard guard(lock_);
  turning_ = false;
}

void ViewLearning::learn(const std::string &model) {
  if (!mog_) return;
  unsigned turn = 0;
  {
    const std::lock_guard guard(lock_);
    turn = turns_;
  }
  threads_.run([this, model, turn] {
    std::error_code none;
    gboolean loaded = FALSE;
    // Also before a model is loaded: what the camera looked at before is no view to compare this one with.
    g_signal_emit_by_name(mog_, "reset");
    if (!model.empty() && std::filesystem::is_regular_file(model, none))
      g_signal_emit_by_name(mog_, "load-model", model.c_str(), &loaded);
    const std::lock_guard guard(lock_);
    if (turn == turns_) turning_ = false;
  });
}

bool ViewLearning::picture_still() const {
  return still_.still(Utc::monotonic_seconds());
}

bool ViewLearning::known() const {
  if (turning_) return false;
  GstStructure *stats = nullptr;
  gboolean relearning = TRUE;
  g_object_get(mog_, "stats", &stats, nullptr);
  if (!stats) return false;
  const bool said = gst_structure_get_boolean(stats, "relearning", &relearning);
  gst_structure_free(stats);
  return said && !relearning;
}

void ViewLearning::see(GstPad *pad, GstBuffer *buffer) {
  if (!turning_) return;
  const double now = Utc::monotonic_seconds();
  if (!still_.due(now)) return;
  const gst::CapsPtr caps(gst_pad_get_current_caps(pad));
  GstVideoInfo video;
  if (!caps || !gst_video_info_from_caps(&video, caps.get())) return;
  const tools::MappedFrame frame(buffer, video, GST_MAP_READ);
  if (frame) still_.look(brightness_of(frame.get()), now);
}

} // namespace vigil::monitor
