// SPDX-License-Identifier: LGPL-2.1-or-later
// Which files a user means who names folders.
#pragma once

#include <string>
#include <vector>

namespace vigil::tools {

enum class Media { videos, videos_and_pictures };

// A folder stands for the files in it (and in its folders) whose names end like a video's or a picture's, in
// the order of their names. A file stands for itself, whatever its name. Throws Error::io when something is
// not there, Error::bad_data when a folder has none.
// `passed_over`, if it is there, gets the other files of folders.
std::vector<std::string> expand(const std::vector<std::string> &files_and_folders,
                                Media = Media::videos_and_pictures,
                                std::vector<std::string> *passed_over = nullptr);

// "3 of .txt, 1 of .dat": how many of the files there are of each ending.
std::string endings_of(const std::vector<std::string> &files);

} // namespace vigil::tools
