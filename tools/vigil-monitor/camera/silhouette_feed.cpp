// SPDX-License-Identifier: LGPL-2.1-or-later
#include "silhouette_feed.h"

#include "tools/base/mapped.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>
#include <vector>

namespace vigil::monitor {
namespace {

// Of cudamog and of tracks. A mask may not show a track that was not found in this frame.
std::vector<Silhouettes::Box> boxes_on(GstBuffer *buffer) {
  std::vector<Silhouettes::Box> out;
  gpointer state = nullptr;
  while (auto *m = reinterpret_cast<GstVideoRegionOfInterestMeta *>(
             gst_buffer_iterate_meta_filtered(buffer, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE))) {
    constexpr guint most = 1u << 20;
    if (std::max({m->x, m->y, m->w, m->h}) > most) continue;
    const GstStructure *track = gst_video_region_of_interest_meta_get_param(m, "track");
    const char *found = track ? gst_structure_get_string(track, "state") : "tracked";
    out.push_back({static_cast<int>(m->x), static_cast<int>(m->y), static_cast<int>(m->w),
                   static_cast<int>(m->h), found && std::strcmp(found, "tracked") == 0});
  }
  return out;
}

} // namespace

void SilhouetteFeed::mask_caps(const GstVideoInfo &info) {
  mask_info_ = info;
}

SharedSilhouettes SilhouetteFeed::look(GstBuffer *buffer, GstClockTime running, bool known) {
  Silhouettes::Frame f{nullptr, 0, 0,
                       0,       0, known && !GST_BUFFER_FLAG_IS_SET(buffer, GST_BUFFER_FLAG_CORRUPTED)};
  if (GST_VIDEO_INFO_FORMAT(&mask_info_) != GST_VIDEO_FORMAT_GRAY8 || !GST_CLOCK_TIME_IS_VALID(running))
    return silhouettes_.find(f, {});
  const tools::MappedFrame mask(buffer, mask_info_, GST_MAP_READ);
  if (!mask) return silhouettes_.find(f, {});
  f.mask = static_cast<const std::uint8_t *>(GST_VIDEO_FRAME_PLANE_DATA(&mask.get(), 0));
  f.stride = GST_VIDEO_FRAME_PLANE_STRIDE(&mask.get(), 0);
  f.width = mask_info_.width;
  f.height = mask_info_.height;
  f.seconds = static_cast<double>(running) / GST_SECOND;
  return silhouettes_.find(f, boxes_on(buffer));
}

void SilhouetteFeed::put(GstBuffer *buffer, GstClockTime running, bool known) {
  SharedSilhouettes cells = look(buffer, running, known);
  constexpr std::size_t most = 64; // more than queues before those who cover hold
  const std::lock_guard guard(lock_);
  if (!found_.empty() && found_.back().running > running) found_.clear(); // another time begins
  if (found_.size() >= most) found_.pop_front();
  found_.push_back({running, std::move(cells)});
  changed_.notify_all();
}

std::optional<SharedSilhouettes> SilhouetteFeed::take(GstClockTime running) {
  if (!GST_CLOCK_TIME_IS_VALID(running)) return std::nullopt;
  constexpr auto patience = std::chrono::milliseconds(500);
  std::unique_lock guard(lock_);
  // The newest one: times may come again.
  const auto at = [&] {
    return std::find_if(found_.rbegin(), found_.rend(), [&](const Found &f) { return f.running == running; });
  };
  const auto decided = [&] {
    return closed_ || at() != found_.rend() || (!found_.empty() && found_.back().running > running);
  };
  changed_.wait_for(guard, patience, decided);
  const auto found = at();
  if (closed_ || found == found_.rend()) return std::nullopt;
  return found->cells;
}

void SilhouetteFeed::close() {
  const std::lock_guard guard(lock_);
  closed_ = true;
  changed_.notify_all();
}

} // namespace vigil::monitor
