// SPDX-License-Identifier: LGPL-2.1-or-later
// Turns a camera by ONVIF. It asks the device on its own thread for its abilities, and again after failures.
// A move ends by itself when it is not asked for again: the device has a time with each request, and a thread
// here sends a stop as well.
#pragma once

#include "ptz.h"
#include "ptz_device.h"
#include "ptz_orders.h"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace vigil::monitor {

class PtzHead {
 public:
  struct News {                    // on any thread
    std::function<void()> changed; // abilities()
    std::function<void(const std::string &)> log;
  };
  // `address`: of the device's service, with user and password. Throws Error::bad_setting when it is none.
  PtzHead(const std::string &address, News);
  ~PtzHead(); // waits at most about a second
  PtzHead(const PtzHead &) = delete;
  PtzHead &operator=(const PtzHead &) = delete;
  void end() { ended_ = true; } // requests end soon; none follow

  std::optional<PtzAbilities> abilities() const; // nothing: the device has not answered yet

  // These wait for the device. They throw as OnvifClient does, Error::bad_setting when the camera cannot do
  // this, and Error::io when it is still busy with an earlier request.
  void move(const PtzSpeed &); // until the next call, and for at most PtzOrders::seconds_of_move
  void stop();
  void go_to(const std::string &preset);
  void go_home();
  std::vector<PtzPreset> presets();
  // The view as it is now. An empty `preset`: a new one. Returns its token.
  std::string set_preset(const std::string &name, const std::string &preset);
  void remove_preset(const std::string &preset);
  bool moving() const; // a move goes on

 private:
  template <class F>
  auto ask(F f); // f(PtzDevice::Turn &, const PtzAbilities &)
  bool is_last(std::uint64_t number) const;
  void travel(const char *request, const std::string &more, bool possible);
  void run();
  void read(); // the abilities
  void stop_now(std::uint64_t number);

  const News news_;
  std::atomic<bool> ended_ = false;
  PtzDevice device_;

  mutable std::mutex lock_; // guards these
  std::condition_variable more_;
  std::optional<PtzAbilities> abilities_;
  PtzOrders orders_;
  double read_at_ = 0, read_wait_ = 5; // monotonic; seconds
  std::string said_;                   // why it could not be read
  std::thread thread_;                 // last: it uses the others
};

} // namespace vigil::monitor
