// SPDX-License-Identifier: LGPL-2.1-or-later
#include "shard.h"

#include "common/error.h"
#include "config.h"

#include <cstdint>

namespace vigil::monitor {
namespace {

// FNV-1a, of which SplitMix64's finaliser (Steele et al. 2014) spreads the bits.
std::uint64_t hash(std::string_view s) {
  std::uint64_t h = 0xCBF29CE484222325U;
  for (const char c : s) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001B3U;
  return h;
}
std::uint64_t mix(std::uint64_t z) {
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9U;
  z = (z ^ z >> 27) * 0x94D049BB133111EBU;
  return z ^ z >> 31;
}

} // namespace

Shard parse_shard(const std::string &words, const std::string &host_name) {
  constexpr std::string_view host = "host/";
  if (!words.starts_with(host)) return tools::parse_share("--shard", words);
  const auto dash = host_name.rfind('-');
  const std::string number = dash == host_name.npos ? "" : host_name.substr(dash + 1);
  if (number.empty() || number.find_first_not_of("0123456789") != number.npos)
    fail(Error::Kind::bad_setting, "--shard ", words, ": the host's name '", host_name,
         "' does not end in a dash and a number");
  return tools::parse_share("--shard", number + "/" + words.substr(host.size()));
}

int shard_of(std::string_view camera, int count) {
  const std::uint64_t name = hash(camera);
  int best = 0;
  std::uint64_t most = 0;
  for (int i = 0; i < count; i++) {
    const std::uint64_t weight = mix(name + (static_cast<std::uint64_t>(i) + 1) * 0x9E3779B97F4A7C15U);
    if (i > 0 && weight <= most) continue;
    best = i;
    most = weight;
  }
  return best;
}

void keep_shard(Config &c, const Shard &shard) {
  c.shard = shard;
  if (shard.count == 1) return;
  std::erase_if(c.cameras,
                [&](const auto &camera) { return shard_of(camera.first, shard.count) != shard.index; });
  std::erase_if(c.order, [&](const std::string &name) { return !c.cameras.contains(name); });
  c.mqtt.devices = c.mqtt.topic_prefix; // which all shards share: a camera that moves stays the same device
  c.mqtt.node += "-" + std::to_string(shard.index); // two clients of one name throw each other out
}

} // namespace vigil::monitor
