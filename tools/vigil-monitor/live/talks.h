// SPDX-License-Identifier: LGPL-2.1-or-later
// Who speaks to which camera: one person to each, for some minutes at most.
#pragma once

#include "../reaper.h"
#include "loudspeaker.h"
#include "voice.h"
#include "webrtc_presence.h"

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

namespace vigil::monitor {

class Talks {
 public:
  Talks(WebRtcConfig, std::function<void(const std::string &)> log);
  ~Talks();
  Talks(const Talks &) = delete;
  Talks &operator=(const Talks &) = delete;

  static constexpr std::size_t most = 16;     // cameras that are spoken to at once
  static constexpr double most_seconds = 300; // of one talk

  struct Asked {
    std::string camera;
    Loudspeaker::Target target;
    std::string sdp;
    std::string who; // as others read it
    bool on_this_machine = false;
    std::function<bool()> allowed; // asked every second, on another thread: false ends the talk
    // Once, on another thread, of a talk that begin() has returned.
    std::function<void(double seconds, const std::string &why)> ended;
  };
  struct Begun {
    std::string id, answer;
  };
  // On any thread, which waits for the camera. Throws WebRefused, and Error.
  Begun begin(const Asked &);
  // Of a talk to this camera, and waits until somebody else may begin. False: there is none.
  bool end(const std::string &camera, const std::string &id);
  bool candidates(const std::string &camera, const std::string &id, const std::string &fragment);
  void stop(); // all end; nobody begins after

 private:
  struct Talk {
    std::string who, id; // id: empty while it begins, and while it ends
    std::shared_ptr<Loudspeaker> camera;
    std::shared_ptr<Voice> voice;
    std::function<bool()> allowed;
    std::function<void(double, const std::string &)> ended;
    double began = 0;
  };
  struct Place; // of a talk that begins
  static std::string over(const Talk &, double now);
  bool leave(const std::string &camera, const std::string &id, const std::string &why);
  void free_place(const std::string &camera);
  void look_after();

  const WebRtcConfig config_;
  const std::function<void(const std::string &)> log_;
  const WebRtcPresence webrtc_;
  Reaper reaper_;
  std::mutex lock_;
  std::condition_variable wake_, freed_;
  bool stopped_ = false;
  std::map<std::string, Talk> talks_; // by camera
  std::thread thread_;                // last: it uses all above
};

} // namespace vigil::monitor
