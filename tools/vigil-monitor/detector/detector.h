// SPDX-License-Identifier: LGPL-2.1-or-later
// Says what is in crops of tracks, on a thread of its own with a low priority. Cameras take turns; each has a
// few crops that wait, of which the newest comes first and the oldest is left out when there are too many.
// A model that cannot be used is reported once, and the program goes on without it. An answer that cannot be
// read names nothing, is counted, and the first one is reported. Any thread.
#pragma once

#include "answer.h"
#include "detector_figures.h"

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace vigil::monitor {

struct Crop {
  std::vector<std::uint8_t> rgb; // of the size that the network takes
  Rect object;                   // the track's box, 0..1 of the crop
};

class Detector {
 public:
  using Run = std::function<NetworkOutput(std::span<const std::uint8_t> rgb)>;
  using Load = std::function<Run(const DetectorConfig &)>; // throws as Network does
  // An empty label: nothing that it knows.
  using Answer = std::function<void(const std::string &label, double score)>;

  Detector(const DetectorConfig &, std::function<void(const std::string &)> log, Load = network);
  ~Detector(); // waits for the inference that goes on
  Detector(const Detector &) = delete;
  Detector &operator=(const Detector &) = delete;

  const DetectorConfig &config() const { return config_; }
  bool takes(); // false: the model could not be used, crops would be of no use
  void look(const std::string &camera, Crop, Answer);
  nlohmann::json describe() const; // as GET /api/stats

  // Loads the model and tries it. Throws Error::io, Error::bad_data.
  static Run network(const DetectorConfig &);
  static std::vector<std::string> classes(const DetectorConfig &);

 private:
  enum class State { loading, ready, failed };
  static constexpr std::size_t most_waiting = 2; // of a camera
  struct Task {
    Crop crop;
    Answer answer;
  };
  void work(const Load &);
  bool take(Task &); // false: it ends
  void look(const Run &, const Task &);
  std::optional<Finding> answer(const Run &, const Task &, DetectorFigures::Inference &);
  void refuse(const std::string &why);

  const DetectorConfig config_;
  const std::function<void(const std::string &)> log_;
  mutable std::mutex lock_;
  std::condition_variable more_;
  std::map<std::string, std::deque<Task>> waiting_; // by camera
  std::string last_;                                // the camera that had its turn
  State state_ = State::loading;
  std::string reason_; // of the failure, or of the answer that was refused last
  DetectorFigures figures_;
  bool ended_ = false;
  std::vector<std::string> classes_; // once it is ready they stay as they are
  std::thread thread_;               // last: it uses the others
};

} // namespace vigil::monitor
