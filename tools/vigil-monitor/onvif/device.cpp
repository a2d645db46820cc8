// SPDX-License-Identifier: LGPL-2.1-or-later
#include "device.h"

#include "../printable.h"
#include "client.h"
#include "common/error.h"
#include "media.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <tuple>

namespace vigil::monitor {
namespace {

constexpr std::size_t most_profiles = 32, longest_token = 128;
constexpr const char *device_space = "http://www.onvif.org/ver10/device/wsdl";

double number_in(const std::string &words, double most) {
  double out = 0;
  std::from_chars(words.data(), words.data() + words.size(), out);
  return out >= 0 && out <= most ? out : 0;
}

std::vector<OnvifProfile> profiles_of(const XmlElement &answer) {
  std::vector<OnvifProfile> out;
  for (const XmlElement &p : answer.children) {
    const XmlElement *video = video_of_profile(p);
    OnvifProfile profile;
    profile.token = p.attribute("token");
    profile.name = printable(p.text_of({"Name"}), most_said);
    if (p.name != "Profiles" || !video || profile.token.empty() || profile.token.size() > longest_token)
      continue;
    constexpr double most_pixels = 65536, most_fps = 1000;
    profile.codec = printable(video->text_of({"Encoding"}), 16);
    profile.width = static_cast<int>(number_in(video->text_of({"Resolution", "Width"}), most_pixels));
    profile.height = static_cast<int>(number_in(video->text_of({"Resolution", "Height"}), most_pixels));
    profile.fps = number_in(video->text_of({"RateControl", "FrameRateLimit"}), most_fps);
    out.push_back(profile);
    if (out.size() == most_profiles) break;
  }
  return out;
}

std::size_t position_of(const std::vector<OnvifProfile> &profiles, const std::string &token) {
  const auto at =
      std::find_if(profiles.begin(), profiles.end(), [&](const auto &p) { return p.token == token; });
  if (at == profiles.end())
    fail(Error::Kind::bad_setting, "the device has no profile '", printable(token, most_said),
         "' with video");
  return static_cast<std::size_t>(at - profiles.begin());
}

std::string stream_of(const OnvifClient &client, OnvifMedia &media, const OnvifProfile &profile) {
  const ServiceAddress stream = client.own_address(media.stream_uri(profile.token), "the stream");
  if (stream.scheme != "rtsp" && stream.scheme != "rtsps")
    fail(Error::Kind::bad_data, "the device offers a stream by ", printable(stream.scheme, most_said),
         "://; rtsp:// and rtsps:// are taken");
  return stream.url;
}

} // namespace

ChosenProfiles choose_profiles(const std::vector<OnvifProfile> &all) {
  const auto pixels = [&](std::size_t i) { return static_cast<std::int64_t>(all[i].width) * all[i].height; };
  const auto good = [&](std::size_t i) { return all[i].codec != "JPEG"; };
  std::size_t record = 0;
  for (std::size_t i = 1; i < all.size(); i++)
    if (std::tuple(good(i), pixels(i), all[i].fps) >
        std::tuple(good(record), pixels(record), all[record].fps))
      record = i;
  constexpr int least_height = 240; // people far away are a few pixels tall in less
  std::size_t detect = record;
  for (std::size_t i = 0; i < all.size(); i++) {
    const bool fits =
        good(i) == good(record) && all[i].height >= least_height && 2 * pixels(i) <= pixels(record);
    if (fits && pixels(i) < pixels(detect)) detect = i;
  }
  return {record, detect};
}

OnvifDevice read_device(const std::string &address, const OnvifLogin &login,
                        const std::optional<ProfileChoice> &wanted, const std::atomic<bool> &ended) {
  const ServiceAddress at = device_address(address);
  OnvifClient client(at, login, ended);
  client.read_clock();
  OnvifServices services(client, at);
  OnvifMedia media(client, services);
  if (!media.there()) fail(Error::Kind::bad_data, "the device at ", at.host, " has no ONVIF media service");
  OnvifDevice out;
  out.host = at.host;
  out.clock_offset = client.clock_offset();
  const XmlElement about =
      client.ask(at, vigil::text("<GetDeviceInformation xmlns=\"", device_space, "\"/>"));
  out.manufacturer = printable(about.text_of({"Manufacturer"}), 64);
  out.model = printable(about.text_of({"Model"}), 64);
  out.profiles = profiles_of(media.profiles());
  if (out.profiles.empty())
    fail(Error::Kind::bad_data, "the device at ", at.host, " has no profile with video");
  const ChosenProfiles chosen = choose_profiles(out.profiles);
  out.record = wanted ? position_of(out.profiles, wanted->record) : chosen.record;
  out.detect = wanted ? position_of(out.profiles, wanted->detect) : chosen.detect;
  out.record_uri = stream_of(client, media, out.profiles[out.record]);
  out.detect_uri =
      out.detect == out.record ? out.record_uri : stream_of(client, media, out.profiles[out.detect]);
  return out;
}

} // namespace vigil::monitor
