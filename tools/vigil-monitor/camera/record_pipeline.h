// SPDX-License-Identifier: LGPL-2.1-or-later
// The pipeline of a stream that is recorded alone, where a camera has another one that is looked at. Nothing
// is decoded, but where the camera has privacy:
//
//   source ! parsebin ! parser ! recorder
//   source ! parsebin ! tee ! decodebin ! what covers and encodes ! recorder
//                       tee ! parser ! viewers who may see it uncovered
#pragma once

#include "stream_pipeline.h"

namespace vigil::monitor {

class RecordPipeline final : public StreamPipeline {
 public:
  RecordPipeline(const CameraConfig &, StreamEvents, tools::SharedContexts &, const Utc &);
  ~RecordPipeline() override;

 private:
  void link(GstPad *, const std::string &caps) override;
  void link_covered(GstPad *, const std::string &caps);
  void link_pictures(GstPad *); // raw ones, to the encoder
  static void decoded_pad(GstElement *, GstPad *, gpointer);
  static GstPadProbeReturn count_decoded(GstPad *, GstPadProbeInfo *, gpointer);
  static GstPadProbeReturn count(GstPad *, GstPadProbeInfo *, gpointer);

  GstElement *encoding_ = nullptr; // what pictures go to, where they are covered
};

// How a compressed stream is stored; null where it is not stored as it comes.
struct StoredFormat {
  const char *parser, *caps;
};
const StoredFormat *stored_format(const std::string &caps);

} // namespace vigil::monitor
