// SPDX-License-Identifier: LGPL-2.1-or-later
// The OpenCL elements with frames in OpenGL textures, compared with the same in system memory. The argument
// says what is there:
//   anything  on a GPU whose OpenGL CUDA reaches no byte of a picture may come near the host; else (llvmpipe,
//             PoCL) GStreamer downloads and uploads
//   elsewhere  CUDA with an OpenGL that does not run on that GPU: through the host, with one warning
//   shared     a driver that shares textures by itself, which gl_sharing_layer.cpp plays: no byte comes near
//              the host
//   refused, not-here, stale, lost  such a driver where that fails: through the host, with one warning
// Exits with 77 (skipped) where that is not there.
#include "tests/elements/interop_line.h"
#include "tests/elements/slow_shader.h"

#include <cmath>
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

std::string way = "anything";
bool on_gpu() {
  return way == "anything" && !g_getenv("LIBGL_ALWAYS_SOFTWARE") && why_no_cuda().empty();
}
bool stays_on_the_device() {
  return on_gpu() || way == "shared";
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
    const std::uint64_t bytes = textures.stat("bytes-host-to-device") + textures.stat("bytes-device-to-host");
    fail_unless((bytes == 0) == stays_on_the_device(),
                "%s: %" G_GUINT64_FORMAT " bytes went through the host", element.c_str(), guint64(bytes));
    fail_unless_equals_int(textures.count(GstMessageType(GST_MESSAGE_ERROR | GST_MESSAGE_WARNING)),
                           stays_on_the_device() || way == "anything" ? 0 : 1);
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

// Frames that are still being drawn when they come, and textures that OpenCL is late to write.
GST_START_TEST(either_api_waits_for_the_other) {
  const int w = on_gpu() ? 640 : 128, h = on_gpu() ? 360 : 96, loops = on_gpu() ? 30000 : 3000;
  const std::vector<Picture> pictures = street("RGBA", w, h, 8);
  for (const char *settings : {"", "async-depth=2"}) {
    const std::string element =
        std::string("clfilter tune=off chain=\"gaussian sigma=2 ! invert\" name=e ") + settings;
    Line plain(element), textures("glupload ! glshader name=slow ! " + element + " ! gldownload");
    for (Line *line : {&plain, &textures}) line->caps(caps_of("RGBA", w, h));
    slow_down(textures.named("slow"), loops);
    fail_unless(plain.process(pictures) == textures.process(pictures),
                "%s: other pictures after a slow producer", settings);
  }
}
GST_END_TEST

// Textures and system memory in turn, on an OpenGL display that the application has.
GST_START_TEST(frames_may_move_between_memories) {
  const std::vector<Picture> pictures = street("RGBA", 64, 48, 12);
  const std::string element = "clbilateral tune=off backend=opencl name=e";
  Line plain(element), upload("glupload name=e"), e(element + " async-depth=1");
  plain.caps(caps_of("RGBA", 64, 48));
  upload.caps(caps_of("RGBA", 64, 48));
  const Frames want = plain.process(pictures);
  for (std::size_t n = 0; n < pictures.size(); n++) {
    const bool texture = n / 3 % 2 == 0;
    GstBuffer *b = pictures[n].buffer(int(n));
    if (texture) {
      fail_unless_equals_int(gst_harness_push(upload.harness(), b), GST_FLOW_OK);
      b = upload.pull();
    }
    if (n == 0) {
      GstContext *display = gst_element_get_context(upload.get(), "gst.gl.GLDisplay");
      fail_unless(display, "glupload has no display");
      gst_element_set_context(e.get(), display);
      gst_context_unref(display);
    }
    if (n % 3 == 0)
      e.caps(caps_of("RGBA", 64, 48, texture ? "(memory:GLMemory)" : "") +
             (texture ? ",texture-target=2D" : ""));
    const GstFlowReturn flow = gst_harness_push(e.harness(), b);
    fail_unless(flow == GST_FLOW_OK, "frame %zu: %s", n, e.error().c_str());
  }
  e.end();
  for (std::size_t n = 0; n < want.size(); n++) fail_unless(e.bytes() == want[n], "frame %zu is wrong", n);
}
GST_END_TEST

// The element makes a display of its own here, since nobody gives it one: what it would write into is no
// texture of the frames' OpenGL.
GST_START_TEST(textures_of_another_display_are_refused) {
  if (way != "shared") return;
  Line upload("glupload name=e"), e("clbilateral tune=off backend=opencl name=e");
  upload.caps(caps_of("RGBA", 64, 48));
  e.caps(caps_of("RGBA", 64, 48, "(memory:GLMemory)") + ",texture-target=2D");
  fail_unless_equals_int(gst_harness_push(upload.harness(), street("RGBA", 64, 48, 1).front().buffer(0)),
                         GST_FLOW_OK);
  fail_unless_equals_int(gst_harness_push(e.harness(), upload.pull()), GST_FLOW_ERROR);
  const std::string words = e.error();
  fail_unless(words.find("one OpenGL display") != words.npos, "%s", words.c_str());
}
GST_END_TEST

int main(int argc, char **argv) {
  if (argc > 1) way = argv[1];
  g_setenv("VIGIL_GL_SHARING", way.c_str(), TRUE);
  gst_init(&argc, &argv);
  if (way == "elsewhere" && skipped_without_egl_driver()) return 77;
  if (way == "elsewhere" && skipped_without_cuda("CUDA with another OpenGL")) return 77;
  if (way != "anything" && way != "elsewhere" && why_no_cuda().empty()) {
    g_print("SKIP: OpenCL with textures without CUDA: there is a CUDA device, which takes them\n");
    return 77;
  }
  if (on_gpu())
    g_setenv("CK_FORK", "no", TRUE); // the driver does not survive a fork
  else if (way == "anything")
    g_printerr("SKIP: no CUDA device here whose OpenGL is used: that no byte is copied is not looked at\n");
  Suite *suite = suite_create("interop-opencl-gl");
  TCase *tests = tcase_create("general");
  tcase_set_timeout(tests, 280);
  suite_add_tcase(suite, tests);
  tcase_add_loop_test(tests, pictures_are_those_of_system_memory, 0, int(std::size(elements)));
  tcase_add_test(tests, frames_of_others_stay_as_they_are);
  tcase_add_test(tests, either_api_waits_for_the_other);
  tcase_add_test(tests, frames_may_move_between_memories);
  tcase_add_test(tests, textures_of_another_display_are_refused);
  return run(suite, argc, argv);
}
