// SPDX-License-Identifier: LGPL-2.1-or-later
// Settings of the program. Knows no GStreamer: whether an element has a property is looked up elsewhere, by
// the place that each setting remembers.
#pragma once

#include "../detector/detector_config.h"
#include "geometry.h"
#include "notify.h"
#include "shard.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace vigil::monitor {

struct Zone {
  std::vector<Point> points;
  double loiter_seconds = 0;         // 0: not watched for
  std::vector<std::string> labels{}; // of the tracks that count; none: all of them
  bool operator==(const Zone &) const = default;
};
struct Line {
  std::vector<Point> points;
  std::string direction = "both";    // or in, out
  std::vector<std::string> labels{}; // as a zone's
  bool operator==(const Line &) const = default;
};
struct Mask {
  std::vector<Point> points;
  bool operator==(const Mask &) const = default;
};

// Parts of the picture that are kept from everybody: not recorded, nor shown.
struct PrivacyConfig {
  enum class Fill { black, pixelate };
  std::map<std::string, Mask> polygons;
  bool silhouettes = false;              // of all that moves
  std::set<std::string> uncovered_for{}; // roles that may see the live picture as it is
  Fill fill = Fill::black;
  bool asked() const { return silhouettes || !polygons.empty(); }
  bool shows_uncovered() const { return asked() && !uncovered_for.empty(); }
  bool operator==(const PrivacyConfig &) const = default;
};
const char *name_of(PrivacyConfig::Fill);
std::optional<PrivacyConfig::Fill> fill_named(const std::string &);
inline constexpr const char *silhouettes_need_analysis =
    "silhouettes are found by the analysis, which detect: {enabled: false} leaves out; take that line out, "
    "or "
    "cover polygons alone";
inline constexpr const char *silhouettes_of_two_streams =
    "silhouettes are covered in the pictures that are analysed, and source: {record, detect} records others; "
    "give the camera one source, or cover polygons alone";

// A property as text, and where it was written ("monitor.yaml:12"), for messages.
struct Setting {
  std::string value, place;
  bool operator==(const Setting &o) const {
    return value == o.value;
  } // the same on another line is no change
};
using ElementSettings = std::map<std::string, std::map<std::string, Setting>>; // by element, by property

struct RecordConfig {
  bool enabled = true;
  double pre_capture = 5, post_capture = 5; // seconds
  double max_clip = 60;                     // seconds; a longer event goes on as the next one
  double retain_days = 14;                  // 0: no limit of age
  bool retain_given = false;                // the configuration says it, rather than the default
  bool continuous = false;                  // all that the camera sends is recorded
  double continuous_days = 0;               // of it, 0: no limit of age
  std::optional<double> motion_days;        // of what overlaps events, where they are more
  bool audio = true;                        // with the sound, where there is some
  bool operator==(const RecordConfig &) const = default;
};

// Of CameraConfig::detect_height: half the camera's lines where that is worth while (camera/reduction.h), and
// the pictures as they come.
constexpr int detect_half = -1, detect_full = 0;

// Of CameraConfig::detect_fps. The default divides the usual rates of cameras; what it finds and saves:
// docs/measurements/log/2026-11/cost.md.
constexpr double detect_all = 0, detect_keys = -1, default_detect_fps = 5;

struct CameraConfig {
  std::string name, source;
  std::string title;                  // what people call it; empty: the name
  std::string onvif;                  // address of its ONVIF device, with user and password; empty: none
  bool onvif_events = false;          // what the camera finds by itself becomes events
  std::string record_source;          // another stream of the camera, which is recorded; empty: `source` is
  bool enabled = true, motion = true; // motion: makes events of what moves
  bool loop = true;                   // a file begins again at its end
  bool talk = true;                   // people may speak to it
  std::string talk_address;           // takes speech by ANNOUNCE; empty: the camera's back channel does
  int live_height = 360;
  bool analysed = true;                   // else nothing is looked for in its pictures (detect: {enabled})
  int detect_height = detect_half;        // lines of the pictures that the chain works on, at most
  double detect_fps = default_detect_fps; // so many of them a second, detect_all or detect_keys
  double live_fps = 5;
  std::optional<bool> live_sound; // without it: as record.audio
  int max_pixels = 8192 * 4320;   // of a picture that the camera sends
  RecordConfig record;
  std::map<std::string, Zone> zones;
  std::map<std::string, Line> lines;
  std::map<std::string, Mask> masks;
  std::map<std::string, Mask> unmasked; // restless parts that people want to be seen all the same
  PrivacyConfig privacy;
  ElementSettings elements;
  std::optional<DetectorConfig> detector; // without it there is none
  std::string place;
  bool added = false; // on the page: it is not in the configuration
  // Where silhouettes are covered, each picture needs its own mask. Of key frames alone: at most so many.
  double analysed_fps() const {
    if (privacy.silhouettes) return detect_all;
    return detect_fps == detect_keys ? default_detect_fps : detect_fps;
  }
  bool analyses_keys_alone() const { return detect_fps == detect_keys && !privacy.silhouettes; }
  bool records_all() const { return record.enabled && record.continuous; }
  // Whether another stream is recorded than is looked at.
  bool records_apart() const { return record.enabled && !record_source.empty(); }
  // Where silhouettes are covered, nothing shows their outlines.
  bool shows(std::string_view view) const {
    if (view == "uncovered") return privacy.shows_uncovered();
    if (!analysed) return view == "plain";
    return !privacy.silhouettes || (view != "mask" && view != "background");
  }
  const std::string &shown_name() const { return title.empty() ? name : title; }
  std::vector<std::string> sources() const {
    return record_source.empty() ? std::vector{source} : std::vector{source, record_source};
  }
  bool records_sound() const { return records_all() && record.audio; }
  // Sound is asked of the camera to be heard live, too.
  bool takes_sound() const { return records_sound() || live_sound.value_or(record.audio); }
  bool operator==(const CameraConfig &o) const {
    return name == o.name && title == o.title && source == o.source && record_source == o.record_source &&
           onvif == o.onvif && onvif_events == o.onvif_events && enabled == o.enabled && motion == o.motion &&
           loop == o.loop && talk == o.talk && talk_address == o.talk_address &&
           live_height == o.live_height && live_fps == o.live_fps && live_sound == o.live_sound &&
           analysed == o.analysed && detect_height == o.detect_height && detect_fps == o.detect_fps &&
           max_pixels == o.max_pixels && record == o.record && zones == o.zones && lines == o.lines &&
           masks == o.masks && unmasked == o.unmasked && privacy == o.privacy && elements == o.elements &&
           detector == o.detector && added == o.added;
  }
};

