// SPDX-License-Identifier: LGPL-2.1-or-later
// Findings as text and as arrays. Nothing in them depends on when, where or in which order they were made.
//
// A finished file has two: JSON lines, each an object with the member "record":
//   file      path, name, bytes, width, height
//   event     id, label, begin, end
//   track     id ("PART.NUMBER"), type, begin, end, first, last ([x, y, width, height], pixels); from_before,
//             goes_on where a part's border cut it
//   message   name, time, and the message's numbers, words and truth values
//   activity  second, boxes (the most on one frame), area (the largest share of the picture, 0 to 1)
//   end       frames, seconds (time of the last frame), complete, and reason where that is false
// Times are seconds from the file's begin. And an array file (common/array_file.h, magic "VIGILSCN") with
//   times     <f8 {n}         seconds
//   values    <f4 {n, length} Fisher vectors of length 1
//   path      text
#pragma once

#include "findings.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace vigil::scan {

// What identifies a video file.
struct SourceFile {
  std::string path;   // absolute, without links
  std::string name;   // of its results: the file's own name and a hash of the path
  std::string digest; // of its size and of the first and last 64 KiB
  std::uintmax_t bytes = 0;
};

std::string lines_of(const SourceFile &, const std::vector<Findings> &parts);

// A part on its way to a finished file; vectors are written by themselves.
std::string text_of(const SourceFile &, const Findings &);
// Throws Error::bad_data when it is none or of another file.
Findings findings_of(const SourceFile &, const std::string &text);

struct VectorTable {
  std::string path;
  std::vector<double> times; // seconds
  std::vector<float> values; // times.size() x length
  std::size_t length = 0;
};
std::vector<std::uint8_t> bytes_of(const VectorTable &);
VectorTable table_of(std::span<const std::uint8_t>); // throws Error::bad_data
VectorTable table_of(const SourceFile &, const std::vector<Findings> &parts);

} // namespace vigil::scan
