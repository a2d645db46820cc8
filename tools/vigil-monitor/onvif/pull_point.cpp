// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pull_point.h"

#include "../camera/utc.h"
#include "../config/text.h"
#include "common/error.h"
#include "common/guarded.h"
#include "services.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

namespace vigil::monitor {
namespace {

constexpr const char *pull_action = "http://www.onvif.org/ver10/events/wsdl/PullPointSubscription/",
                     *subscription_action = "http://docs.oasis-open.org/wsn/bw-2/SubscriptionManager/",
                     *event_action = "http://www.onvif.org/ver10/events/wsdl/EventPortType/";

std::string addressing(const std::string &action, const ServiceAddress &to) {
  constexpr const char *space = "http://www.w3.org/2005/08/addressing";
  return vigil::text("<Action xmlns=\"", space, "\">", action, "</Action><To xmlns=\"", space, "\">",
                     xml_escaped(to.url), "</To>");
}

} // namespace

PullPoint::PullPoint(const std::string &address, News news)
    : news_(std::move(news)), device_(device_address(address)),
      client_(device_, login_in(address), break_off_),
      thread_([this] { guard("a camera's own events", [this] { run(); }); }) {}

PullPoint::~PullPoint() {
  {
    const std::lock_guard held(lock_);
    ended_ = true;
    break_off_ = true;
    more_.notify_all();
  }
  thread_.join();
}

bool PullPoint::wait(double seconds) {
  std::unique_lock held(lock_);
  more_.wait_for(held, std::chrono::duration<double>(seconds), [this] { return ended_.load(); });
  return !ended_;
}

XmlElement PullPoint::ask(const Subscription &s, const char *action, const std::string &body, double waits) {
  client_.begin();
  return client_.ask(s.at, body, addressing(action, s.at) + s.headers, waits);
}

PullPoint::Subscription PullPoint::subscribe() {
  client_.begin();
  client_.read_clock();
  const auto events = OnvifServices(client_, device_).find(event_service);
  if (!events) fail(Error::Kind::bad_data, "the device at ", device_.host, " has no ONVIF event service");
  const XmlElement answer =
      client_.ask(*events,
                  "<CreatePullPointSubscription xmlns=\"http://www.onvif.org/ver10/events/wsdl\">"
                  "<InitialTerminationTime>PT60S</InitialTerminationTime></CreatePullPointSubscription>",
                  addressing(std::string(event_action) + "CreatePullPointSubscriptionRequest", *events));
  const XmlElement *reference = answer.child("SubscriptionReference");
  if (!reference)
    fail(Error::Kind::bad_data, "the device at ", device_.host, " says nothing of its subscription");
  const ServiceAddress at = client_.own_address(reference->text_of({"Address"}), "its subscription");
  if (at.scheme != "http" && at.scheme != "https")
    fail(Error::Kind::bad_data, "the subscription of the device at ", device_.host,
         " is no http:// or https:// address");
  return {at, reference_headers(*reference)};
}

// Until a request fails or this ends.
void PullPoint::pull(const Subscription &s) {
  constexpr double device_waits = 5, renew_every = 20, least = 0.25;
  double renewed = Utc::monotonic_seconds();
  const std::string renew = std::string(subscription_action) + "RenewRequest",
                    messages = std::string(pull_action) + "PullMessagesRequest";
  while (!ended_) {
    const double begun = Utc::monotonic_seconds();
    if (begun - renewed >= renew_every) {
      renewed = begun;
      try {
        ask(s, renew.c_str(),
            "<Renew xmlns=\"http://docs.oasis-open.org/wsn/b-2\"><TerminationTime>PT60S</TerminationTime>"
            "</Renew>");
      } catch (const Error &e) { // cameras without it go on for as long as they are asked
        if (e.kind() != Error::Kind::bad_data) throw;
      }
    }
    auto notices = notices_of(
        ask(s, messages.c_str(),
            vigil::text("<PullMessages xmlns=\"http://www.onvif.org/ver10/events/wsdl\"><Timeout>PT",
                        device_waits, "S</Timeout><MessageLimit>", most_notices,
                        "</MessageLimit></PullMessages>"),
            device_waits));
    if (!notices.empty()) news_.notices(std::move(notices));
    // A camera that always has more to say is listened to four times a second.
    const double took = Utc::monotonic_seconds() - begun;
    if (took < least && !wait(least - took)) return;
  }
}

void PullPoint::leave(const Subscription &s) {
  break_off_ = false;
  try {
    ask(s, (std::string(subscription_action) + "UnsubscribeRequest").c_str(),
        "<Unsubscribe xmlns=\"http://docs.oasis-open.org/wsn/b-2\"/>");
  } catch (const Error &) { // it ends by itself within a minute
  }
}

void PullPoint::run() {
  constexpr double shortest = 2, longest = 60, well = 60; // seconds
  double pause = shortest;
  while (!ended_) {
    std::optional<Subscription> s;
    std::string why;
    const double begun = Utc::monotonic_seconds();
    try {
      s = subscribe();
      news_.state("");
      pull(*s);
    } catch (const Error &e) {
      why = mask_credentials(e.what());
    }
    if (ended_) {
      if (s) leave(*s);
      return;
    }
    news_.state(why);
    if (Utc::monotonic_seconds() - begun >= well) pause = shortest;
    if (!wait(pause)) return;
    pause = std::min(2 * pause, longest);
  }
}

} // namespace vigil::monitor
