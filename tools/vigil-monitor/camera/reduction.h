// SPDX-License-Identifier: LGPL-2.1-or-later
// Smaller and fewer pictures for the chain, since a processor's time goes with their pixels.
#pragma once

#include "../config/config.h"

#include <gst/video/video.h>

namespace vigil::monitor {

// Lines of the chain's pictures when the camera's have `lines`. `asked`: CameraConfig::detect_height. Half of
// less than 360 lines would lose what is small.
int chain_lines(int asked, int lines);

// How wide the picture is in square pixels of its lines' height.
int width_shown(const GstVideoInfo &);

// What makes a scaler give so many lines of such pictures, with square pixels. The whole size is said: one
// scaler does not find the width by itself, and another keeps the size that it gave before where it may.
// To be unreferenced.
GstCaps *reduced_caps(const GstVideoInfo &, int lines);

// cudamog's min-area counts pixels: at its default it gets what goes with half the camera's height, and gets
// the default back for whole pictures. What a preset set, or `configured` names, stays.
void fit_settings(GstElement *cudamog, bool half, const ElementSettings &configured);

// Where fewer pictures are analysed than the camera's (detect: {fps: N}), cudamog remembers as many seconds
// as it would with all of them: its history is a number of frames. What the configuration says of the
// learning stays.
void fit_learning_time(GstElement *cudamog, const GstVideoInfo &, const CameraConfig &);

} // namespace vigil::monitor
