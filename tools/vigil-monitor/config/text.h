// SPDX-License-Identifier: LGPL-2.1-or-later
// Words of the configuration: sizes, names, variables of the environment, addresses with passwords in them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace vigil::monitor {

// "200GB" -> bytes; B, kB, MB, GB, TB are powers of 1000, KiB, MiB, GiB, TiB of 1024. Throws
// Error::bad_setting.
std::uint64_t parse_size(std::string_view);
// 1234567 -> "1.23 MB"
std::string size_text(std::uint64_t bytes);

// 1 to 32 of A-Z a-z 0-9 _ -, so that a name can stand in paths, addresses and topics as it is.
bool is_name(std::string_view);
// What people call a camera: 1 to 64 characters of UTF-8, of any script, one of them visible. None of them is
// a control character, turns the direction of writing, or is a space at an end.
bool is_title(std::string_view);

// Labels of tracks: 1 to 64 bytes of UTF-8 each, and few of them. Throws Error::bad_setting.
void check_labels(const std::vector<std::string> &);

// Replaces each ${NAME} by that variable of the environment. Throws Error::bad_setting, naming a variable
// that is not set.
std::string expand_environment(std::string_view);

// Where in a text the values of settings and parameters stand whose names speak of secrets (password=,
// token=, user-pw=): from and to, in order.
std::vector<std::pair<std::size_t, std::size_t>> secret_settings(std::string_view);

// A text of anybody, GStreamer say, for people: known secrets (secrets.h) are ***, and so is what looks like
// one: "rtsp://user:secret@host/" -> "rtsp://user:***@host/", and the values of secret_settings().
std::string mask_credentials(std::string_view);

} // namespace vigil::monitor
