// SPDX-License-Identifier: LGPL-2.1-or-later
// What nobody may read in a log or an answer, and how addresses are shown without it.
#pragma once

#include <string>
#include <string_view>

namespace vigil::monitor {

// Remembers a secret for the life of the program. Fewer than four characters are too common a word to hide.
// On any thread, as are all functions here.
void keep_secret(std::string_view);
// User, password, path and query of an address, of a webhook or of all addresses in a camera's source, and
// the values of settings in a source whose names speak of secrets (user-pw, extra-headers).
void keep_secrets_of_source(std::string_view source);
void keep_secrets_of_webhook(std::string_view url);

// The text with *** in the place of each secret that was remembered. Secrets of fewer than eight characters
// are replaced where they are whole words.
std::string without_secrets(std::string_view);

// A camera's source for people: "rtsp://host:554/..." of an address, the names of the elements of a launch
// line, a file or a device as it is.
std::string shown_source(std::string_view source);
// "https://host:port" of an address.
std::string shown_server(std::string_view url);

} // namespace vigil::monitor
