// SPDX-License-Identifier: LGPL-2.1-or-later
#include "overrides_file.h"

#include "common/error.h"
#include "common/file.h"
#include "salvage.h"

#include <cerrno>
#include <exception>
#include <sys/stat.h>

namespace vigil::monitor {
namespace {

constexpr const char *name = "overrides.json", *name_before = "overrides.json.1";
constexpr std::size_t most_bytes = 64 << 20;

bool is_missing(const std::string &path) {
  struct stat info {};
  return lstat(path.c_str(), &info) != 0 && errno == ENOENT;
}

} // namespace

Overrides OverridesFile::load() {
  for (const char *each : {name, name_before}) {
    const std::string path = storage_.file(each);
    // A person who removed the file wants no overrides: the one before is for damage only.
    if (is_missing(path)) {
      if (each == name) return Overrides();
      continue;
    }
    try {
      std::string text = read_text_file(path, "the file of overrides", most_bytes);
      if (text.empty()) fail(Error::Kind::bad_data, path, ": the file is empty");
      Overrides overrides(text);
      good_ = std::move(text);
      if (each == name_before) {
        storage_.reports().add("the changes that were made on the page come from " + path +
                               ": the last ones may be missing");
        save(good_);
      } else {
        renew_copy();
      }
      return overrides;
    } catch (const std::exception &e) {
      std::string what = e.what();
      try {
        what += "; it is now " + move_aside(path);
      } catch (const std::exception &stays) {
        what += std::string("; ") + stays.what();
      }
      storage_.reports().add(what);
    }
  }
  storage_.reports().add("the changes that were made on the page are lost: neither overrides.json nor "
                         "overrides.json.1 can be used");
  return {};
}

void OverridesFile::renew_copy() {
  const std::string path = storage_.file(name_before);
  try {
    if (!is_missing(path)) {
      const std::string text = read_text_file(path, "the file of overrides", most_bytes);
      if (text.empty()) fail(Error::Kind::bad_data, path, ": the file is empty");
      Overrides{text};
      return;
    }
  } catch (const std::exception &e) {
    storage_.reports().add(std::string(e.what()) + "; it is written anew from overrides.json");
  }
  try {
    storage_.write_file(name_before, good_);
  } catch (const std::exception &e) { // a folder of that name, or a full disk: the next change tries again
    storage_.reports().add(e.what());
  }
}

void OverridesFile::save(const std::string &text) {
  if (!good_.empty() && good_ != text) storage_.write_file(name_before, good_);
  storage_.write_file(name, text);
  good_ = text;
}

} // namespace vigil::monitor
