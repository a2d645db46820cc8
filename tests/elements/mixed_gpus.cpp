// SPDX-License-Identifier: LGPL-2.1-or-later
// Frames in the memory of a second CUDA device: elements go over to it, or take them through the host with
// one warning, or refuse them; the pictures are those of the first. Exits with 77 (skipped) where there are
// not two devices.
#include "tests/elements/fisher_meta.h"
#include "tests/elements/interop_line.h"
#include "tests/elements/random_model.h"

namespace vigil::test {
namespace {

constexpr int width = 150, height = 94;

std::string on_device(int id, const std::string &element) {
  return "cudaupload cuda-device-id=" + std::to_string(id) + " ! video/x-raw(memory:CUDAMemory) ! " +
         element + " name=e ! video/x-raw(memory:CUDAMemory) ! cudadownload";
}

// How many warnings there were.
int expect_same_pictures(const std::string &element) {
  const auto pictures = street("RGBA", width, height, 14);
  Line near(on_device(0, element)), far(on_device(1, element));
  for (Line *line : {&near, &far}) line->caps(caps_of("RGBA", width, height));
  const Frames want = near.process(pictures), got = far.process(pictures);
  for (std::size_t n = 0; n < want.size(); n++)
    fail_unless(want[n] == got[n], "%s: frame %d of the second device differs", element.c_str(), int(n));
  fail_unless(want.front() != want.back(), "%s: all pictures are alike: the comparison is worth nothing",
              element.c_str());
  fail_unless_equals_int(near.count(GST_MESSAGE_WARNING), 0);
  return far.count(GST_MESSAGE_WARNING);
}

GST_START_TEST(elements_in_cuda_go_over_to_the_frames) {
  for (const char *element : {"cudamog backend=cuda output=overlay", "clbilateral backend=cuda",
                              "clbilateral tune=off", "glcolinearseg background-frames=4"})
    fail_unless_equals_int(expect_same_pictures(element), 0);
}
GST_END_TEST

GST_START_TEST(scores_are_those_of_the_first_device) {
  const Folder folder;
  fisher::write_model(folder / "model", random_model(3, {"run", "fall"}));
  std::vector<double> scores[2];
  for (int device = 0; device < 2; device++) {
    Line line("cudaupload cuda-device-id=" + std::to_string(device) +
              " ! video/x-raw(memory:CUDAMemory) ! gpufisher backend=cuda name=e model-location=" +
              (folder / "model"));
    line.caps(caps_of("RGBA", width, height));
    const auto pictures = street("RGBA", width, height, 3);
    for (std::size_t n = 0; n < pictures.size(); n++)
      fail_unless_equals_int(line.push(pictures[n], int(n)), GST_FLOW_OK);
    for (std::size_t n = 0; n < pictures.size(); n++) {
      GstBuffer *b = line.pull();
      const std::vector<double> s = scores_of(b);
      scores[device].insert(scores[device].end(), s.begin(), s.end());
      gst_buffer_unref(b);
    }
    fail_unless_equals_int(line.count(GST_MESSAGE_WARNING), 0);
  }
  fail_unless(scores[0] == scores[1], "the second device scores otherwise");
}
GST_END_TEST

GST_START_TEST(elements_elsewhere_take_frames_through_the_host) {
  for (const char *element :
       {"clbilateral backend=opencl tune=off", "clfilter tune=off chain=\"gaussian sigma=2\"",
        "clhistogram overlay=true", "glcolinearseg background-frames=4 backend=opengl"})
    fail_unless_equals_int(expect_same_pictures(element), 1);
}
GST_END_TEST

GST_START_TEST(another_device_than_the_wanted_one_is_refused) {
  Line line(on_device(1, "cudamog backend=cuda output=overlay cuda-device-id=0"));
  line.caps(caps_of("RGBA", width, height));
  fail_unless(line.push(street("RGBA", width, height, 1).front(), 0) != GST_FLOW_OK);
  const std::string words = line.error();
  fail_unless(words.find("cuda-device-id") != words.npos, "%s", words.c_str());
}
GST_END_TEST

int main(int argc, char **argv) {
  gst_init(&argc, &argv);
  if (skipped_without_cuda("frames of a second CUDA device", 1)) return 77;
  Suite *suite = suite_create("mixed-gpus");
  TCase *tests = tcase_create("devices");
  tcase_set_timeout(tests, 280);
  suite_add_tcase(suite, tests);
  tcase_add_test(tests, elements_in_cuda_go_over_to_the_frames);
  tcase_add_test(tests, scores_are_those_of_the_first_device);
  tcase_add_test(tests, elements_elsewhere_take_frames_through_the_host);
  tcase_add_test(tests, another_device_than_the_wanted_one_is_refused);
  return run(suite, argc, argv);
}

} // namespace
} // namespace vigil::test

int main(int argc, char **argv) {
  return vigil::test::main(argc, argv);
}
