// SPDX-License-Identifier: LGPL-2.1-or-later
// The file that model-location names. It is read at the start, written every save-interval, at the end of the
// stream and at the stop. A file that is no model, or the model of other frames, is no reason to stop a
// camera: the element warns and learns again, and before it writes its own model it renames that file to
// LOCATION.bak. A folder in the place of either file gets a name with .damaged-TIME.
#pragma once

#include "kernels/mog/state_file.h"

#include <atomic>
#include <exception>
#include <gst/gst.h>
#include <optional>
#include <string>
#include <thread>

namespace vigil::gst::cudamog {

class ModelFile {
 public:
  explicit ModelFile(GstElement *element) : element_(element) {}
  ~ModelFile() { close(); }
  ModelFile(const ModelFile &) = delete;
  ModelFile &operator=(const ModelFile &) = delete;

  // The start. The model that the file holds; none where `location` is empty, there is no file, or it is no
  // model, for which a warning is posted. Warns also when the folder cannot be written: at the stop there
  // may be no listener.
  std::optional<mog::SavedModel> open(const std::string &location);
  // The model that open() gave does not fit the frames: warns, and keeps the file as it is.
  void refused(const std::exception &why);

  bool named() const { return !location_.empty(); }
  // Whether `interval` seconds (0: never) have gone by since the last write or the start, and none is under
  // way.
  bool due(int interval) const;
  // Writes the model in a thread of its own.
  void write_in_background(mog::SavedModel);
  // Writes it now. What goes wrong is posted as a warning and logged.
  void write(const mog::SavedModel &);
  // Waits for a write that is under way. From now on there is no file.
  void close() noexcept;

 private:
  void wait() noexcept;
  void write_now(const mog::SavedModel &) noexcept;
  // Both throw Error::write.
  void keep_foreign_file() const;
  void move_folder_aside(const std::string &path) const; // where there is one

  void warn(const std::exception &, const char *consequence) const;

  GstElement *element_;
  std::string location_;
  bool foreign_ = false; // what is there must be kept as .bak
  gint64 last_ = 0;      // g_get_monotonic_time() of the last write or the start
  std::thread writer_;
  std::atomic<bool> writing_ = false;
};

} // namespace vigil::gst::cudamog
