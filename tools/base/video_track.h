// SPDX-License-Identifier: LGPL-2.1-or-later
// Which of a file's tracks is its video.
#pragma once

#include "gst/video/gst_ptr.h"

namespace vigil::tools {

// The pad of a decodebin or uridecodebin that gives the video; null when none gives pictures. To be
// called when the element says that no more pads come. Tracks of pictures such as JPEG, which may be a
// thumbnail or a cover, come behind all others; among tracks of one kind the largest picture wins, then the
// first track.
gst::ObjectPtr<GstPad> best_video_pad(GstElement *decoder);

bool gives_pictures(GstPad *); // of video or of single pictures, decoded or not

// The pad through which the decoder gets what it decodes for a pad of a decodebin or uridecodebin; null where
// there is none.
gst::ObjectPtr<GstPad> before_decoder(GstPad *);

} // namespace vigil::tools
