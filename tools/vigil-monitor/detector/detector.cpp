// SPDX-License-Identifier: LGPL-2.1-or-later
#include "detector.h"

#include "../printable.h"
#include "common/error.h"
#include "common/file.h"
#include "common/guarded.h"
#include "kernels/label/classifier.h"
#include "network.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <sstream>
#include <sys/resource.h>
#include <utility>

namespace vigil::monitor {
namespace {

double processor_seconds() { // of this thread
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) / 1e9;
}

std::string with_file(const std::string &model, const std::string &what) {
  return what.starts_with(model) ? what : model + ": " + what;
}

} // namespace

Detector::Detector(const DetectorConfig &config, std::function<void(const std::string &)> log, Load load)
    : config_(config), log_(std::move(log)),
      thread_([this, load = std::move(load)] { guard("the detector", [&] { work(load); }); }) {}

Detector::~Detector() {
  {
    const std::lock_guard guard(lock_);
    ended_ = true;
    more_.notify_one();
  }
  thread_.join();
}

bool Detector::takes() {
  const std::lock_guard guard(lock_);
  return state_ == State::ready;
}

void Detector::look(const std::string &camera, Crop crop, Answer answer) {
  const std::lock_guard guard(lock_);
  if (state_ == State::failed || ended_) return;
  auto &of_camera = waiting_[camera];
  of_camera.push_back({std::move(crop), std::move(answer)});
  if (of_camera.size() > most_waiting) {
    of_camera.pop_front();
    figures_.leave_out();
  }
  more_.notify_one();
}

nlohmann::json Detector::describe() const {
  const std::lock_guard guard(lock_);
  constexpr const char *states[] = {"loading", "ready", "failed"};
  auto out = figures_.describe();
  std::size_t waiting = 0;
  for (const auto &[camera, tasks] : waiting_) waiting += tasks.size();
  out.update({{"model", config_.model},
              {"state", states[static_cast<std::size_t>(state_)]},
              {"reason", reason_.empty() ? nlohmann::json() : nlohmann::json(reason_)},
              {"classes", state_ == State::ready ? classes_.size() : 0},
              {"waiting", waiting}});
  return out;
}

std::vector<std::string> Detector::classes(const DetectorConfig &config) {
  std::vector<std::string> out = config.classes;
  if (!config.classes_file.empty()) {
    constexpr std::size_t largest = 1 << 20;
    std::istringstream lines(read_text_file(config.classes_file, "the detector's list of classes", largest));
    for (std::string line; std::getline(lines, line);) {
      while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
      if (!line.empty()) out.push_back(line);
    }
  }
  if (out.empty())
    fail(Error::Kind::bad_data, config.classes_file,
         ": the detector's list of classes is empty; write a "
         "name for each class, one a line");
  for (const std::string &name : out)
    if (!label::is_name(name))
      fail(Error::Kind::bad_data, config.classes_file, ": '", printable(name, label::longest_name),
           "' is no name of a class; it needs 1 to ", label::longest_name,
           " bytes of UTF-8 without control characters");
  for (const auto &[name, label] : config.labels)
    if (std::find(out.begin(), out.end(), name) == out.end())
      fail(Error::Kind::bad_data, "the detector's labels name '", printable(name, label::longest_name),
           "', which is no class of the model; its ", out.size(), " classes begin with '", out.front(), "'");
  return out;
}

Detector::Run Detector::network(const DetectorConfig &config) {
  const std::size_t count = classes(config).size();
  const auto net = std::make_shared<Network>(config.model);
  const Run run = [net, config](std::span<const std::uint8_t> rgb) {
    return net->run({rgb, config.width, config.height, config.bgr});
  };
  constexpr std::uint8_t grey = 128;
  const std::vector<std::uint8_t> trial(std::size_t{3} * static_cast<std::size_t>(config.width) *
                                            static_cast<std::size_t>(config.height),
                                        grey);
  try {
    check_output(run(trial), config, count);
  } catch (const Error &e) {
    fail(e.kind(), with_file(config.model, e.what()));
  }
  return run;
}

bool Detector::take(Task &task) {
  std::unique_lock guard(lock_);
  more_.wait(guard, [this] { return ended_ || !waiting_.empty(); });
  if (ended_) return false;
  auto turn = waiting_.upper_bound(last_);
  if (turn == waiting_.end()) turn = waiting_.begin();
  last_ = turn->first;
  task = std::move(turn->second.back());
  turn->second.pop_back();
  if (turn->second.empty()) waiting_.erase(turn);
  return true;
}

void Detector::refuse(const std::string &why) {
  bool first = false;
  {
    const std::lock_guard guard(lock_);
    first = figures_.refused() == 0;
    reason_ = why;
  }
  if (first) log_(text("detector: ", why, "; this crop has no name, and later ones are only counted"));
}

std::optional<Finding> Detector::answer(const Run &run, const Task &task, DetectorFigures::Inference &i) {
  try {
    const NetworkOutput out = run(task.crop.rgb);
    check_output(out, config_, classes_.size());
    return finding_at(task.crop.object, out, config_, classes_.size());
  } catch (const Error &e) {
    i.refused = true;
    refuse(with_file(config_.model, e.what()));
    return std::nullopt;
  }
}

void Detector::look(const Run &run, const Task &task) {
  DetectorFigures::Inference i;
  const double before = processor_seconds();
  const auto began = std::chrono::steady_clock::now();
  const auto found = answer(run, task, i);
  i.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  i.cpu_seconds = processor_seconds() - before;
  std::string label;
  if (found) {
    const std::string &name = classes_[found->cls];
    const auto as = config_.labels.find(name);
    if (as != config_.labels.end())
      label = as->second;
    else if (config_.labels.empty())
      label = name;
  }
  i.named = !label.empty();
  {
    const std::lock_guard guard(lock_);
    figures_.add(i);
  }
  if (!i.refused) task.answer(label, i.named ? found->score : 0);
}

void Detector::work(const Load &load) {
  constexpr int niceness = 10;
  setpriority(PRIO_PROCESS, 0, niceness); // of this thread: cameras come first
  try {
    auto names = classes(config_);
    const Run run = load(config_);
    {
      const std::lock_guard guard(lock_);
      classes_ = std::move(names);
      state_ = State::ready;
    }
    log_(text("detector: ", config_.model, " is ready, with ", classes_.size(), " classes"));
    for (Task task; take(task);) {
      look(run, task);
      task = {};
    }
  } catch (const std::exception &e) {
    log_(text("detector: ", e.what(), "; events have no names by the detector until that is mended"));
    const std::lock_guard guard(lock_);
    state_ = State::failed;
    reason_ = e.what();
    waiting_.clear();
  }
}

} // namespace vigil::monitor
