// SPDX-License-Identifier: LGPL-2.1-or-later
#include "view_models.h"

#include "../percent.h"
#include "common/file.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

namespace vigil::monitor {
namespace {

namespace fs = std::filesystem;

} // namespace

std::string ViewModels::path(const std::string &preset) const {
  return folder_ + "/preset-" + percent_encoded(preset) + ".mog";
}

bool ViewModels::has(const std::string &preset) const {
  std::error_code none;
  return !preset.empty() && fs::is_regular_file(path(preset), none);
}

void ViewModels::make_room(const std::string &preset) const {
  std::error_code error;
  fs::create_directories(folder_, error);
  fs::permissions(folder_, fs::perms::owner_all, error);
  std::vector<std::pair<fs::file_time_type, fs::path>> others;
  for (fs::directory_iterator at(folder_, error), end; !error && at != end; at.increment(error))
    if (at->path() != path(preset)) others.emplace_back(at->last_write_time(error), at->path());
  std::sort(others.begin(), others.end());
  for (std::size_t i = 0; i + most <= others.size(); i++) fs::remove(others[i].second, error);
}

void ViewModels::remove(const std::string &preset) const {
  std::error_code error;
  if (fs::remove(path(preset), error)) sync_folder(folder_);
}

void ViewModels::remove_all(const std::string &folder) {
  std::error_code error;
  if (fs::remove_all(folder, error) > 0 && !error) sync_folder_of(folder);
}

} // namespace vigil::monitor
