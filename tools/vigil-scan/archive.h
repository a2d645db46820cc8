// SPDX-License-Identifier: LGPL-2.1-or-later
// The folder that results are written to. Several processes, on several machines, may work on one folder:
// every file in it appears whole or not at all, and the same work gives the same bytes, so that it does no
// harm when two do the same.
//
//   scan.json                 what made the results: version, chain, splitting, model
//   NAME.jsonl                a finished file's records (records.h). It is written last: the file is done
//                             when it is there
//   NAME.vectors              its vectors, when they were asked for
//   NAME.part-0003.json       a finished part of a file that is not done, and ...
//   NAME.part-0003.vectors    ... its vectors. They go when the file is finished
//   NAME.failed               why a file could not be read. It goes when that succeeds
#pragma once

#include "records.h"

#include <optional>
#include <string>
#include <vector>

namespace vigil::scan {

class Archive {
 public:
  // Makes the folder when it is not there. Throws Error::write when nothing can be written there,
  // Error::bad_setting when it holds results that another `how` made, naming what differs.
  Archive(std::string folder, const Json &how, bool with_vectors);

  // The file's results are there, and are of the file as it is now.
  bool done(const SourceFile &) const;
  std::optional<Findings> part(const SourceFile &, int index) const; // with vectors
  void put_part(const SourceFile &, const Findings &) const;
  void remove_part(const SourceFile &, int index) const; // of a file that is done
  // The findings of all parts, in order: the file is done.
  void finish(const SourceFile &, const std::vector<Findings> &) const;
  void put_failure(const std::string &path, const std::string &name, const std::string &reason) const;
  void remove_left_behind() const; // by processes that were killed while they wrote

 private:
  std::string at(const SourceFile &, const std::string &ending) const;
  void check_how(const Json &how) const;
  const std::string folder_;
  const bool with_vectors_;
};

// The finished results in a folder, in the order of their names: NAME, without ".jsonl".
std::vector<std::string> finished(const std::string &folder);
Json read_json(const std::string &path);               // Error::io, Error::bad_data
std::vector<Json> read_lines(const std::string &path); // likewise
VectorTable read_vectors(const std::string &path);     // likewise

} // namespace vigil::scan
