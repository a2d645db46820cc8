// SPDX-License-Identifier: LGPL-2.1-or-later
// What a histogram says about a picture, and what to do to a camera's exposure. Host code, a microsecond a
// frame.
//
// Values are in units of full scale: 0 is the code of black, 1 that of white (Levels). With N pixels, a
// percentile q is the smallest value v with at least q N pixels <= v; no interpolation.
//
//   mean, median   of the intensity
//   contrast       95th - 5th percentile of the intensity: one lamp or one dark corner does not count
//   clipped_dark   share of pixels whose intensity is black, up to two codes above it
//   clipped_bright share of pixels at white, down to two codes below it; of the channel that has most of
//                  them: a channel that is full has lost its colour, even where the intensity is far from
//                  white (two codes: compression and scaling move a clipped pixel by as much)
//   metered        mean of the intensity's light, value ^ 2.2, as a light meter sees it
//
// The advice takes these in turn:
//   both_ends      more than 1 % is clipped bright and more than 5 % dark: the scene has more contrast than
//                  the camera can take; no exposure is right. Fill light, a graduated filter or the camera's
//                  wide dynamic range are.
//   darker         more than 1 % is clipped bright: what is lost there cannot be had back. By as much as
//                  metered asks for, and at least half a stop, since nobody knows how far above white it was.
//   brighter,      metered is more than one stop away from 0.18, the grey that meters are calibrated to.
//                  Brighter only as far as
//   darker         99 % of the pixels stay below white in each channel, and not at all where that is less
//                  than half a stop. A stop of tolerance, so that a control loop which follows the advice
//                  comes to rest, and since light and dark scenes are allowed to be light and dark.
//   good           else
// Lamps and reflections fill less than 1 % in most scenes; 5 % for shadows, as the eye does not miss much in
// them. `low_contrast` (contrast below 0.25, and no both_ends) is reported in addition: fog, a dirty dome,
// backlight or a lens out of focus; no exposure mends that.
#pragma once

#include "kernels/histogram/histogram.h"

namespace vigil::histogram {

// Codes of black and white: 0 and 255 in RGB and full-range video, 16 and 235 in the usual Y.
struct Levels {
  int black = 0, white = 255;
};

struct Statistics {
  double mean = 0, median = 0, contrast = 0;
  double clipped_dark = 0, clipped_bright = 0; // shares, 0..1
  double metered = 0;
  double bright_end = 0; // 99th percentile of the channel where it is highest
};
// `channels` as channel_count(). All is 0 without pixels. Throws Error::bad_setting unless 0 <= black < white
// <= 255.
Statistics statistics(const Counts &, int channels, Levels = {});

enum class Exposure { good, brighter, darker, both_ends };
const char *name_of(Exposure); // "good", "brighter", "darker", "both-ends-clip"
struct Advice {
  Exposure exposure = Exposure::good;
  double stops = 0; // to change the exposure by: +1 is twice the light; within +-4
  bool low_contrast = false;
};
Advice advise(const Statistics &);

} // namespace vigil::histogram
