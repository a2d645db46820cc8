// SPDX-License-Identifier: LGPL-2.1-or-later
// The only way from finished frames to later ones.
//
// Stage::finish() writes it and Stage::submit() reads it. With async-depth = d and group-size = g, a frame
// finishes after up to d + g - 1 later frames were submitted. So what frame n found takes effect with the
// first group that is submitted after n came out: d frames later, or more with groups. The adaptation map is
// always that of the frame that finished last. Requests are kept until a group was submitted, and are then
// done.
#pragma once

#include "kernels/tamper/known_views.h"

#include <cstdint>
#include <optional>
#include <span>

namespace vigil::gst::cudamog {

// What has to start over.
enum class Restart : std::uint8_t {
  none,
  scene, // the same model describes another light, or another view, from now on
  model, // another model takes its place
  all,   // the user wants everything learnt anew
};

struct Feedback {
  // Frames for which a request to relearn lasts.
  static constexpr int relearn_frames = 30;

  // A ghost::AdaptationRate for each cell of the next frame: how fast the model learns there. Empty: at the
  // usual rate everywhere.
  std::span<const std::uint8_t> adaptation;

  // A cleanup::KeepSmall for each cell of the next frame. Empty: small objects are kept nowhere.
  std::span<const std::uint8_t> small_objects;

  // What finished frames ask of the next group.
  struct Requests {
    bool relearn = false;      // a light was switched just now: the next frames are learnt fast
    bool recall_light = false; // most of the picture has changed: another light that is known may explain it
    std::optional<tamper::KnownViews::Change>
        view; // the camera looks at another place than the model describes
    // The camera may look at another place: what is background now is to be kept.
    bool keep_view = false;
    bool look = false;            // much has changed since the frame before: is it another view?
    bool stop_relearning = false; // light-jump is off: no frame is learnt fast any longer
  } requests;

  void start_over(Restart restart) {
    adaptation = {};
    small_objects = {};
    if (restart == Restart::scene) return;
    const auto view = restart == Restart::all ? std::nullopt : requests.view;
    requests = {};
    requests.view = view;
  }
};

} // namespace vigil::gst::cudamog
