// SPDX-License-Identifier: LGPL-2.1-or-later
// A camera's tracks and events as documents of ONVIF's metadata stream (the element onvifmeta), for those who
// listen. Knows no GStreamer. On any thread.
#pragma once

#include "../http/frames.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>

namespace vigil::monitor {

class FindingsFeed {
 public:
  // `captured`: when its frame was, by the monotonic clock. Must not wait, and not call this object.
  using Listener = std::function<void(const Bytes &document, double captured)>;
  // Listens as long as what is returned is kept: the listener is not called any more once it is gone.
  std::shared_ptr<void> listen(Listener);
  bool wanted() const { return shared_->count > 0; }
  void put(const Bytes &document, double captured);

 private:
  struct Shared {
    std::mutex lock;
    std::map<std::uint64_t, Listener> listeners;
    std::uint64_t next = 0;
    std::atomic<std::size_t> count = 0;
  };
  std::shared_ptr<Shared> shared_ = std::make_shared<Shared>(); // a listener may outlive this object
};

} // namespace vigil::monitor
