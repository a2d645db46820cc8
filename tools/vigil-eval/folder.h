// SPDX-License-Identifier: LGPL-2.1-or-later
// Labelled folders. Two layouts are known:
//
//   ChangeDetection.net: input/in000001.jpg ..., groundtruth/gt000001.png ... (labels as in score.h);
//     optional temporalROI.txt ("first last", the numbers of the first and last frame with truth) and
//     ROI.bmp (black is outside the region of interest)
//   Wallflower (Toyama et al. 1999): input/b00000.png ..., hand_segmented_00247.png (foreground from 128 up)
//
//   the same with a video instead of input/: one .mp4, .avi, .mkv or .webm, whose frames count from 0 in the
//     order in which they are decoded
//
// Frame and truth belong together when the last number in their names is the same.
#pragma once

#include "image.h"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace vigil::eval {

struct Folder {
  std::string name;                         // last part of the path
  std::vector<std::string> frames;          // paths, by rising number
  std::vector<long long> numbers;           // of each frame, from its name
  std::string video;                        // path, where there are no files of frames
  std::string extension;                    // of all frames, lower case with the dot: ".jpg"
  std::map<std::size_t, std::string> truth; // index of the frame -> path
  bool hand_segmented = false;              // the truth is Wallflower's, not labels
  GrayImage region;                         // width 0 when there is none
};

// Throws Error::io or Error::bad_data, saying what was looked for, when the folder has neither layout, when
// it has no frame with truth, or frames of several kinds, or two of one number.
Folder open_folder(const std::string &path);

// The labels of frame `index`, which must have truth.
GrayImage load_truth(const Folder &, std::size_t index);

} // namespace vigil::eval
