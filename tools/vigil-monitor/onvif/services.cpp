// SPDX-License-Identifier: LGPL-2.1-or-later
#include "services.h"

#include "common/error.h"

#include <string>

namespace vigil::monitor {
namespace {

constexpr const char *of_device = " xmlns=\"http://www.onvif.org/ver10/device/wsdl\">";

} // namespace

OnvifServices::OnvifServices(OnvifClient &client, const ServiceAddress &device)
    : client_(client), device_(device) {
  capabilities_ =
      ask(vigil::text("<GetCapabilities", of_device, "<Category>All</Category></GetCapabilities>"), true);
}

// Some old devices do not answer at all to what they do not know: `needed` is false for that.
XmlElement OnvifServices::ask(const std::string &body, bool needed) {
  try {
    return client_.ask(device_, body);
  } catch (const Error &e) {
    if (e.kind() != Error::Kind::bad_data && (needed || e.kind() != Error::Kind::io)) throw;
    if (why_not_) std::rethrow_exception(why_not_); // neither is answered
    why_not_ = std::current_exception();
    return {};
  }
}

std::string OnvifServices::listed(const OnvifService &s) {
  if (!services_)
    services_ = ask(
        vigil::text("<GetServices", of_device, "<IncludeCapability>false</IncludeCapability></GetServices>"),
        why_not_ != nullptr);
  for (const XmlElement &one : services_->children)
    if (one.name == "Service" && one.text_of({"Namespace"}) == s.space) return one.text_of({"XAddr"});
  return "";
}

std::optional<ServiceAddress> OnvifServices::find(const OnvifService &s) {
  std::string named = *s.capability ? capabilities_.text_of({"Capabilities", s.capability, "XAddr"}) : "";
  if (named.empty()) named = listed(s);
  if (named.empty()) return std::nullopt;
  const ServiceAddress at = client_.own_address(named, s.words);
  if (at.scheme != "http" && at.scheme != "https")
    fail(Error::Kind::bad_data, "the device at ", device_.host, " names an address of ", s.words,
         " that is no http:// or https:// address");
  return at;
}

} // namespace vigil::monitor
