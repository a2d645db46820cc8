// SPDX-License-Identifier: LGPL-2.1-or-later
// Lines of text files that people make, on whatever system.
#pragma once

#include <istream>
#include <string>

namespace vigil::tools {

// The next line, without what Windows' programs put around it: a carriage return at its end, and a byte order
// mark at the file's begin. `number`: of lines read before; it is counted up.
inline bool next_line(std::istream &in, std::string &line, int &number) {
  if (!std::getline(in, line)) return false;
  constexpr const char *mark = "\xEF\xBB\xBF";
  if (number++ == 0 && line.starts_with(mark)) line.erase(0, 3);
  if (line.ends_with('\r')) line.pop_back();
  return true;
}

} // namespace vigil::tools
