// SPDX-License-Identifier: LGPL-2.1-or-later
#include "covered_since.h"

#include "../store/salvage.h"
#include "common/error.h"
#include "common/file.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

namespace vigil::monitor {
namespace {

std::set<std::string> parts_of(const PrivacyConfig &privacy) {
  std::set<std::string> out;
  for (const auto &[name, polygon] : privacy.polygons) out.insert(points_text(polygon.points));
  if (privacy.silhouettes) out.insert("silhouettes");
  return out;
}

} // namespace

CoveredSince::CoveredSince(std::string file, const std::function<void(const std::string &)> &report)
    : file_(std::move(file)) {
  constexpr std::size_t most = std::size_t{4} << 20;
  std::error_code error;
  if (!std::filesystem::exists(file_, error)) return;
  try {
    on_disk_ = read_text_file(file_, "the file of covered cameras", most);
    const auto all = nlohmann::json::parse(on_disk_);
    for (const auto &[camera, j] : all.items()) {
      Cover cover{j.at("parts").get<std::set<std::string>>(), j.at("since").get<double>()};
      if (std::isfinite(cover.since)) covers_[camera] = std::move(cover);
    }
  } catch (const std::exception &e) {
    covers_.clear(); // the safe side
    on_disk_ = "{}";
    report(text(file_, ": ", e.what(), set_aside(file_),
                ", and examples of cameras with privacy lose the pictures that were kept before"));
  }
}

std::set<std::string> CoveredSince::use(const std::map<std::string, PrivacyConfig> &cameras, double now) {
  const std::lock_guard guard(lock_);
  std::set<std::string> more;
  std::map<std::string, Cover> next;
  for (const auto &[camera, privacy] : cameras) {
    Cover cover{parts_of(privacy), now};
    if (cover.parts.empty()) continue;
    const auto before = covers_.find(camera);
    if (before != covers_.end() && std::includes(before->second.parts.begin(), before->second.parts.end(),
                                                 cover.parts.begin(), cover.parts.end()))
      cover.since = before->second.since;
    else
      more.insert(camera);
    next[camera] = std::move(cover);
  }
  covers_ = std::move(next);
  return more;
}

void CoveredSince::remember() {
  const std::lock_guard writing(writing_); // the last one to write has the newest
  nlohmann::json all = nlohmann::json::object();
  {
    const std::lock_guard guard(lock_);
    for (const auto &[camera, cover] : covers_)
      all[camera] = {{"parts", cover.parts}, {"since", cover.since}};
  }
  std::string text = all.dump();
  if (text == on_disk_) return;
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(file_).parent_path(), error);
  write_file_atomically(file_, {reinterpret_cast<const std::uint8_t *>(text.data()), text.size()});
  on_disk_ = std::move(text);
}

bool CoveredSince::covers(const std::string &camera, double time) const {
  const std::lock_guard guard(lock_);
  const auto cover = covers_.find(camera);
  return cover == covers_.end() || time >= cover->second.since;
}

bool CoveredSince::is_private(const std::string &camera) const {
  const std::lock_guard guard(lock_);
  return covers_.count(camera) != 0;
}

} // namespace vigil::monitor
