// SPDX-License-Identifier: LGPL-2.1-or-later
// What GStreamer calls of a CameraPipeline.
#pragma once

#include "pipeline.h"

#include <gst/app/gstappsink.h>

namespace vigil::monitor {

// Why a camera is offline.
inline constexpr const char *stream_ended = "the stream has ended";
inline constexpr const char *played_once = "the recording has ended and is played once, since loop is false; "
                                           "switch the camera off and on to play it again";
inline constexpr const char *no_key_frame = "no key frame came for 11 seconds; the stream is taken without "
                                            "one, and its first pictures may be damaged";
inline constexpr const char *all_damaged =
    "the decoder calls all pictures of the last 11 seconds damaged; they are taken as they are";
inline constexpr const char *no_times =
    "the file is no video, but a picture, or pictures without times; to watch a JPEG picture use the source "
    "filesrc location=FILE ! jpegdec ! imagefreeze is-live=true ! video/x-raw,framerate=5/1";

struct CameraPipeline::Callbacks {
  struct Task { // of on_own_thread()
    CameraPipeline &pipeline;
    void (*run)(CameraPipeline &);
  };
  static void on_own_thread(GstElement *, gpointer task);
  static void delete_task(gpointer task);
  static void pad_added(GstElement *, GstPad *, gpointer);
  static void decoded_pad(GstElement *, GstPad *, gpointer);
  static GstBusSyncReply sync_message(GstBus *, GstMessage *, gpointer);
  static gboolean message(GstBus *, GstMessage *, gpointer);
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
  static GstPadProbeReturn into_tiles(GstPad *, GstPadProbeInfo *, gpointer);
  static GstPadProbeReturn into_plain_tiles(GstPad *, GstPadProbeInfo *, gpointer);
  static GstPadProbeReturn into_view_tiles(GstPad *, GstPadProbeInfo *, gpointer);
  static GstPadProbeReturn tint_tile(GstPad *, GstPadProbeInfo *, gpointer);
  static GstPadProbeReturn caps_of_source(GstPad *, GstPadProbeInfo *, gpointer);
  static GstPadProbeReturn of_source(GstPad *, GstPadProbeInfo *, gpointer);
  static GstPadProbeReturn into_decoder(GstPad *, GstPadProbeInfo *, gpointer);
  static GstPadProbeReturn decoded(GstPad *, GstPadProbeInfo *, gpointer);
  static void leaks(GstElement *, gpointer);
  static GstPadProbeReturn first_of_file(GstPad *, GstPadProbeInfo *, gpointer);
  static GstFlowReturn tile(GstAppSink *, gpointer);
  static GstFlowReturn record(GstAppSink *, gpointer);
  static GstFlowReturn sound(GstAppSink *, gpointer);
  static void sound_pad(GstElement *, GstPad *, gpointer);
};

} // namespace vigil::monitor
