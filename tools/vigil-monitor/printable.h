// SPDX-License-Identifier: LGPL-2.1-or-later
// Makes the words of devices, servers and brokers fit for a terminal, a log of lines and JSON.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace vigil::monitor {

// So many characters of another machine's words are shown.
constexpr std::size_t most_said = 200;

// Control characters (C0, DEL, C1), marks that turn the direction of writing, and bytes that are no UTF-8
// become \x1b or \u202e; tabs and ends of lines become spaces. What is longer than `most` characters ends in
// "...".
std::string printable(std::string_view text, std::size_t most = std::string_view::npos);

// Whether printable() leaves a text of at most `most` characters as it is, tabs and ends of lines included,
// and something of it can be seen.
bool is_visible(std::string_view text, std::size_t most);

} // namespace vigil::monitor
