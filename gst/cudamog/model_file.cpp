// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/cudamog/model_file.h"

#include "common/error.h"
#include "common/file.h"
#include "common/name_aside.h"
#include "gst/cudamog/debug.h"
#include "gst/errors.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <thread>
#include <utility>

namespace vigil::gst::cudamog {

void ModelFile::warn(const std::exception &e, const char *consequence) const {
  const auto *error = dynamic_cast<const Error *>(&e);
  const Error whole(error ? error->kind() : Error::Kind::no_memory, text(e.what(), ". ", consequence));
  GST_ERROR_OBJECT(element_, "%s", whole.what()); // at the stop the message may reach nobody
  post_warning(element_, whole);
}

std::optional<mog::SavedModel> ModelFile::open(const std::string &location) {
  close();
  location_ = location;
  foreign_ = false;
  last_ = g_get_monotonic_time();
  if (location_.empty()) return {};
  try {
    check_writable(location_);
  } catch (const std::exception &e) {
    warn(e, "The model will not be saved; let model-location be in a folder that can be written");
  }
  std::error_code error;
  if (!std::filesystem::exists(location_, error)) return {};
  try {
    return mog::read_file(location_);
  } catch (const std::exception &e) {
    refused(e);
    return {};
  }
}

void ModelFile::refused(const std::exception &why) {
  std::error_code error;
  const auto status = std::filesystem::status(location_, error);
  // Devices and pipes are written to as they are.
  const bool special =
      status.type() != std::filesystem::file_type::unknown && std::filesystem::is_other(status);
  foreign_ = named() && !special;
  if (!foreign_)
    warn(why, "The background is learnt again");
  else if (std::filesystem::is_directory(status))
    warn(why, "The background is learnt again; when the new model is saved, the folder at model-location is "
              "kept with .damaged-TIME added to its name");
  else
    warn(why, "The background is learnt again; when the new model is saved, the file at model-location is "
              "kept with .bak added to its name");
}

void ModelFile::move_folder_aside(const std::string &path) const {
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) return;
  const std::string aside = name_aside(path);
  if (std::rename(path.c_str(), aside.c_str()) != 0)
    fail(Error::Kind::write, "cannot rename the folder '", path, "', which is in the place of a file, to '",
         aside, "': ", std::strerror(errno));
  warn(Error(Error::Kind::write, text("a folder was in the place of the file '", path, "'")),
       text("It is set aside as '", aside, "'").c_str());
}

void ModelFile::keep_foreign_file() const {
  const std::string kept = location_ + ".bak";
  std::error_code error;
  if (std::filesystem::exists(location_, error)) move_folder_aside(kept);
  if (std::rename(location_.c_str(), kept.c_str()) != 0 && errno != ENOENT)
    fail(Error::Kind::write, "cannot rename '", location_, "' to '", kept, "': ", std::strerror(errno));
}

bool ModelFile::due(int interval) const {
  return named() && interval > 0 && !writing_ &&
         g_get_monotonic_time() - last_ >= gint64(interval) * G_TIME_SPAN_SECOND;
}

void ModelFile::write_now(const mog::SavedModel &model) noexcept {
  try {
    move_folder_aside(location_);
    if (foreign_) keep_foreign_file();
    foreign_ = false;
    mog::write_file(location_, model);
    GST_INFO_OBJECT(element_, "saved the model to %s", location_.c_str());
  } catch (const std::exception &e) {
    warn(e, "The model was not saved; make room, or let model-location be in a folder that can be written");
  }
}

void ModelFile::write(const mog::SavedModel &model) {
  wait();
  last_ = g_get_monotonic_time();
  write_now(model);
}

void ModelFile::write_in_background(mog::SavedModel model) {
  wait();
  last_ = g_get_monotonic_time();
  writing_ = true;
  try {
    writer_ = std::thread([this, model = std::move(model)] {
      write_now(model);
      writing_ = false;
    });
  } catch (...) {
    writing_ = false;
    throw;
  }
}

void ModelFile::wait() noexcept {
  if (writer_.joinable()) writer_.join();
}

void ModelFile::close() noexcept {
  wait();
  location_.clear();
}

} // namespace vigil::gst::cudamog
