// SPDX-License-Identifier: LGPL-2.1-or-later
// gpufisher on the CPU, shown one drawn frame after the other.
#pragma once

#include "kernels/fisher/model_file.h"
#include "tests/elements/fisher_meta.h"
#include "tests/elements/fixture.h"

#include <optional>
#include <string>
#include <vector>

namespace vigil::test {

inline constexpr int width = 96, height = 72;

// gpufisher with a model in a file of its own.
struct Watch {
  explicit Watch(const fisher::Model &m, const std::string &settings = "", const char *pixels = "GRAY8")
      : format(pixels) {
    fisher::write_model(folder / "model", m);
    element.emplace("gpufisher backend=cpu model-location=" + (folder / "model") + " " + settings);
    element->caps(caps_of(pixels, width, height));
  }
  // Shows a frame and gives what comes out.
  GstBuffer *show(int number, int objects = 0) {
    const Picture p =
        scene(format, width, height, number, std::vector<Rect>(std::size_t(objects), {20, 20, 30, 30}));
    fail_unless_equals_int(element->push(p, number), GST_FLOW_OK);
    GstBuffer *b = element->pull();
    fail_unless(b, "no frame came out");
    return b;
  }
  double score(int number, int objects = 0) {
    GstBuffer *b = show(number, objects);
    const double s = doubles(meta_of(b), "scores").at(0);
    gst_buffer_unref(b);
    return s;
  }
  Folder folder;
  const char *format;
  std::optional<Harness> element;
};

} // namespace vigil::test
