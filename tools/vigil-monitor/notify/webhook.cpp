// SPDX-License-Identifier: LGPL-2.1-or-later
#include "webhook.h"

#include "../camera/backoff.h"
#include "../config/text.h"
#include "common/error.h"
#include "transfer.h"

#include <curl/curl.h>
#include <exception>
#include <memory>

namespace vigil::monitor {
Webhook::Webhook(std::string url, EventStore &store, std::function<void(const std::string &)> log)
    : url_(std::move(url)), store_(store), log_(std::move(log)) {
  curl_global_init(CURL_GLOBAL_DEFAULT);
  thread_.begin("the webhook", [this] { run(); });
}

Webhook::~Webhook() {
  constexpr std::chrono::hours for_ever(24);
  end(for_ever);
  curl_global_cleanup();
}

bool Webhook::end(std::chrono::milliseconds patience) {
  {
    const std::lock_guard held(lock_); // or the thread that goes to sleep at this moment misses it
    ended_ = true;
  }
  wake_.notify_all();
  return thread_.ends_within(patience);
}

void Webhook::wake() {
  const std::lock_guard held(lock_);
  more_ = true;
  wake_.notify_all();
}

std::string Webhook::post(const std::string &body) {
  const Transfer t(ended_);
  const std::unique_ptr<curl_slist, void (*)(curl_slist *)> headers(
      curl_slist_append(nullptr, "Content-Type: application/json"), curl_slist_free_all);
  curl_easy_setopt(t.get(), CURLOPT_URL, url_.c_str());
  curl_easy_setopt(t.get(), CURLOPT_HTTPHEADER, headers.get());
  curl_easy_setopt(t.get(), CURLOPT_POSTFIELDSIZE, static_cast<long>(body.size()));
  curl_easy_setopt(t.get(), CURLOPT_POSTFIELDS, body.c_str());
  curl_easy_setopt(t.get(), CURLOPT_PROTOCOLS_STR, "http,https");
  long status = 0;
  if (const CURLcode code = t.perform(status); code != CURLE_OK) return curl_easy_strerror(code);
  if (status >= 200 && status < 300) return "";
  if (refuses_for_good(status)) {
    log_(vigil::text("webhook: ", mask_credentials(url_), " refuses an event with status ", status,
                     "; it is not sent again"));
    return "";
  }
  return vigil::text("status ", status);
}

void Webhook::run() {
  Backoff backoff;
  std::string logged;
  while (!ended_) {
    std::string wrong;
    bool sent = false;
    try {
      for (const Letter &l : store_.letters("webhook", 1)) {
        wrong = post(l.payload);
        if (wrong.empty()) store_.delivered(l.id);
        sent = wrong.empty();
      }
    } catch (const std::exception &e) {
      wrong = e.what();
    }
    if (ended_) return;
    if (sent) {
      if (!logged.empty()) log_("webhook: events are taken again");
      logged.clear();
      backoff = {};
      continue;
    }
    if (!wrong.empty() && wrong != logged)
      log_("webhook: " + mask_credentials(url_) + ": " + wrong +
           "; trying again without limit, events are kept meanwhile");
    if (!wrong.empty()) logged = wrong;
    std::unique_lock held(lock_);
    constexpr double long_time = 3600;
    if (!wrong.empty())
      wake_.wait_for(held, std::chrono::duration<double>(backoff.next()), [this] { return ended_.load(); });
    else
      wake_.wait_for(held, std::chrono::duration<double>(long_time), [this] { return ended_ || more_; });
    more_ = false;
  }
}

} // namespace vigil::monitor
