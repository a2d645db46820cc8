// SPDX-License-Identifier: LGPL-2.1-or-later
#include "notices.h"

#include "../printable.h"
#include "common/error.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

namespace vigil::monitor {
namespace {

constexpr std::size_t longest_source = 160;

// Parts of topics, which cameras put into trees of different depths.
constexpr std::pair<std::string_view, const char *> topics[] = {
    {"MotionAlarm", "device-motion"},          {"CellMotionDetector", "device-motion"},
    {"MotionRegionDetector", "device-motion"}, {"GlobalSceneChange", "device-tamper"},
    {"TamperDetector", "device-tamper"},       {"Tampering", "device-tamper"},
    {"DigitalInput", "device-input"},          {"LineDetector", "device-line"}};

// "tns1:VideoSource/MotionAlarm"; null: none that is known.
const char *label_of(std::string_view topic) {
  for (std::size_t at = 0; at <= topic.size();) {
    const std::size_t end = std::min(topic.find('/', at), topic.size());
    std::string_view part = topic.substr(at, end - at);
    if (const std::size_t colon = part.find(':'); colon != part.npos) part.remove_prefix(colon + 1);
    for (const auto &[word, label] : topics)
      if (part == word) return label;
    at = end + 1;
  }
  return nullptr;
}

// The first truth value of a message's data. Nothing: it only says that something happened.
std::optional<bool> truth_in(const XmlElement &message) {
  const XmlElement *data = message.child("Data");
  if (!data) return std::nullopt;
  for (const XmlElement &item : data->children) {
    if (item.name != "SimpleItem") continue;
    const std::string value = item.attribute("Value"), name = item.attribute("Name");
    const bool word = value == "true" || value == "false";
    const bool digit =
        (value == "1" || value == "0") && (name.starts_with("Is") || name.find("State") != name.npos);
    if (word || digit) return value == "true" || value == "1";
  }
  return std::nullopt;
}

} // namespace

std::vector<DeviceNotice> notices_of(const XmlElement &answer) {
  std::vector<DeviceNotice> out;
  for (const XmlElement &n : answer.children) {
    if (n.name != "NotificationMessage") continue;
    const XmlElement *message = n.find({"Message", "Message"});
    const std::string topic = n.text_of({"Topic"});
    const char *label = label_of(topic);
    if (!label || !message) continue;
    std::string source = topic;
    if (const XmlElement *of = message->child("Source"))
      for (const XmlElement &item : of->children) source += " " + item.attribute("Value");
    const auto truth = truth_in(*message);
    auto state = !truth   ? DeviceNotice::State::moment
                 : *truth ? DeviceNotice::State::on
                          : DeviceNotice::State::off;
    const std::string operation = message->attribute("PropertyOperation");
    if (operation == "Deleted") state = DeviceNotice::State::off;
    // Said at the beginning of a subscription, and so nothing that happens now.
    if (operation == "Initialized" && state == DeviceNotice::State::moment) continue;
    out.push_back({label, printable(source, longest_source), state});
    if (out.size() == most_notices) break;
  }
  return out;
}

std::string reference_headers(const XmlElement &reference) {
  std::string out;
  const XmlElement *parameters = reference.child("ReferenceParameters");
  if (!parameters) return out;
  constexpr std::size_t most = 8, longest = 512;
  std::size_t n = 0;
  for (const XmlElement &p : parameters->children) {
    if (p.text.size() > longest || ++n > most) continue;
    out += vigil::text("<r:", p.name, " xmlns:r=\"", xml_escaped(p.space),
                       "\" xmlns:a=\"http://www.w3.org/2005/08/addressing\" a:IsReferenceParameter=\"true\">",
                       xml_escaped(p.text), "</r:", p.name, ">");
  }
  return out;
}

} // namespace vigil::monitor
