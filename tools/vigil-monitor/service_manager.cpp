// SPDX-License-Identifier: LGPL-2.1-or-later
#include "service_manager.h"

#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <sys/socket.h>
#include <sys/un.h>
#include <system_error>
#include <unistd.h>

namespace vigil::monitor {
namespace {

std::optional<long long> number_of(const char *name) {
  const char *text = std::getenv(name);
  if (!text) return std::nullopt;
  long long value = 0;
  const char *end = text + std::strlen(text);
  const auto read = std::from_chars(text, end, value);
  return read.ec == std::errc() && read.ptr == end ? std::optional(value) : std::nullopt;
}

} // namespace

void notify_service_manager(std::string_view state) noexcept {
  const char *path = std::getenv("NOTIFY_SOCKET");
  sockaddr_un address{};
  if (!path || (*path != '/' && *path != '@') || std::strlen(path) >= sizeof address.sun_path) return;
  address.sun_family = AF_UNIX;
  const std::size_t length = std::strlen(path);
  std::memcpy(address.sun_path, path, length);
  if (*path == '@') address.sun_path[0] = 0; // an abstract socket
  const int s = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (s < 0) return;
  static_cast<void>(sendto(s, state.data(), state.size(), MSG_NOSIGNAL,
                           reinterpret_cast<const sockaddr *>(&address),
                           static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + length)));
  close(s);
}

std::optional<std::chrono::milliseconds> watchdog_period() {
  constexpr long long most = 3'600'000'000; // an hour
  const auto limit = number_of("WATCHDOG_USEC"), process = number_of("WATCHDOG_PID");
  if (!limit || *limit <= 0 || *limit > most || (process && *process != getpid())) return std::nullopt;
  return std::chrono::milliseconds(*limit / 1000 / 3); // twice may be late
}

} // namespace vigil::monitor
