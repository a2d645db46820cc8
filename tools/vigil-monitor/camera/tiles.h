// SPDX-License-Identifier: LGPL-2.1-or-later
// Decides which frames of a camera become pictures for viewers, and which view each shows. Knows no
// GStreamer.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string_view>

namespace vigil::monitor {

// `uncovered`: the picture as it is, of a camera whose other pictures are covered (privacy).
enum class View : std::uint8_t { plain, overlay, mask, background, uncovered };
constexpr std::array<std::string_view, 5> view_names = {"plain", "overlay", "mask", "background",
                                                        "uncovered"};
std::optional<View> view_named(std::string_view);

class TilePlan {
 public:
  explicit TilePlan(double fps) : period_ns_(static_cast<std::int64_t>(1e9 / fps)) {}

  // What viewers want all the time: a bit for each view.
  void demand(unsigned views);
  // One picture more, with the next frame.
  void once(View);
  // Whether viewers wait for pictures of this view, all the time or once.
  bool wants(View) const;
  // Whether one picture is waited for, which the caller gives now.
  bool take_once(View);

  // Frames differ by their running time in nanoseconds, UINT64_MAX: none. Time stamps would not do:
  // they come again in a stream that begins again.
  // Called for each frame, in their order, with a clock that never goes back: the view that this frame is to
  // show, or none. Views take turns; each has the camera's live rate. A frame that is not analysed can show
  // the plain and the uncovered picture alone.
  std::optional<View> frame(std::int64_t now_ns, std::uint64_t running, bool analysed = true);
  // What was decided last for a frame of this running time.
  std::optional<View> planned(std::uint64_t running) const;
  // Another pipeline begins, whose running time begins at 0.
  void forget();

 private:
  const std::int64_t period_ns_;
  mutable std::mutex lock_;
  unsigned wanted_ = 0, once_ = 0;
  std::array<std::int64_t, view_names.size()> last_{INT64_MIN / 2, INT64_MIN / 2, INT64_MIN / 2,
                                                    INT64_MIN / 2, INT64_MIN / 2};
  struct Planned {
    std::uint64_t running = UINT64_MAX;
    std::optional<View> view;
  };
  std::array<Planned, 64> ring_; // of all frames: more than elements hold back (group-size, async-depth)
  std::size_t next_ = 0;
};

} // namespace vigil::monitor
