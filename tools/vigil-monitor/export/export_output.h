// SPDX-License-Identifier: LGPL-2.1-or-later
// Where the bytes of an exported range go. What was begun and not finished is removed.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace vigil::monitor {

struct ExportCancelled {}; // thrown

// Of one export while it runs.
struct ExportProgress {
  std::atomic<bool> cancelled = false;
  std::atomic<double> share = 0; // from 0 to 1
  void check() const {
    if (cancelled) throw ExportCancelled{};
  }
};

// How many more bytes exports may write; less than 0 where the disk has too little left.
using ExportRoom = std::function<std::int64_t()>;

class ExportOutput {
 public:
  struct Made {
    std::int64_t bytes = 0;
    std::string sha256;
  };
  ExportOutput() = default;
  virtual ~ExportOutput() = default;
  ExportOutput(const ExportOutput &) = delete;
  ExportOutput &operator=(const ExportOutput &) = delete;
  // Throw Error::write and Error::bad_data, and ExportCancelled.
  virtual void put(std::string_view) = 0;
  virtual Made finish() = 0; // the file is on the disk when it returns
};

// The file as it is, under `path`.part until it is whole. `room` must outlive it.
std::unique_ptr<ExportOutput> export_copy(std::string path, const ExportRoom &room);

// Pictures decoded, drawn on and encoded again by a child process, which is this program with other words
// (export/render.h).
struct RenderOrder {
  std::int64_t start = 0; // of the first picture, in microseconds since 1970
  bool burn_in = false;   // draws the time
  int timelapse = 0;      // so many times as fast; 0: as it was
  bool keys_only = false; // key frames are enough
  std::string sound;      // the element that parses it; empty: there is none
};
std::unique_ptr<ExportOutput> export_render(std::string path, const RenderOrder &, const ExportRoom &room,
                                            const ExportProgress &);

} // namespace vigil::monitor
