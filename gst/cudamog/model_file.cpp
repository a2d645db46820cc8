// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/cudamog/model_file.h"

#include "common/error.h"
#include "common/file.h"
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
  foreign_ = named();
  warn(
      why,
      named()
          ? "The background is learnt again; when the new model is saved, the file at model-location is kept "
            "with .bak added to its name"
          : "The background is learnt again");
}

bool ModelFile::due(int interval) const {
  return named() && interval > 0 && !writing_ &&
         g_get_monotonic_time() - last_ >= gint64(interval) * G_TIME_SPAN_SECOND;
}

void ModelFile::write_now(const mog::SavedModel &model) noexcept {
  try {
    const std::string kept = location_ + ".bak";
    if (foreign_ && std::rename(location_.c_str(), kept.c_str()) != 0 && errno != ENOENT)
      fail(Error::Kind::write, "cannot rename '", location_, "' to '", kept, "': ", std::strerror(errno));
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
