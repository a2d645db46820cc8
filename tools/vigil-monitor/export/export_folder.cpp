// SPDX-License-Identifier: LGPL-2.1-or-later
#include "export_folder.h"

#include "../http/tokens.h"
#include "../store/own_files.h"
#include "../store/salvage.h"
#include "../store/secret_file.h"
#include "common/error.h"
#include "common/file.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <span>
#include <utility>

namespace vigil::monitor {
namespace fs = std::filesystem;
namespace {

std::span<const std::uint8_t> bytes_of(const std::string &text) {
  return {reinterpret_cast<const std::uint8_t *>(text.data()), text.size()};
}

} // namespace

ExportFolder::ExportFolder(std::string path, Log log) : path_(std::move(path)), log_(std::move(log)) {}

std::vector<ExportJob> ExportFolder::load() {
  std::vector<ExportJob> out;
  std::vector<std::string> ids;
  std::error_code error;
  for (fs::directory_iterator i(path_, error), end; !error && i != end; i.increment(error)) {
    std::error_code none;
    if (i->is_directory(none) && !i->is_symlink(none) && is_export_id(i->path().filename().string()))
      ids.push_back(i->path().filename().string());
  }
  if (error && error != std::errc::no_such_file_or_directory)
    log_(text("the folder ", path_, " cannot be read: ", error.message()));
  for (const std::string &id : ids) {
    if (is_gone(record(id))) { // killed before the record was there, or after it went
      fs::remove(path_ + "/" + id, error);
      continue;
    }
    try {
      constexpr std::size_t largest = 1 << 20;
      const auto j = nlohmann::json::parse(read_text_file(record(id), "the record of an export", largest),
                                           nullptr, false);
      if (j.is_discarded()) fail(Error::Kind::bad_data, "it is no JSON");
      ExportJob job = export_job(j);
      if (job.id != id) fail(Error::Kind::bad_data, "it is of another export, ", job.id);
      if (!job.has_ended()) {
        job.state = ExportJob::State::queued;
        job.files.clear();
        remove_files(job);
      }
      out.push_back(std::move(job));
    } catch (const std::exception &e) {
      log_(text("the export ", record(id), " is left as it is: ", e.what()));
    }
  }
  return out;
}

void ExportFolder::save(const ExportJob &job) {
  std::error_code error;
  if (fs::create_directories(path_ + "/" + job.id, error)) sync_folder(path_);
  if (error) fail(Error::Kind::write, "cannot make the folder ", path_, "/", job.id, ": ", error.message());
  write_file_atomically(record(job.id),
                        bytes_of(to_json(job).dump(1, ' ', false, nlohmann::json::error_handler_t::replace)));
}

void ExportFolder::remove_files(const ExportJob &job) {
  const std::string folder = path_ + "/" + job.id;
  std::vector<std::string> ours;
  std::error_code error;
  for (fs::directory_iterator i(folder, error), end; !error && i != end; i.increment(error)) {
    const std::string name = i->path().filename().string();
    const bool kind = name.ends_with(".mp4") || name.ends_with(".mp4.part");
    if (kind && std::any_of(job.request.cameras.begin(), job.request.cameras.end(),
                            [&](const std::string &camera) { return name.starts_with(camera + "-"); }))
      ours.push_back(name);
  }
  for (const std::string &name : ours) remove_file(folder + "/" + name);
  if (!ours.empty()) sync_folder(folder);
}

void ExportFolder::remove(const ExportJob &job) {
  remove_files(job);
  const std::string folder = path_ + "/" + job.id;
  remove_left_behind(folder, [](std::string_view name) { return name == "job.json"; });
  remove_file(record(job.id));
  std::error_code error;
  fs::remove(folder, error); // only when nobody else has put something there
  sync_folder(path_);
}

std::string ExportFolder::link_key() const {
  const std::string file = path_ + "/link-key";
  constexpr std::size_t largest = 1024, shortest = 32;
  const auto aside = [&](const std::string &moved) {
    log_(moved + "; links to exports that were given away hold no longer");
  };
  if (const std::string moved = move_barred_aside(file); !moved.empty()) aside(moved);
  if (!is_gone(file)) {
    const std::string key = read_text_file(file, "the key of links to exports", largest);
    // Zeros, which a power cut can leave, everybody could sign with.
    const bool words = std::all_of(key.begin(), key.end(), [](unsigned char c) { return std::isalnum(c); });
    if (key.size() >= shortest && words) return key;
    aside(text(file, " is no key, and is now ", move_aside(file)));
  }
  std::error_code error;
  if (fs::create_directories(path_, error)) sync_folder_of(path_);
  make_secret_file(file, random_word() + random_word());
  return read_text_file(file, "the key of links to exports", largest);
}

} // namespace vigil::monitor
