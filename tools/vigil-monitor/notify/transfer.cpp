// SPDX-License-Identifier: LGPL-2.1-or-later
#include "transfer.h"

#include "common/error.h"
#include "common/guarded.h"

namespace vigil::monitor {
namespace {

std::size_t ignore_body(char *, std::size_t size, std::size_t n, void *) {
  return size * n;
}
int stop_when_ended(void *ended, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  return *static_cast<const std::atomic<bool> *>(ended) ? 1 : 0;
}

} // namespace

Transfer::Transfer(const std::atomic<bool> &ended) : curl_(curl_easy_init(), curl_easy_cleanup) {
  if (!curl_) fail(Error::Kind::no_memory, "libcurl has no memory");
  constexpr long seconds = 15;
  curl_easy_setopt(get(), CURLOPT_TIMEOUT, seconds);
  curl_easy_setopt(get(), CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(get(), CURLOPT_WRITEFUNCTION, guarded<ignore_body>);
  curl_easy_setopt(get(), CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(get(), CURLOPT_XFERINFOFUNCTION, (guarded<stop_when_ended, 1>));
  curl_easy_setopt(get(), CURLOPT_XFERINFODATA, &ended);
#if LIBCURL_VERSION_NUM >= 0x075700
  curl_easy_setopt(get(), CURLOPT_QUICK_EXIT, 1L); // not to wait for a name that nobody resolves
#endif
}

CURLcode Transfer::perform(long &status) const {
  const CURLcode code = curl_easy_perform(get());
  status = 0;
  curl_easy_getinfo(get(), CURLINFO_RESPONSE_CODE, &status);
  return code;
}

bool refuses_for_good(long status) {
  constexpr long timeout = 408, busy = 429;
  return status >= 400 && status < 500 && status != timeout && status != busy;
}

} // namespace vigil::monitor
