// SPDX-License-Identifier: LGPL-2.1-or-later
// One part of a file through a chain of elements, as fast as it goes.
#pragma once

#include "findings.h"
#include "tools/base/contexts.h"

#include <semaphore>
#include <string>
#include <vector>

namespace vigil::scan {

struct Chain {
  std::string elements;        // as for gst-launch-1.0; frames go in, frames come out
  std::string model;           // of gpufisher, for vectors; empty: none are made
  Time vectors_every = second; // while an event goes on
  Time warm_up = 0;            // before a part's begin, for what elements have to learn
};

// Files take turns. One is opened before its turn to be watched and closed afterwards: to make a decoder on
// a GPU takes up to half a second, in which others can be watched. They are opened one by one: the driver
// makes one decoder after the other, and of many that are begun together none is ready before the last.
struct Turns {
  explicit Turns(int jobs) : watch(jobs) {}
  static constexpr int opened_at_a_time = 1;
  std::counting_semaphore<> open{opened_at_a_time}, watch;
};

// Throws Error::bad_setting when the chain cannot be made or does not fit, Error::bad_data when the file
// cannot be decoded, Error::no_device when an element is missing. Files that are watched at the same time
// share the contexts.
Findings watch(const std::string &path, const Part &, const Chain &, tools::SharedContexts &, Turns &);

// How long the file says that it is, and 0 when it does not know. Nothing is decoded where its container says
// so; where a decoder has to be made, the files take turns. Throws as watch() does. Any thread.
Time duration_of(const std::string &path, tools::SharedContexts &, Turns &);

// The Fisher vector of the first frame at or after `time`. Throws as watch() does, and Error::bad_data when
// the file ends before.
std::vector<float> vector_at(const std::string &path, Time time, const std::string &model);

// Throws Error::bad_setting or no_device, as watch() does, for chains that neither drawn pictures nor any of
// the first files can go through. What it starts on a GPU stays in the contexts.
void check_chain(const Chain &, tools::SharedContexts &, const std::vector<std::string> &paths);

} // namespace vigil::scan
