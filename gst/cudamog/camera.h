// SPDX-License-Identifier: LGPL-2.1-or-later
// Says on the bus when a camera is covered, out of focus or moved (kernels/view).
#pragma once

#include "gst/observe/results.h"
#include "kernels/view/watch.h"

namespace vigil::gst::cudamog {

// An element message camera-covered, camera-blurred or camera-moved with the fields of new_timed_structure()
// and
//   state              string, begin or end
//   since              guint64, running time in ns at which it was first seen; missing where the frames have
//                      none
//   agreement          gdouble, 0..1: share of the textured parts of the picture that show what they showed
//   sharpness          gdouble, 1: as sharp as before; missing where it cannot be told
//   shift-x, shift-y   gdouble, pixels by which the picture's content moved to the right and down; of a
//                      camera-moved that begins, and missing where nothing of the old view is found
void post_camera(GstElement *, const view::Event &, const FrameTime &);

} // namespace vigil::gst::cudamog
