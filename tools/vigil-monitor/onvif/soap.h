// SPDX-License-Identifier: LGPL-2.1-or-later
// Requests to ONVIF services: SOAP 1.2 with a user name token (OASIS Web Services Security UsernameToken
// Profile 1.0), whose digest keeps the password out of the request.
#pragma once

#include "xml.h"

#include <string>

namespace vigil::monitor {

struct OnvifLogin {
  std::string user, password; // an empty user: nobody signs in
};

// `created`: when the request is made, in seconds since 1970 by the device's clock. `nonce`: random bytes,
// others for each request. `headers`: further ones, as XML.
std::string soap_request(const std::string &body, const OnvifLogin &, double created,
                         const std::string &nonce, const std::string &headers = "");
std::string password_digest(const std::string &nonce, const std::string &created,
                            const std::string &password);

// The first element in the body of an answer. Throws Error::bad_data when it is no SOAP.
XmlElement soap_body(std::string_view answer);
// What a fault says; empty: this is none.
std::string fault_of(const XmlElement &body);
bool refuses_login(const XmlElement &body); // a fault because of user, password or time

} // namespace vigil::monitor
