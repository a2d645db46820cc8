// SPDX-License-Identifier: LGPL-2.1-or-later
#include "metrics.h"

#include <algorithm>

namespace vigil::monitor {

std::string prometheus_text(const nlohmann::json &stats, const nlohmann::json &cameras,
                            std::uint64_t wrong_tokens) {
  std::string out;
  const auto head = [&](const char *name, const char *type, const char *help) {
    out += std::string("# HELP vigil_") + name + " " + help + "\n# TYPE vigil_" + name + " " + type + "\n";
  };
  const auto line = [&](const std::string &name, const std::string &labels, const nlohmann::json &v) {
    out += "vigil_" + name + (labels.empty() ? "" : "{" + labels + "}") + " " +
           (v.is_boolean() ? (v.get<bool>() ? "1" : "0") : v.dump()) + "\n";
  };
  const auto one = [&](const char *name, const char *type, const char *help, const nlohmann::json &v) {
    head(name, type, help);
    line(name, "", v);
  };
  one("uptime_seconds", "gauge", "Time since the program started.", stats["uptime_seconds"]);
  one("cpu_seconds_total", "counter", "Processor time used.", stats["cpu_seconds"]);
  one("memory_bytes", "gauge", "Resident memory.", stats["memory_bytes"]);
  one("threads", "gauge", "Threads.", stats["threads"]);
  one("descriptors", "gauge", "Open file descriptors.", stats["descriptors"]);
  one("viewers", "gauge", "Open live streams.", stats["viewers"]);
  one("clips", "gauge", "Clips on the disk.", stats["storage"]["clips"]);
  one("clips_bytes", "gauge", "Size of all clips.", stats["storage"]["clips_bytes"]);
  one("recordings_bytes", "gauge", "Size of all continuous recordings.",
      stats["storage"]["recordings_bytes"]);
  one("storage_free_bytes", "gauge", "Free space of the disk.", stats["storage"]["free_bytes"]);
  one("storage_writable", "gauge", "1 while events can be stored.", stats["storage"]["writable"]);
  one("auth_failures_total", "counter", "Wrong tokens and passwords that were given.", wrong_tokens);
  head("queue_length", "gauge", "Tasks or messages that wait.");
  for (const auto &[name, q] : stats["queues"].items())
    line("queue_length", "queue=\"" + name + "\"", q["length"]);
  if (const auto &detectors = stats["detectors"]; !detectors.empty()) {
    const auto sum = [&](const char *member) {
      double total = 0;
      for (const auto &d : detectors) total += d[member].get<double>();
      return total;
    };
    head("detectors", "gauge", "Detectors by their state.");
    for (const char *state : {"loading", "ready", "failed"})
      line("detectors", std::string("state=\"") + state + "\"",
           std::count_if(detectors.begin(), detectors.end(),
                         [&](const auto &d) { return d["state"] == state; }));
    one("detector_inferences_total", "counter", "Crops that networks looked at.", sum("inferences"));
    one("detector_refused_total", "counter", "Answers of networks that could not be read.", sum("refused"));
    one("detector_left_out_total", "counter", "Crops that newer ones took the place of.", sum("left_out"));
    one("detector_waiting", "gauge", "Crops that wait.", sum("waiting"));
    one("detector_cpu_seconds_total", "counter", "Processor time of networks.", sum("cpu_seconds"));
    double slowest = 0;
    for (const auto &d : detectors)
      if (d["inference_seconds"].is_number())
        slowest = std::max(slowest, d["inference_seconds"].get<double>());
    one("detector_inference_seconds", "gauge", "Median time of an inference, of the slowest detector.",
        slowest);
  }
  if (const auto &codebook = stats["label_codebook"]; codebook.is_object()) {
    one("label_codebook_in_use", "gauge", "1 while labels go by a codebook of this site.",
        !codebook["in_use"].is_null());
    if (const auto &last = codebook["last"]; last.is_object())
      one("label_codebook_made_seconds", "gauge", "When the last one was made, since 1970.", last["time"]);
  }
  struct PerCamera {
    const char *name, *member, *type, *help;
  };
  constexpr PerCamera table[] = {
      {"camera_fps", "fps", "gauge", "Frames a second."},
      {"camera_frames_total", "frames", "counter", "Frames that came in."},
      {"camera_tiles_total", "tiles", "counter", "Pictures made for viewers."},
      {"camera_drops", "drops", "gauge",
       "Frames that source, decoder or a busy chain left out since the camera connected."},
      {"camera_reconnects_total", "reconnects", "counter", "Times that the camera was connected again."},
      {"camera_latency_ms", "latency_ms", "gauge", "From capture to the end of the chain."},
  };
  for (const PerCamera &t : table) {
    head(t.name, t.type, t.help);
    for (const auto &c : stats["cameras"])
      line(t.name, "camera=\"" + c["name"].get<std::string>() + "\"", c[t.member]);
  }
  head("camera_online", "gauge", "1 while pictures come.");
  for (const auto &c : cameras)
    line("camera_online", "camera=\"" + c["name"].get<std::string>() + "\"", c["state"] == "online");
  head("camera_record_stream_online", "gauge", "1 while pictures come of the stream that is recorded.");
  for (const auto &c : cameras)
    if (c.contains("record_stream") && c["record_stream"].is_object())
      line("camera_record_stream_online", "camera=\"" + c["name"].get<std::string>() + "\"",
           c["record_stream"]["state"] == "online");
  head("camera_motion", "gauge", "1 while something moves.");
  for (const auto &c : cameras)
    line("camera_motion", "camera=\"" + c["name"].get<std::string>() + "\"", c["motion"]);
  head("camera_trouble", "gauge", "1 while the camera is covered, out of focus or moved.");
  for (const auto &c : cameras)
    for (const char *kind : {"covered", "blurred", "moved"})
      line("camera_trouble", "camera=\"" + c["name"].get<std::string>() + "\",kind=\"" + kind + "\"",
           c["trouble"].contains(kind));
  return out;
}

} // namespace vigil::monitor
