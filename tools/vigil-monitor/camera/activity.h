// SPDX-License-Identifier: LGPL-2.1-or-later
// What went on in front of one camera during the last ten minutes, a sample a second, and where. Knows no
// GStreamer.
#pragma once

#include "../config/geometry.h"
#include "../motion/moving_cells.h"

#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace vigil::monitor {

class Activity {
 public:
  static constexpr int columns = MovingCells::columns, rows = MovingCells::rows;
  static constexpr std::size_t kept_samples = 600;
  struct Sample {
    double time = 0, changed = 0, fps = 0;
    int boxes = 0;
    std::optional<double> gain;
    std::optional<Point> shift;
    std::map<std::string, double> scores;
  };
  struct Second { // one second is over
    Sample sample;
    std::vector<Rect> boxes; // of its last frame
  };

  // A frame with its boxes (normalised), which were `area` of the picture, was done; from the streaming
  // thread.
  void frame(double time, std::vector<Rect> boxes, double area);
  void scores(std::map<std::string, double>);
  void exposure(std::optional<double> gain, std::optional<Point> shift);

  // Ends the second that is going on. Called once a second.
  Second end_second(double time);
  std::vector<Sample> samples() const;
  std::vector<float>
  take_heat();               // seconds of motion in each cell since the last call; empty when nothing moved
  MovedSeconds take_moved(); // the cells that moved since the last call, by the seconds of their frames
  std::optional<double> mean_fps() const;

 private:
  mutable std::mutex lock_;
  // As large from the first second on as it will ever be: memory does not grow while it fills.
  std::vector<Sample> past_ = std::vector<Sample>(kept_samples);
  std::size_t ended_ = 0; // seconds so far
  Sample now_;
  std::vector<Rect> boxes_;
  int frames_ = 0;
  double second_began_ = 0, last_frame_ = 0;
  std::vector<float> heat_ = std::vector<float>(columns * rows);
  bool warm_ = false;
  MovedSeconds moved_;
};

nlohmann::json to_json(const Activity::Sample &);
nlohmann::json to_json(const Rect &);

} // namespace vigil::monitor
