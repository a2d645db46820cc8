// SPDX-License-Identifier: LGPL-2.1-or-later
// What vigil-train's decode() makes of errors: those of a file are bad data and have its name, those of a
// device that works on its frames are not. Usage: test-train-media FOLDER_FOR_FILES
#include "common/error.h"
#include "tests/unit.h"
#include "tools/vigil-train/media.h"

#include <cstdio>
#include <fstream>
#include <gst/gst.h>
#include <optional>

using namespace vigil;
using test::expect;

namespace {

std::string picture(const std::string &folder) {
  const std::string path = folder + "/train-media-good.png";
  const std::string chain =
      "videotestsrc num-buffers=1 ! video/x-raw,width=16,height=16 ! pngenc ! filesink location=\"" + path +
      '"';
  GstElement *pipeline = gst_parse_launch(chain.c_str(), nullptr);
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  GstBus *bus = gst_element_get_bus(pipeline);
  GstMessage *end = gst_bus_timed_pop_filtered(
      bus, 20 * GST_SECOND, static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR));
  expect(end && GST_MESSAGE_TYPE(end) == GST_MESSAGE_EOS, "a picture can be made");
  if (end) gst_message_unref(end);
  gst_object_unref(bus);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(pipeline);
  return path;
}

struct Caught {
  std::optional<Error::Kind> kind;
  std::string what;
};
Caught caught(const std::string &path, const std::function<bool(std::uint64_t, const ConstImage &)> &visit) {
  try {
    train::decode(path, "", visit);
  } catch (const Error &e) {
    return {e.kind(), e.what()};
  }
  return {};
}

void errors_of_media(const std::string &folder) {
  const std::string good = picture(folder), bad = folder + "/train-media-bad.png";
  std::ofstream(bad) << "this is no picture";
  using Kind = Error::Kind;

  int frames = 0;
  const Caught none = caught(good, [&](std::uint64_t, const ConstImage &image) {
    frames++;
    return image.width == 16 && image.height == 16;
  });
  expect(!none.kind && frames == 1, "a picture is one frame");
  for (const Kind kind : {Kind::device, Kind::no_memory, Kind::no_device, Kind::bad_setting, Kind::write}) {
    const Caught c =
        caught(good, [&](std::uint64_t, const ConstImage &) -> bool { fail(kind, "the GPU burns"); });
    expect(c.kind == kind && c.what == "the GPU burns", "what is not the file's goes through as it is");
  }
  const Caught small =
      caught(good, [](std::uint64_t, const ConstImage &) -> bool { fail(Kind::bad_data, "too small"); });
  expect(small.kind == Kind::bad_data && small.what == good + " cannot be read: too small",
         "a frame that is too small");
  const Caught broken = caught(bad, [](std::uint64_t, const ConstImage &) { return true; });
  expect(broken.kind == Kind::bad_data && broken.what.starts_with(bad + " cannot be read: "),
         "a file that is no picture");
  const Caught missing =
      caught(folder + "/nothing.png", [](std::uint64_t, const ConstImage &) { return true; });
  expect(missing.kind == Kind::io, "a file that is not there");
}

} // namespace

int main(int argc, char **argv) {
  gst_init(&argc, &argv);
  const std::string folder = argc > 1 ? argv[1] : ".";
  return test::run_cases("train media", {{"errors of media", [&] { errors_of_media(folder); }}});
}
