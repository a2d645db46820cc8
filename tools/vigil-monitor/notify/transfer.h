// SPDX-License-Identifier: LGPL-2.1-or-later
// What all requests by libcurl to servers of other people have in common: a limit of time, and an end when
// the program ends.
#pragma once

#include <atomic>
#include <curl/curl.h>
#include <memory>
#include <string>

namespace vigil::monitor {

struct Delivery {
  std::string wrong;     // empty: the server has taken it
  bool for_good = false; // it refuses this message, and will refuse it again
};

class Transfer {
 public:
  // `ended` may become true at any time, and ends perform().
  explicit Transfer(const std::atomic<bool> &ended);
  CURL *get() const { return curl_.get(); }
  // Also the reason why not, in libcurl's words. `status`: of HTTP or SMTP, 0 when there was none.
  CURLcode perform(long &status) const;

 private:
  std::unique_ptr<CURL, void (*)(CURL *)> curl_;
};

// Whether a status of HTTP says that the server will refuse the same message again.
bool refuses_for_good(long status);

} // namespace vigil::monitor