// As it was written; empty: it was not.
std::string setting_of(const CameraConfig &, const std::string &element, const std::string &property);

struct WebRtcConfig {
  bool enabled = true;
  int first_port = 0, last_port = 0; // of UDP; 0: any
  std::string stun, turn;            // HOST:PORT; empty: none, and nothing is sent to other hosts
  std::string turn_user, turn_password;
};

struct HttpConfig {
  std::string address = "127.0.0.1";
  int port = 8090;
  std::string token_file, certificate, key;
  std::string local;   // the role of this machine's own requests: none, view or admin; empty: nobody said
  bool framed = false; // pages of the same address may show this one inside them
  std::vector<std::string>
      hosts; // names under which browsers may reach the server, in addition to its addresses
  WebRtcConfig webrtc;
};
struct RtspConfig {    // cameras for other programs
  std::string address; // empty: no RTSP server
  int port = 8554;
  int max_clients = 16;
};
struct MqttConfig {
  std::string host; // empty: no MQTT
  int port = 1883;
  std::string user, password, ca_file, topic_prefix = "vigil", node;
  std::string devices; // the first part of what Home Assistant knows cameras by; empty: the node
  bool discovery = true;
  bool tls = false;             // also by ca_file
  std::optional<bool> commands; // whether orders are taken; without it: from a broker that knows us by a user
  bool takes_commands() const { return commands.value_or(!user.empty()); }
  bool operator==(const MqttConfig &) const = default;
};
struct WebhookConfig {
  std::string url; // empty: none
};
// Cameras that users of a role see, by role: viewer, operator. A role that is not here sees all.
using RolesConfig = std::map<std::string, std::set<std::string>>;
// A second, larger and slower folder for older recordings.
struct ColdConfig {
  std::string path;                                     // empty: none
  double days = 1;                                      // after which a segment is moved
  std::uint64_t max_size = 0, min_free = 1'000'000'000; // bytes; max_size 0: no limit
};
// What the labels that people taught are learnt from.
struct LabelsConfig {
  bool codebook = false; // pictures are kept with examples, and a codebook is made of them each night
  int hour = 3;          // of that night, by this machine's clock
};
struct StorageConfig {
  std::string path;
  std::uint64_t max_size = 0, min_free = 1'000'000'000; // bytes; max_size 0: no limit
  double export_days = 7;                               // that exports are kept; 0: no limit
  ColdConfig cold;
};

struct Config {
  HttpConfig http;
  RtspConfig rtsp;
  MqttConfig mqtt;
  WebhookConfig webhook;
  std::vector<NotifyConfig> notify;
  PushConfig push;
  RolesConfig roles;
  StorageConfig storage;
  RecordConfig record;                    // of cameras that do not say otherwise
  std::optional<DetectorConfig> detector; // likewise
  LabelsConfig labels;
  std::map<std::string, CameraConfig> cameras;
  std::vector<std::string> order;    // of the cameras, as they were written
  Shard shard;                       // see keep_shard()
  std::vector<std::string> warnings; // of the file, for the log
};

// The elements whose properties the configuration may set, in the order of the chain.
const std::vector<std::string> &chain_elements();

// Throws Error::bad_setting: "FILE:LINE: what was found; what is allowed".
Config parse_config(const std::string &text, const std::string &file);
// A plain file. With `pipes`, a pipe too, which may keep the caller waiting for ten seconds.
Config read_config(const std::string &file, bool pipes = false);
// storage: path of a configuration file, or "". Nothing else of the file is looked at, so that an operator of
// the folder needs no passwords of cameras.
std::string configured_storage(const std::string &file);
struct KeyDescription; // yaml.h
// Each key that a configuration may have.
std::vector<KeyDescription> configuration_keys();
// The program without a configuration: four drawn cameras, or these sources.
Config default_config(const std::vector<std::string> &sources);

} // namespace vigil::monitor
