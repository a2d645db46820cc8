// SPDX-License-Identifier: LGPL-2.1-or-later
#include "common/own_file.h"

#include "common/error.h"
#include "vigil-config.h"

#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <link.h>
#include <system_error>
#include <unistd.h>

namespace vigil {
namespace {

// Of the plugin or program that this code is part of. Empty: not known. The loader knows a program by the
// words with which it was started, which may name no folder.
std::string own_folder() {
  Dl_info info{};
  void *found = nullptr;
  if (dladdr1(reinterpret_cast<const void *>(&find_own_file), &info, &found, RTLD_DL_LINKMAP) == 0 || !found)
    return {};
  const std::string library = static_cast<const link_map *>(found)->l_name;
  if (!library.empty()) return std::filesystem::path(library).parent_path().string();
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error).parent_path().string();
}

} // namespace

std::string installed_own_file(const OwnFile &f) {
  return text(VIGIL_LIBEXEC_FOLDER, "/", f.name);
}

std::string find_own_file(const OwnFile &f) {
  if (const char *named = std::getenv(f.variable)) return named;
  const auto usable = [&](const std::string &path) { return access(path.c_str(), f.access) == 0; };
  if (const std::string own = own_folder(); !own.empty())
    for (const std::string &path : {text(own, "/", f.name), text(own, "/", f.folder, "/", f.name)})
      if (usable(path)) return path;
  const std::string installed = installed_own_file(f);
  return usable(installed) ? installed : std::string();
}

} // namespace vigil
