// SPDX-License-Identifier: LGPL-2.1-or-later
// A subscription to a camera's own events, which it is asked for (a pull point), on a thread of its own. It
// is made again after an outage, after longer and longer waits.
#pragma once

#include "client.h"
#include "notices.h"

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace vigil::monitor {

class PullPoint {
 public:
  struct News { // on its thread
    std::function<void(std::vector<DeviceNotice>)> notices;
    std::function<void(const std::string &why)> state; // empty: it is subscribed; else why not
  };
  // `address`: of the device's service, with user and password. Throws Error::bad_setting when it is none.
  PullPoint(const std::string &address, News);
  ~PullPoint(); // waits for seconds: it takes leave of the camera
  PullPoint(const PullPoint &) = delete;
  PullPoint &operator=(const PullPoint &) = delete;

 private:
  struct Subscription {
    ServiceAddress at;
    std::string headers;
  };
  void run();
  Subscription subscribe();
  void pull(const Subscription &);
  void leave(const Subscription &);
  XmlElement ask(const Subscription &, const char *action, const std::string &body, double waits = 0);
  bool wait(double seconds); // false: it ends

  const News news_;
  const ServiceAddress device_;
  std::atomic<bool> break_off_ = false; // the request that is under way
  OnvifClient client_;
  std::mutex lock_;
  std::condition_variable more_;
  std::atomic<bool> ended_ = false;
  std::thread thread_; // last: it uses the others
};

} // namespace vigil::monitor
