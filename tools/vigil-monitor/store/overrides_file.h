// SPDX-License-Identifier: LGPL-2.1-or-later
// overrides.json: the changes that people made on the page. The version before the last one stays as
// overrides.json.1, so that a damaged file never means that nothing was changed.
#pragma once

#include "../config/overrides.h"
#include "storage.h"

#include <string>

namespace vigil::monitor {

class OverridesFile {
 public:
  explicit OverridesFile(Storage &storage) : storage_(storage) {}

  // What is in the file; when it is empty, damaged or cannot be read, what is in the one before. A file that
  // cannot be used is moved aside and reported. Without any file there are no overrides.
  Overrides load();
  // Both files are on the disk when this returns. Throws Error::write; the files of before stay then.
  void save(const std::string &text);

 private:
  void renew_copy(); // a file before that is damaged or missing: two damaged at different times lose nothing
  Storage &storage_;
  std::string good_; // what the file holds
};

} // namespace vigil::monitor
