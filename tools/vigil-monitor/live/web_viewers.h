// SPDX-License-Identifier: LGPL-2.1-or-later
// All viewers of WebRTC: who may come, whom they share a sender with, and when they end.
#pragma once

#include "../camera/recorder.h"
#include "../reaper.h"
#include "web_peer.h"

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

  static constexpr std::size_t most = 128, most_of_one = 32, most_beginning = 8;

  struct Asked {
    std::string camera, sdp;
    std::string who; // of whom there are at most `most_of_one`
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
  struct Sender { // of one stream, for all of its viewers
    std::shared_ptr<Recorder> recorder;
    std::shared_ptr<RtpStream> stream;
    ~Sender();
  };
  struct View {
    std::string camera, who;
    std::shared_ptr<Sender> sender;
    std::shared_ptr<WebPeer> peer;
    std::function<bool()> allowed;
  };
  struct Place; // among those who are here or begin
  std::shared_ptr<Sender> sender(const std::shared_ptr<Recorder> &);
  void free_place(const std::string &who); // with the lock held
  void leave(View);                        // without it
  void look_after();

  const WebRtcConfig config_;
  const std::function<void(const std::string &)> log_;
  const std::string missing_;
  Reaper reaper_;
  mutable std::mutex lock_;
  std::condition_variable wake_;
  bool stopped_ = false;
  std::map<std::string, std::size_t> of_; // viewers by `who`, with those who begin
  std::size_t all_ = 0, beginning_ = 0;
  std::map<std::string, View> views_; // by id
  std::mutex senders_lock_;           // held while one is made
  std::map<const Recorder *, std::weak_ptr<Sender>> senders_;
  std::atomic<std::uint64_t> begun_ = 0, refused_ = 0;
  std::thread thread_; // last: it uses all above
};

} // namespace vigil::monitor
