// SPDX-License-Identifier: LGPL-2.1-or-later
// The OpenCL elements with frames in OpenGL textures, beside the same in system memory. On a GPU whose OpenGL CUDA reaches no byte of
// a picture may come near the host; elsewhere (llvmpipe, PoCL) GStreamer downloads and uploads.
#include "tests/elements/interop_line.h"

#include <cstdlib>

using namespace vigil;
using namespace vigil::test;

namespace {

constexpr const char *elements[] = {
    "clbilateral tune=off backend=opencl",
    "clhistogram overlay=true",
    "clhistogram",
    "clfilter tune=off chain=\"gaussian sigma=2 ! invert\"",
    "clbilateral tune=off", // in CUDA, where there is that
};
constexpr int in_cuda = 4; // of them

bool on_gpu() {
  return !g_getenv("LIBGL_ALWAYS_SOFTWARE") && why_no_cuda().empty();
}

} // namespace

GST_START_TEST(pictures_are_those_of_system_memory) {
  const std::string element = elements[__i__];
  const int level = __i__ == in_cuda ? 1 : 0;
  for (const auto &[w, h] : {std::pair{64, 48}, {1, 1}, {33, 17}, {645, 363}}) {
    const std::vector<Picture> pictures = street("RGBA", w, h, 6);
    Line plain(element + " name=e"),
        textures("glupload ! " + element + " name=e async-depth=" + std::to_string(w == 33 ? 2 : 0) +
                 " ! gldownload");
    plain.caps(caps_of("RGBA", w, h));
    textures.caps(caps_of("RGBA", w, h));
    const Frames want = plain.process(pictures), got = textures.process(pictures);
    fail_unless(textures.has_feature("sink", "memory:GLMemory") &&
                    textures.has_feature("src", "memory:GLMemory"),
                "%s did not get textures, or gives none", element.c_str());
    for (std::size_t n = 0; n < want.size(); n++) {
      fail_unless_equals_int(want[n].size(), got[n].size());
      int wrong = 0;
      for (std::size_t i = 0; i < want[n].size(); i++) wrong += std::abs(want[n][i] - got[n][i]) > level;
      fail_unless(wrong == 0, "%s, %dx%d: %d bytes of frame %zu are wrong", element.c_str(), w, h, wrong, n);
    }
    fail_unless_equals_int(textures.count(GST_MESSAGE_ERROR), 0);
    if (!on_gpu()) continue;
    fail_unless_equals_uint64(textures.stat("bytes-host-to-device") + textures.stat("bytes-device-to-host"),
                              0);
  }
}
GST_END_TEST

// A texture that others have, too, is not drawn into.
GST_START_TEST(frames_of_others_stay_as_they_are) {
  Line line("glupload ! tee name=t ! queue ! fakesink sync=false async=false t. ! clhistogram overlay=true "
            "name=e ! gldownload"),
      plain("clhistogram overlay=true name=e");
  const std::vector<Picture> pictures = street("RGBA", 322, 180, 3);
  line.caps(caps_of("RGBA", 322, 180));
  plain.caps(caps_of("RGBA", 322, 180));
  fail_unless(line.process(pictures) == plain.process(pictures));
}
GST_END_TEST

int main(int argc, char **argv) {
  gst_init(&argc, &argv);
  if (on_gpu())
    g_setenv("CK_FORK", "no", TRUE); // the driver does not survive a fork
  else
    g_printerr("SKIP: no CUDA device here whose OpenGL is used: that no byte is copied is not looked at\n");
  Suite *suite = suite_create("interop-opencl-gl");
  TCase *tests = tcase_create("general");
  tcase_set_timeout(tests, 280);
  suite_add_tcase(suite, tests);
  tcase_add_loop_test(tests, pictures_are_those_of_system_memory, 0, int(std::size(elements)));
  tcase_add_test(tests, frames_of_others_stay_as_they_are);
  return run(suite, argc, argv);
}
