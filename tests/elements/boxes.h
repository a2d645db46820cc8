// SPDX-License-Identifier: LGPL-2.1-or-later
// What the tests of boxtrack and boxrules share: frames without pixels but with boxes, and a chain of both.
#pragma once

#include "tests/elements/fixture.h"

#include <initializer_list>
#include <string>
#include <vector>

namespace vigil::test {

// A line down the middle, and a zone that is the picture's left half.
inline constexpr const char *gate =
    "{\"lines\":[{\"name\":\"gate\",\"points\":[[0.5,0],[0.5,1]]}],"
    "\"zones\":[{\"name\":\"left\",\"polygon\":[[0,0],[0.5,0],[0.5,1],[0,1]]}]}";

// A frame of one byte, at the time of its number, with boxes of the type "car".
GstBuffer *frame_with(int number, std::initializer_list<Rect> boxes, int fps = 10);
// Where a car is that crosses a picture of 640x480 from left to right within 50 frames.
Rect car(int number);
std::string grey_caps(int columns, int rows);

// boxtrack ! boxrules (or boxrules alone) on grey pictures of 640x480, and what they say on the bus.
class Boxes {
 public:
  explicit Boxes(const std::string &settings = "", const std::string &before = "boxtrack ! ");
  ~Boxes();
  Boxes(const Boxes &) = delete;
  Boxes &operator=(const Boxes &) = delete;

  GstHarness *harness() { return harness_; }
  GstElement *rules() { return rules_; }
  GstElement *element(const char *name); // of the chain; belongs to it
  // Pushes a frame that must go through, and gives what came out; the caller unrefs it.
  GstBuffer *through(GstBuffer *);
  void push(GstBuffer *b) { gst_buffer_unref(through(b)); }
  // Names of all element messages since the last call; of warnings and errors their text.
  std::vector<std::string> heard();

 private:
  GstHarness *harness_;
  GstElement *rules_;
  GstBus *bus_;
};
int times(const std::vector<std::string> &heard, const char *name);

} // namespace vigil::test
