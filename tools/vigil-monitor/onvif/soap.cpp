// SPDX-License-Identifier: LGPL-2.1-or-later
#include "soap.h"

#include "../printable.h"
#include "common/error.h"

#include <cmath>
#include <cstdint>
#include <ctime>
#include <nettle/base64.h>
#include <nettle/sha1.h>
#include <utility>

namespace vigil::monitor {
namespace {

const std::uint8_t *octets(const std::string &s) {
  return reinterpret_cast<const std::uint8_t *>(s.data());
}

std::string plain_base64(const std::string &bytes) {
  std::string out(BASE64_ENCODE_RAW_LENGTH(bytes.size()), '\0');
  base64_encode_raw(out.data(), bytes.size(), octets(bytes));
  return out;
}

std::string time_words(double seconds) {
  const auto whole = static_cast<std::time_t>(std::floor(seconds));
  tm parts{};
  gmtime_r(&whole, &parts);
  char out[32];
  std::strftime(out, sizeof out, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return out;
}

} // namespace

std::string password_digest(const std::string &nonce, const std::string &created,
                            const std::string &password) {
  sha1_ctx hash;
  sha1_init(&hash);
  for (const std::string *part : {&nonce, &created, &password})
    sha1_update(&hash, part->size(), octets(*part));
  std::string digest(SHA1_DIGEST_SIZE, '\0');
  sha1_digest(&hash, digest.size(), reinterpret_cast<std::uint8_t *>(digest.data()));
  return plain_base64(digest);
}

std::string soap_request(const std::string &body, const OnvifLogin &login, double created,
                         const std::string &nonce, const std::string &headers) {
  std::string security;
  if (!login.user.empty()) {
    constexpr const char *wss = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-";
    const std::string when = time_words(created);
    security = vigil::text(
        "<w:Security s:mustUnderstand=\"1\" xmlns:w=\"", wss, "wssecurity-secext-1.0.xsd\" xmlns:u=\"", wss,
        "wssecurity-utility-1.0.xsd\"><w:UsernameToken><w:Username>", xml_escaped(login.user),
        "</w:Username><w:Password Type=\"", wss, "username-token-profile-1.0#PasswordDigest\">",
        password_digest(nonce, when, login.password), "</w:Password><w:Nonce EncodingType=\"", wss,
        "soap-message-security-1.0#Base64Binary\">", plain_base64(nonce), "</w:Nonce><u:Created>", when,
        "</u:Created></w:UsernameToken></w:Security>");
  }
  const std::string header =
      security.empty() && headers.empty() ? "" : "<s:Header>" + security + headers + "</s:Header>";
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
         "<s:Envelope xmlns:s=\"http://www.w3.org/2003/05/soap-envelope\">" +
         header + "<s:Body>" + body + "</s:Body></s:Envelope>";
}

XmlElement soap_body(std::string_view answer) {
  XmlElement envelope = read_xml(answer);
  if (envelope.name != "Envelope") fail(Error::Kind::bad_data, "the answer is no SOAP envelope");
  for (XmlElement &part : envelope.children)
    if (part.name == "Body" && !part.children.empty()) return std::move(part.children.front());
  fail(Error::Kind::bad_data, "the answer has no body");
}

std::string fault_of(const XmlElement &body) {
  if (body.name != "Fault") return "";
  std::string why = body.text_of({"Reason", "Text"});
  if (why.empty()) why = body.text_of({"faultstring"}); // of SOAP 1.1
  return why.empty() ? "a fault without a reason" : printable(why, most_said);
}

bool refuses_login(const XmlElement &body) {
  if (body.name != "Fault") return false;
  const std::string code = body.text_of({"Code", "Subcode", "Value"}) + body.text_of({"faultcode"}) +
                           body.text_of({"Code", "Subcode", "Subcode", "Value"});
  for (const char *word : {"NotAuthorized", "FailedAuthentication", "FailedCheck"})
    if (code.find(word) != code.npos) return true;
  return false;
}

} // namespace vigil::monitor
