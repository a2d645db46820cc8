// SPDX-License-Identifier: LGPL-2.1-or-later
#include "ice_settings.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <memory>
#include <net/if.h>
#include <netinet/in.h>

namespace vigil::monitor {
namespace {

constexpr std::size_t most_addresses = 16;

std::string text_of(const sockaddr *a) {
  char text[INET6_ADDRSTRLEN] = {};
  if (a->sa_family == AF_INET) {
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in *>(a)->sin_addr, text, sizeof text);
  } else if (a->sa_family == AF_INET6) {
    const in6_addr &v6 = reinterpret_cast<const sockaddr_in6 *>(a)->sin6_addr;
    if (!IN6_IS_ADDR_LINKLOCAL(&v6))
      inet_ntop(AF_INET6, &v6, text, sizeof text); // that needs an interface's name
  }
  return text;
}

} // namespace

std::vector<std::string> own_addresses(bool for_this_machine) {
  ifaddrs *found = nullptr;
  if (getifaddrs(&found)) return {};
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs *)> owner(found, freeifaddrs);
  std::vector<std::string> loopback, others;
  for (const ifaddrs *i = found; i; i = i->ifa_next) {
    if (!i->ifa_addr || !(i->ifa_flags & IFF_UP)) continue;
    const std::string address = text_of(i->ifa_addr);
    if (address.empty()) continue;
    auto &to = i->ifa_flags & IFF_LOOPBACK ? loopback : others;
    if (to.size() < most_addresses) to.push_back(address);
  }
  if (for_this_machine || others.empty()) others.insert(others.begin(), loopback.begin(), loopback.end());
  return others;
}

} // namespace vigil::monitor
