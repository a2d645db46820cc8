// SPDX-License-Identifier: LGPL-2.1-or-later
// What is said by MQTT, as pure functions. Topics and words follow Frigate where it has them.
//
//   PREFIX/events                            {type: new|update|end, before, after}
//   PREFIX/CAM/available                     online, offline; retained, as all below
//   PREFIX/CAM/motion, covered, blurred, moved     ON, OFF
//   PREFIX/CAM/{enabled,recordings,motion}/state   ON, OFF; the same with /set are commands
//   PREFIX/CAM/ZONE/count, ZONE/motion, LINE/in, LINE/out, last_event, light_jump, snapshot
//   PREFIX/CAM/labels/LABEL/count, labels/LABEL/motion     tracks with this label now; ON, OFF
//   PREFIX/CAM/LINE/labels/LABEL/in, out
//   PREFIX/node/NODE/available, stats
#pragma once

#include "../store/event.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace vigil::monitor {

struct Topic {
  std::string topic, payload;
  bool operator==(const Topic &) const = default;
};

std::string event_message(const std::string &type, const std::optional<Event> &before, const Event &after);

// States of a camera, from a Camera of the API.
std::vector<Topic> camera_states(const std::string &prefix, const nlohmann::json &camera);
// States that a record of the live stream tells; empty for most kinds.
std::vector<Topic> record_states(const std::string &prefix, const nlohmann::json &record);

// Retained messages by which Home Assistant finds the camera's sensors, switches and picture. Their topics
// and identifiers are made of `devices` and the camera's name. `node` is the process that watches the camera
// now. Where no `commands` are taken an empty message removes each switch.
std::vector<Topic> discovery(const std::string &prefix, const std::string &node, const std::string &devices,
                             const nlohmann::json &camera, bool commands = true);

struct Command {
  std::string camera, name; // enabled, recordings or motion
  bool on = false;
};
std::optional<Command> parse_command(const std::string &prefix, const std::string &topic,
                                     const std::string &payload);

} // namespace vigil::monitor
