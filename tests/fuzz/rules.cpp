// SPDX-License-Identifier: LGPL-2.1-or-later
// boxrules' rules (kernels/rules/rules.h).
#include "kernels/rules/rules.h"
#include "common/error.h"
#include "tests/fuzz/fuzz.h"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace vigil::fuzz {

std::vector<Bytes> seeds() {
  std::vector<Bytes> files;
  for (
      const std::string_view text :
      {R"({"lines":[{"name":"gate","points":[[0.5,0],[0.5,1]],"wrong-way":"backward","classes":["car"]}]})",
       R"({"units":"pixels","anchor":"centre","zones":[{"name":"a","polygon":[[1,2],[300,4],[5,600]],"loitering":5,
            "crowd":{"count":2,"seconds":1},"left-object":3,"max-speed":4,"min-height":1,"max-height":90}]})",
       R"({"ground":{"picture":[[0,1],[1,1],[0.7,0],[0.3,0]],"metres":[[0,0],[7,0],[7,30],[0,30]]}})"})
    files.emplace_back(text.begin(), text.end());
  return files;
}

bool read(std::span<const std::uint8_t> bytes) {
  rules::Rules rules;
  try {
    rules = rules::parse({reinterpret_cast<const char *>(bytes.data()), bytes.size()});
    rules::in_pixels(rules, 640, 480);
  } catch (const Error &e) {
    if (e.kind() == Error::Kind::bad_setting) return false;
    throw;
  }
  if (rules::parse(rules::to_text(rules)) != rules) {
    std::fprintf(stderr, "rules: what was written and read is another\n");
    std::abort();
  }
  return true;
}

} // namespace vigil::fuzz
