// SPDX-License-Identifier: LGPL-2.1-or-later
#include "web_viewers.h"

#include "../camera/utc.h"
#include "../http/tokens.h"
#include "common/error.h"
#include "common/guarded.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

namespace vigil::monitor {

WebViewers::WebViewers(WebRtcConfig config, std::function<void(const std::string &)> log)
    : config_(std::move(config)), log_(std::move(log)), webrtc_(config_), thread_([this] {
        if (webrtc_.missing().empty()) guard("preparing WebRTC", [] { WebConnection::prepare(); });
        guard("viewers of WebRTC", [this] { look_after(); });
      }) {}

WebViewers::~WebViewers() {
  stop();
}

void WebViewers::stop() {
  std::map<std::string, View> over;
  {
    const std::lock_guard guard(lock_);
    stopped_ = true;
    over.swap(views_);
    wake_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
  for (auto &[id, view] : over) leave(std::move(view));
  constexpr std::chrono::seconds patience(5);
  if (!reaper_.wait(patience))
    log_("some live views do not end; the program leaves without waiting for them");
}

// All that belongs to GStreamer goes on a thread of its own: it may wait.
void WebViewers::leave(View view) {
  view.sender->stream->leave(view.peer.get());
  places_.free(view.who);
  reaper_.add([held = std::make_shared<View>(std::move(view))]() mutable { held.reset(); });
}

void WebViewers::need_running() const {
  const std::lock_guard guard(lock_);
  if (stopped_) throw WebRefused{503, "the program is stopping"};
}

WebViewers::Begun WebViewers::begin(const Asked &asked) {
  try {
    webrtc_.need();
    need_running();
    ViewPlaces::Beginning place(places_, asked.who);
    WebPeer::Wish wish{Offer(asked.sdp), {}, asked.on_this_machine};
    const auto from = asked.stream ? senders_.sender(asked.stream) : nullptr;
    if (!from)
      throw WebRefused{503,
                       "camera " + asked.camera +
                           " has no stream to show now: it is not connected, or it sends pictures that are "
                           "not compressed while its recordings are off"};
    const RtpStream &stream = *from->stream;
    if (stream.reordered())
      throw WebRefused{
          406, "the camera sends pictures in another order than it shows them (B-frames), which WebRTC "
               "does not play"};
    Offer::Choice choice;
    if (!wish.offer.choose("video", stream.codec(), stream.profile(), choice))
      throw WebRefused{406, "the camera sends " + stream.codec() + ", and the offer has " +
                                wish.offer.offered("video")};
    wish.choices.push_back(choice);
    if (!stream.sound_codec().empty() && wish.offer.choose("audio", stream.sound_codec(), "", choice))
      wish.choices.push_back(choice);
    View view{asked.camera, asked.who, from, nullptr, asked.allowed};
    view.peer = WebPeer::make(wish, config_, from->stream,
                              [this](std::function<void()> f) { reaper_.add(std::move(f)); });
    Begun out{random_word(), view.peer->answer()};
    const std::lock_guard guard(lock_);
    if (stopped_) throw WebRefused{503, "the program is stopping"};
    views_.emplace(out.id, std::move(view));
    place.keep();
    begun_++;
    wake_.notify_all();
    return out;
  } catch (...) {
    refused_++;
    throw;
  }
}

bool WebViewers::end(const std::string &camera, const std::string &id) {
  View view;
  {
    const std::lock_guard guard(lock_);
    const auto found = views_.find(id);
    if (found == views_.end() || found->second.camera != camera) return false;
    view = std::move(found->second);
    views_.erase(found);
  }
  leave(std::move(view));
  return true;
}

bool WebViewers::candidates(const std::string &camera, const std::string &id, const std::string &fragment) {
  std::shared_ptr<WebPeer> peer;
  {
    const std::lock_guard guard(lock_);
    const auto found = views_.find(id);
    if (found == views_.end() || found->second.camera != camera) return false;
    peer = found->second.peer;
  }
  for (const std::string &line : candidates_of(fragment)) peer->candidate(line);
  return true;
}

// Ends those who left, lost their right, or never came.
void WebViewers::look_after() {
  constexpr std::chrono::seconds often(1);
  std::unique_lock guard(lock_);
  while (!stopped_) {
    if (views_.empty()) {
      wake_.wait(guard);
      continue;
    }
    wake_.wait_for(guard, often, [this] { return stopped_; });
    std::map<std::string, View> now = views_;
    guard.unlock();
    const double time = Utc::monotonic_seconds();
    for (const auto &[id, view] : now) {
      if (!view.allowed()) {
        end(view.camera, id);
      } else if (const std::string why = view.peer->over(time); !why.empty()) {
        if (!view.peer->connected()) log_(view.camera + ": a live view by WebRTC did not begin: " + why);
        end(view.camera, id);
      }
    }
    now.clear(); // what it was the last owner of ends without the lock
    guard.lock();
  }
}

nlohmann::json WebViewers::describe() const {
  const std::lock_guard guard(lock_);
  std::size_t connected = 0;
  for (const auto &[id, view] : views_) connected += view.peer->connected();
  const std::string &missing = webrtc_.missing();
  return {{"available", missing.empty()},
          {"reason", missing.empty() ? nlohmann::json() : nlohmann::json(missing)},
          {"viewers", views_.size()},
          {"connected", connected},
          {"begun", begun_.load()},
          {"refused", refused_.load()}};
}

} // namespace vigil::monitor
