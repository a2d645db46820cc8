// SPDX-License-Identifier: LGPL-2.1-or-later
// Whether a stream is a recording, which its server gives as fast as it is taken. It has to be played at its
// own speed; a live stream comes at its own speed.
#pragma once

#include <gst/gst.h>

namespace vigil::monitor {

// `pad` gives the stream; `pipeline` holds all elements of its source. True where the length of the stream is
// known, in time or in bytes; a live source never is a recording.
bool is_recording(GstPad *pad, GstBin *pipeline);

} // namespace vigil::monitor
