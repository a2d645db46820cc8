// SPDX-License-Identifier: LGPL-2.1-or-later
// A camera as the API describes it.
#pragma once

#include "camera_pipeline.h"
#include "camera_state.h"
#include "connection.h"
#include "event_causes.h"
#include "onvif_link.h"
#include "record_stream.h"
#include "stored_stream.h"
#include "talk_back.h"

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace vigil::monitor {

struct CameraDescription {
  const CameraConfig &config;
  const CameraState &state;
  const ConnectionBy<CameraPipeline> &connection;
  const StoredStream &stored;
  const CameraFeed &feed;
  const EventCauses &causes;
  const RecordStream &record;
  const OnvifLink &onvif;
  const TalkBack &talk_back;
  std::uint64_t key_frames_decoded; // for viewers of a camera that is not analysed
  std::size_t viewers_bytes;        // in memory, of streams that are for viewers alone

  nlohmann::json camera(const std::vector<std::string> &overridden) const; // /api/cameras
  nlohmann::json stats() const;                                            // /api/stats
};

} // namespace vigil::monitor
