// SPDX-License-Identifier: LGPL-2.1-or-later
// Exports on the disk: exports/ID/job.json, and in addition to it the files of that export; exports/link-key.
// Nothing else in that folder is touched. Methods that change an export are called by one thread at a time.
#pragma once

#include "export_job.h"

#include <functional>
#include <string>
#include <vector>

namespace vigil::monitor {

class ExportFolder {
 public:
  using Log = std::function<void(const std::string &)>;
  ExportFolder(std::string path, Log);

  // All exports. What a killed program had begun is removed, so that it starts anew. An export whose record
  // cannot be read stays as it is.
  std::vector<ExportJob> load();

  // The record is on the disk when it returns. Throws Error::write.
  void save(const ExportJob &);
  // Files and parts, not the record; then all. Throw Error::write when something is still there.
  void remove_files(const ExportJob &);
  void remove(const ExportJob &);

  std::string file(const std::string &id, const std::string &name) const {
    return path_ + "/" + id + "/" + name;
  }
  const std::string &path() const { return path_; }
  // What links are signed with: made when it is not there. Throws Error::write or Error::io.
  std::string link_key() const;

 private:
  std::string record(const std::string &id) const { return file(id, "job.json"); }
  const std::string path_;
  const Log log_;
};

} // namespace vigil::monitor
