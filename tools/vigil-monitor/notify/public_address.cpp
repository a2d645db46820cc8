// SPDX-License-Identifier: LGPL-2.1-or-later
#include "public_address.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <netinet/in.h>

namespace vigil::monitor {
namespace {

struct Net4 {
  std::uint32_t base;
  int bits;
};

// IANA's registry of special addresses, and multicast.
constexpr Net4 special4[] = {{0x00000000, 8},  {0x0a000000, 8},  {0x64400000, 10}, {0x7f000000, 8},
                             {0xa9fe0000, 16}, {0xac100000, 12}, {0xc0000000, 24}, {0xc0000200, 24},
                             {0xc0586300, 24}, {0xc0a80000, 16}, {0xc6120000, 15}, {0xc6336400, 24},
                             {0xcb007100, 24}, {0xe0000000, 3}};

bool is_public4(std::uint32_t address) {
  return std::none_of(std::begin(special4), std::end(special4),
                      [&](const Net4 &n) { return (address ^ n.base) >> (32 - n.bits) == 0; });
}

bool is_public6(const std::array<std::uint8_t, 16> &a) {
  const auto begins = [&](std::initializer_list<int> bytes) {
    return std::equal(bytes.begin(), bytes.end(), a.begin(), [](int x, std::uint8_t y) { return x == y; });
  };
  const auto v4_at = [&](int at) {
    return static_cast<std::uint32_t>(a[at]) << 24 | static_cast<std::uint32_t>(a[at + 1]) << 16 |
           static_cast<std::uint32_t>(a[at + 2]) << 8 | a[at + 3];
  };
  if (begins({0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0})) return is_public4(v4_at(12)); // NAT64
  if (begins({0x20, 0x02})) return is_public4(v4_at(2));                                   // 6to4
  if (begins({0x20, 0x01, 0x0d, 0xb8}) || begins({0x20, 0x01, 0x00})) return false; // documentation, Teredo
  return (a[0] & 0xe0) == 0x20; // 2000::/3 is all that has been given out
}

} // namespace

bool is_public(const sockaddr &address) {
  if (address.sa_family == AF_INET) {
    sockaddr_in in{};
    std::memcpy(&in, &address, sizeof in);
    return is_public4(ntohl(in.sin_addr.s_addr));
  }
  if (address.sa_family != AF_INET6) return false;
  sockaddr_in6 in{};
  std::memcpy(&in, &address, sizeof in);
  std::array<std::uint8_t, 16> bytes{};
  std::memcpy(bytes.data(), &in.sin6_addr, bytes.size());
  constexpr std::array<std::uint8_t, 12> mapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  if (std::equal(mapped.begin(), mapped.end(), bytes.begin()))
    return is_public4(static_cast<std::uint32_t>(bytes[12]) << 24 |
                      static_cast<std::uint32_t>(bytes[13]) << 16 |
                      static_cast<std::uint32_t>(bytes[14]) << 8 | bytes[15]);
  return is_public6(bytes);
}

} // namespace vigil::monitor
