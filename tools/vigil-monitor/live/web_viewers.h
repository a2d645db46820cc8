// SPDX-License-Identifier: LGPL-2.1-or-later
// All viewers of WebRTC: how each begins, and when it ends.
#pragma once

#include "../camera/recorder.h"
#include "../reaper.h"
#include "rtp_senders.h"
#include "view_places.h"
#include "web_peer.h"
#include "webrtc_presence.h"

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

namespace vigil::monitor {

class WebViewers {
 public:
  WebViewers(WebRtcConfig, std::function<void(const std::string &)> log);
  ~WebViewers();
  WebViewers(const WebViewers &) = delete;
  WebViewers &operator=(const WebViewers &) = delete;

  struct Asked {
    std::string camera, sdp;
    std::string who; // of whom there are at most ViewPlaces::most_of_one
    bool on_this_machine = false;
    std::shared_ptr<Recorder> stream;
    std::function<bool()> allowed; // asked every second, on another thread: false ends the view
  };
  struct Begun {
    std::string id, answer;
  };
  // On any thread, which waits. Throws WebRefused, and Error.
  Begun begin(const Asked &);
  // Of a viewer of this camera; false: there is none.
  bool end(const std::string &camera, const std::string &id);
  bool candidates(const std::string &camera, const std::string &id, const std::string &fragment);
  void stop(); // all end; nobody begins after

  nlohmann::json describe() const; // for /api/stats

 private:
  struct View {
    std::string camera, who;
    std::shared_ptr<RtpSenders::Sender> sender;
    std::shared_ptr<WebPeer> peer;
    std::function<bool()> allowed;
  };
  void need_running() const; // throws WebRefused 503 after stop()
  void leave(View);          // without the lock
  void look_after();

  const WebRtcConfig config_;
  const std::function<void(const std::string &)> log_;
  const WebRtcPresence webrtc_;
  Reaper reaper_;
  ViewPlaces places_;
  RtpSenders senders_;
  mutable std::mutex lock_;
  std::condition_variable wake_;
  bool stopped_ = false;
  std::map<std::string, View> views_; // by id
  std::atomic<std::uint64_t> begun_ = 0, refused_ = 0;
  std::thread thread_; // last: it uses all above
};

} // namespace vigil::monitor
