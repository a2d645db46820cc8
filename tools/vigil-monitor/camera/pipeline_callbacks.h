// SPDX-License-Identifier: LGPL-2.1-or-later
// What GStreamer calls of a CameraPipeline.
#pragma once

#include "pipeline.h"

#include <gst/app/gstappsink.h>

namespace vigil::monitor {

// Why a camera is offline.
inline constexpr const char *no_key_frame = "no key frame came for 11 seconds; the stream is taken without "
                                            "one, and its first pictures may be damaged";
inline constexpr const char *all_damaged =
    "the decoder calls all pictures of the last 11 seconds damaged; they are taken as they are";
struct CameraPipeline::Callbacks {
  static GstPadProbeReturn into_uncovered_tiles(GstPad *, GstPadProbeInfo *, gpointer);
  static GstFlowReturn take_tile(GstAppSink *, CameraPipeline &, bool covered);
  static GstFlowReturn uncovered_tile(GstAppSink *, gpointer);
  static GstPadProbeReturn unanalysed(GstPad *, GstPadProbeInfo *, gpointer);
  static void decoded_pad(GstElement *, GstPad *, gpointer);
  static GstPadProbeReturn caps_of_pictures(GstPad *, GstPadProbeInfo *, gpointer);
  static GstPadProbeReturn plan_picture(GstPad *, GstPadProbeInfo *, gpointer);
  static GstPadProbeReturn caps_of_frames(GstPad *, GstPadProbeInfo *, gpointer);
  static GstPadProbeReturn caps_to_reduce(GstPad *, GstPadProbeInfo *, gpointer);
  static GstPadProbeReturn caps_of_masks(GstPad *, GstPadProbeInfo *, gpointer);
  static GstPadProbeReturn caps_of_tiles(GstPad *, GstPadProbeInfo *, gpointer);
  static GstPadProbeReturn frame_in(GstPad *, GstPadProbeInfo *, gpointer);
  static GstPadProbeReturn before_mog(GstPad *, GstPadProbeInfo *, gpointer);
  static GstPadProbeReturn after_mog(GstPad *, GstPadProbeInfo *, gpointer);
  static GstPadProbeReturn after_chain(GstPad *, GstPadProbeInfo *, gpointer);
  static GstPadProbeReturn picture_to_crop(GstPad *, GstPadProbeInfo *, gpointer);
  static GstPadProbeReturn into_tiles(GstPad *, GstPadProbeInfo *, gpointer);
  static GstPadProbeReturn into_plain_tiles(GstPad *, GstPadProbeInfo *, gpointer);
  static GstPadProbeReturn into_view_tiles(GstPad *, GstPadProbeInfo *, gpointer);
  static GstPadProbeReturn tint_tile(GstPad *, GstPadProbeInfo *, gpointer);
  static GstPadProbeReturn into_decoder(GstPad *, GstPadProbeInfo *, gpointer);
  static GstPadProbeReturn decoded(GstPad *, GstPadProbeInfo *, gpointer);
  static void leaks(GstElement *, gpointer);
  static GstPadProbeReturn into_findings(GstPad *, GstPadProbeInfo *, gpointer);
  static GstFlowReturn findings(GstAppSink *, gpointer);
  static GstFlowReturn tile(GstAppSink *, gpointer);
};

} // namespace vigil::monitor
