// SPDX-License-Identifier: LGPL-2.1-or-later
// clfilter: pixels against the kernel's reference, chains that change while playing, chains that cannot be,
// and the tuner behind it.
#include "common/cpu/device.h"
#include "common/scene/scene.h"
#include "kernels/filter/filter.h"
#include "tests/elements/fixture.h"

#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <functional>

using namespace vigil;
using namespace vigil::test;

namespace {

constexpr const char *formats[] = {"RGBA",  "RGBx",      "BGRA",      "BGRx",
                                   "GRAY8", "GRAY16_LE", "RGBA64_LE", "P010_10LE"};
constexpr int width = 84, height = 61;
constexpr const char *three = "gaussian sigma=1.5 ! grayscale ! sharpen amount=0.5";

// Searches belong to the test that is about them.
struct Filter : Harness {
  explicit Filter(const std::string &chain, const std::string &settings = "tune=off")
      : Harness("clfilter " + (chain.empty() ? settings : "chain=\"" + chain + "\" " + settings)) {}
  std::string chain() {
    gchar *s = nullptr;
    g_object_get(get(), "chain", &s, nullptr);
    const std::string r = s ? s : "";
    g_free(s);
    return r;
  }
  // A field of stats as text.
  std::string reported(const char *field) {
    GstStructure *s = nullptr;
    g_object_get(get(), "stats", &s, nullptr);
    gchar *text = gst_value_serialize(gst_structure_get_value(s, field));
    const std::string r = text;
    g_free(text);
    gst_structure_free(s);
    return r;
  }
};

// What Y, U and V of the caps' matrix and range mean; of RGB it does not matter.
filter::Coding coding_of(const GstVideoColorimetry &colorimetry) {
  filter::Coding c;
  gst_video_color_matrix_get_Kr_Kb(colorimetry.matrix, &c.kr, &c.kb);
  c.full_range = colorimetry.range == GST_VIDEO_COLOR_RANGE_0_255;
  return c;
}

Picture filtered(const std::string &chain, Picture p) {
  Picture out = p;
  const Image in = p.image();
  const auto host = open_cpu(1);
  filter::make_reference(filter::parse(chain), in.format, coding_of(p.info.colorimetry))
      ->apply(in, out.image(), *host->make_queue());
  return out;
}

void expect_filtered(Filter &e, const std::string &chain, const char *format, int number) {
  const Picture p = test::scene(format, width, height, number);
  fail_unless_equals_int(e.push(p, number), GST_FLOW_OK);
  fail_unless(e.pull_bytes() == bytes_of(filtered(chain, p).image()),
              "\"%s\" on %s: not the reference's picture", chain.c_str(), format);
}

GST_START_TEST(pictures_are_the_references) {
  const char *format = formats[__i__];
  Filter e(three);
  e.caps(caps_of(format, width, height));
  for (int n = 0; n < 2; n++) expect_filtered(e, three, format, n);
  e.no_error();
}
GST_END_TEST

// Also when the caps change in nothing else.
GST_START_TEST(p010_follows_the_colorimetry) {
  Filter e("sepia ! median");
  for (const char *colorimetry : {"bt709", "bt2020", "1:3:5:1", "bt709"}) { // bt2020's matrix in full range
    e.caps(caps_of("P010_10LE", width, height) + ", colorimetry=" + colorimetry);
    Picture p = test::scene("P010_10LE", width, height, 0);
    fail_unless(gst_video_colorimetry_from_string(&p.info.colorimetry, colorimetry));
    e.push(p, 0);
    fail_unless(e.pull_bytes() == bytes_of(filtered("sepia ! median", p).image()), "%s", colorimetry);
  }
  e.no_error();
}
GST_END_TEST

GST_START_TEST(no_stage_passes_frames) {
  Filter e("");
  e.caps(caps_of("RGBA", width, height));
  GstBuffer *in = test::scene("RGBA", width, height, 0).buffer(0);
  e.push(gst_buffer_ref(in));
  GstBuffer *out = e.pull();
  fail_unless(out == in, "the frame was copied");
  gst_buffer_unref(out);
  gst_buffer_unref(in);
}
GST_END_TEST

GST_START_TEST(chains_change_while_playing) {
  Filter e("brightness amount=0.1");
  e.caps(caps_of("RGBA", width, height));
  expect_filtered(e, "brightness amount=0.1", "RGBA", 0);
  fail_unless(e.reported("builds") == "1");
  // Other numbers, and other stages of the same kind: the kernel stays.
  for (const char *chain : {"brightness amount=-0.3", "gamma value=2", "invert ! contrast amount=2"}) {
    e.set("chain", chain);
    expect_filtered(e, chain, "RGBA", 1);
  }
  fail_unless(e.reported("builds") == "1");
  e.set("chain", "median");
  expect_filtered(e, "median", "RGBA", 2);
  fail_unless(e.reported("builds") == "2");
  e.set("chain", "");
  expect_filtered(e, "", "RGBA", 3);
  e.set("chain", "median");
  expect_filtered(e, "median", "RGBA", 4);
  // Another size needs no kernel, another format may.
  e.caps(caps_of("RGBA", 20, 10));
  const Picture small = test::scene("RGBA", 20, 10, 5);
  e.push(small, 5);
  fail_unless(e.pull_bytes() == filtered("median", small).bytes);
  e.caps(caps_of("GRAY8", width, height));
  expect_filtered(e, "median", "GRAY8", 6);
  e.no_error();
}
GST_END_TEST

GST_START_TEST(a_bad_chain_while_playing_is_a_warning) {
  Filter e("invert");
  e.caps(caps_of("GRAY8", width, height));
  expect_filtered(e, "invert", "GRAY8", 0);
  e.set("chain", "invert ! medain");
  const std::string words = e.error(GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS, GST_MESSAGE_WARNING);
  for (const char *part : {"column 10", "\"medain\"", "did you mean median?", "stays \"invert\""})
    fail_unless(std::strstr(words.c_str(), part), "%s is not in: %s", part, words.c_str());
  fail_unless(e.chain() == "invert");
  expect_filtered(e, "invert", "GRAY8", 1);
  // One that can be read, but not be used on these frames.
  e.set("chain", "sepia");
  expect_filtered(e, "invert", "GRAY8", 2);
  const std::string colour = e.error(GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS, GST_MESSAGE_WARNING);
  fail_unless(std::strstr(colour.c_str(), "sepia") && std::strstr(colour.c_str(), "stays \"invert\""), "%s",
              colour.c_str());
  fail_unless(e.chain() == "invert");
  e.no_error();
}
GST_END_TEST

GST_START_TEST(a_bad_chain_at_the_start_is_an_error) {
  GstElement *e = gst_element_factory_make("clfilter", nullptr);
  GstBus *bus = gst_bus_new();
  gst_element_set_bus(e, bus);
  g_object_set(e, "chain", "gaussian sigma=99", nullptr);
  fail_unless_equals_int(gst_element_set_state(e, GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
  GstMessage *m = gst_bus_pop_filtered(bus, GST_MESSAGE_ERROR);
  fail_unless(m != nullptr);
  GError *error = nullptr;
  gst_message_parse_error(m, &error, nullptr);
  fail_unless(std::strstr(error->message, "column 16") && std::strstr(error->message, "from 0.3 to 6"), "%s",
              error->message);
  g_error_free(error);
  gst_message_unref(m);
  gst_element_set_state(e, GST_STATE_NULL);
  // The same element with a good one.
  g_object_set(e, "chain", "gaussian sigma=2", nullptr);
  fail_unless(gst_element_set_state(e, GST_STATE_PAUSED) != GST_STATE_CHANGE_FAILURE);
  gst_element_set_state(e, GST_STATE_NULL);
  gst_element_set_bus(e, nullptr);
  gst_object_unref(bus);
  gst_object_unref(e);
}
GST_END_TEST

GST_START_TEST(stages_that_make_colours_want_colour) {
  Filter e("sepia");
  GstPad *pad = gst_element_get_static_pad(e.get(), "sink");
  GstCaps *caps = gst_pad_query_caps(pad, nullptr), *grey = gst_caps_from_string("video/x-raw,format=GRAY8"),
          *colour = gst_caps_from_string("video/x-raw,format=BGRx");
  fail_unless(!gst_caps_can_intersect(caps, grey));
  fail_unless(gst_caps_can_intersect(caps, colour));
  for (GstCaps *c : {caps, grey, colour}) gst_caps_unref(c);
  gst_object_unref(pad);
}
GST_END_TEST

// The first start searches, within its time; the next one neither searches nor is the result another one.
GST_START_TEST(the_second_start_does_not_search) {
  Folder cache;
  const std::string before = g_getenv("XDG_CACHE_HOME") ? g_getenv("XDG_CACHE_HOME") : "";
  g_setenv("XDG_CACHE_HOME", (cache / "").c_str(), TRUE);
  std::string variant;
  for (const char *tuning : {"searched", "stored"}) {
    Filter e("emboss ! invert", "tune=auto");
    e.caps(caps_of("RGBA", width, height));
    expect_filtered(e, "emboss ! invert", "RGBA", 0);
    fail_unless(e.reported("tuning") == tuning);
    if (variant.empty()) variant = e.reported("variant");
    fail_unless(e.reported("variant") == variant);
  }
  // What is damaged is ignored, and written again.
  int files = 0;
  for (const auto &f : std::filesystem::recursive_directory_iterator(cache / ""))
    if (f.is_regular_file() && f.path().string().find("/tuning/") != std::string::npos) {
      files++;
      write_bytes(f.path(), {'d', 'a', 'm', 'a', 'g', 'e'});
    }
  fail_unless_equals_int(files, 1);
  for (const char *tuning : {"searched", "stored"}) {
    Filter e("emboss ! invert", "tune=auto");
    e.caps(caps_of("RGBA", width, height));
    expect_filtered(e, "emboss ! invert", "RGBA", 0);
    fail_unless(e.reported("tuning") == tuning);
  }
  Filter off("emboss ! invert", "tune=off");
  off.caps(caps_of("RGBA", width, height));
  expect_filtered(off, "emboss ! invert", "RGBA", 0);
  fail_unless(off.reported("tuning") == "default");
  g_setenv("XDG_CACHE_HOME", before.c_str(), TRUE);
}
GST_END_TEST

// Frame by frame what the reference makes of the same sequence, from the start after a flush.
GST_START_TEST(stages_over_time_know_the_frames_before) {
  const char *chain = "denoise weight=0.8 ! sharpen ! recursive weight=0.5";
  Filter e(chain, "tune=off async-depth=2");
  e.caps(caps_of("BGRA", width, height));
  const auto host = open_cpu(1);
  const auto queue = host->make_queue();
  const auto reference = filter::make_reference(filter::parse(chain), PixelFormat::bgra);
  std::vector<std::vector<std::uint8_t>> want;
  const auto push = [&](int n) {
    Picture p = test::scene("BGRA", width, height, n, {{5 * n, 10, 20, 20}}), out = p;
    reference->apply(p.image(), out.image(), *queue);
    want.push_back(out.bytes);
    fail_unless_equals_int(e.push(p, n), GST_FLOW_OK);
  };
  for (int n = 0; n < 5; n++) push(n);
  for (int n = 0; n < 3; n++) fail_unless(e.pull_bytes() == want[std::size_t(n)], "frame %d differs", n);
  gst_harness_push_event(e.harness(), gst_event_new_flush_start());
  gst_harness_push_event(e.harness(), gst_event_new_flush_stop(TRUE));
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  gst_harness_push_event(e.harness(), gst_event_new_segment(&segment));
  want.clear();
  reference->forget();
  for (int n = 7; n < 10; n++) push(n);
  gst_harness_push_event(e.harness(), gst_event_new_eos());
  for (std::size_t n = 0; n < 3; n++)
    fail_unless(e.pull_bytes() == want[n], "frame %d after the flush differs", int(n));
  e.no_error();
}
GST_END_TEST

// Kernels of the user's.
constexpr const char *inverts = "int4 filter(Picture in, int x, int y, float4 p) {\n"
                                "  return FULL - pixel_at(in, x, y);\n}\n";
// Never comes to an end where pictures are more than p.s0 pixels wide.
constexpr const char *loops = "int4 filter(Picture in, int x, int y, float4 p) {\n"
                              "  int n = 0;\n"
                              "  while (in.width > p.s0 && pixel_at(in, n, y).x < 300) n++;\n"
                              "  return pixel_at(in, x, y) + n;\n}\n";
std::string file_with(Folder &folder, const char *source) {
  const std::string path = folder / "a kernel.cl";
  write_bytes(path, {source, source + std::strlen(source)});
  return path;
}
void warned_of(Filter &e, std::initializer_list<const char *> words) {
  const std::string warning = e.error(GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS, GST_MESSAGE_WARNING);
  for (const char *word : words)
    fail_unless(std::strstr(warning.c_str(), word), "%s is not in: %s", word, warning.c_str());
}

// Drawn video that jpegenc has compressed coarsely: the stage brings it nearer to what was drawn.
GST_START_TEST(deblocking_lifts_coarse_video) {
  for (const char *element : {"jpegenc", "jpegdec"})
    if (GstElementFactory *f = gst_element_factory_find(element)) {
      gst_object_unref(f);
    } else {
      std::printf("SKIPPED: deblocking_lifts_coarse_video, since there is no %s\n", element);
      return;
    }
  constexpr int wide = 320, high = 240;
  struct {
    const char *name;
    scene::Story story;
    std::uint32_t seed;
  } const scenes[] = {{"traffic", scene::Story::traffic, 23}, {"groups", scene::Story::groups, 31}};
  const auto squares = [](const std::vector<std::uint8_t> &a, const std::vector<std::uint8_t> &b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); i++) sum += (double(a[i]) - b[i]) * (double(a[i]) - b[i]);
    return sum;
  };
  CpuDevice device(1);
  for (const auto &s : scenes)
    for (const int quality : {5, 10, 20}) {
      scene::Settings settings{.width = wide, .height = high, .story = s.story, .seed = s.seed, .noise = 0};
      settings.quiet = 0;
      const scene::Scene drawn(settings, device);
      GstHarness *coder =
          gst_harness_new_parse(("jpegenc quality=" + std::to_string(quality) + " ! jpegdec").c_str());
      gst_harness_set_src_caps_str(coder, caps_of("GRAY8", wide, high).c_str());
      Filter e("deblock");
      e.caps(caps_of("GRAY8", wide, high));
      double before = 0, after = 0;
      constexpr int frames = 8;
      for (int n = 0; n < frames; n++) {
        Picture clean("GRAY8", wide, high), coded("GRAY8", wide, high);
        drawn.draw({std::uint64_t(n), 4 + n / 5.}, clean.image(), {});
        fail_unless_equals_int(gst_harness_push(coder, clean.buffer(n)), GST_FLOW_OK);
        coded.bytes = bytes_of(coder, gst_harness_pull(coder));
        fail_unless_equals_int(e.push(coded, n), GST_FLOW_OK);
        before += squares(coded.bytes, clean.bytes);
        after += squares(e.pull_bytes(), clean.bytes);
      }
      gst_harness_teardown(coder);
      const auto psnr = [&](double sum) { return 10 * std::log10(255. * 255 * frames * wide * high / sum); };
      std::printf("deblock, %s, jpegenc quality=%d: %.2f dB, filtered %.2f dB\n", s.name, quality,
                  psnr(before), psnr(after));
      fail_unless(psnr(after) > psnr(before) + 0.1, "%s, quality %d: %f dB become %f", s.name, quality,
                  psnr(before), psnr(after));
    }
}
GST_END_TEST

GST_START_TEST(kernels_of_the_users_are_stages) {
  Folder folder;
  const std::string path = file_with(folder, inverts);
  const char *format = formats[__i__];
  Filter e("median ! user kernel='" + path + "' ! sharpen");
  e.caps(caps_of(format, width, height));
  expect_filtered(e, "median ! invert ! sharpen", format, 0);
  const bool p010 = format == std::string("P010_10LE"); // two more: it is made RGBA64 and back
  fail_unless(e.reported("kernels") == (p010 ? "5" : "3"));
  e.set("chain", ("user kernel='" + path + "'").c_str());
  expect_filtered(e, "invert", format, 1);
  e.no_error();
}
GST_END_TEST

GST_START_TEST(a_bad_kernel_is_left_out) {
  Folder folder;
  Filter e("median ! user kernel='" + file_with(folder, "int4 filter(Picture in) {\n  none;\n}\n") +
           "' ! invert");
  e.caps(caps_of("RGBA", width, height));
  expect_filtered(e, "median ! invert", "RGBA", 0);
  warned_of(e, {"a kernel.cl:2:", "refused", "works without this stage"});
  // Once, not for each frame.
  expect_filtered(e, "median ! invert", "RGBA", 1);
  e.no_error();
  fail_unless(e.message(GST_MESSAGE_WARNING) == nullptr);
  // While playing, and where nothing else is left of the chain.
  e.set("chain", ("user kernel='" + (folder / "absent.cl") + "'").c_str());
  expect_filtered(e, "", "RGBA", 2);
  const std::string absent = e.error(GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_OPEN_READ, GST_MESSAGE_WARNING);
  fail_unless(std::strstr(absent.c_str(), "absent.cl"), "%s", absent.c_str());
  e.set("chain", "invert");
  expect_filtered(e, "invert", "RGBA", 3);
  e.no_error();
}
GST_END_TEST

GST_START_TEST(a_kernel_that_never_ends_is_left_out) {
  Folder folder;
  const std::string path = file_with(folder, loops);
  Filter e("user kernel='" + path + "' p0=1000 ! invert");
  e.caps(caps_of("GRAY8", width, height));
  expect_filtered(e, "invert", "GRAY8", 0);
  e.no_error();
  fail_unless(e.reported("kernels") == "2");
  // Other numbers, with which it loops on these frames.
  e.set("chain", ("user kernel='" + path + "' p0=80 ! invert").c_str());
  expect_filtered(e, "invert", "GRAY8", 1);
  warned_of(e, {"longer than 5 seconds", "works without this stage"});
  fail_unless(e.reported("kernels") == "1");
  // Frames small enough for it; then larger ones again.
  e.caps(caps_of("GRAY8", 40, 20));
  const Picture small = test::scene("GRAY8", 40, 20, 2);
  e.push(small, 2);
  fail_unless(e.pull_bytes() == filtered("invert", small).bytes);
  e.no_error();
  fail_unless(e.reported("kernels") == "2");
  e.caps(caps_of("GRAY8", width, height));
  expect_filtered(e, "invert", "GRAY8", 3);
  warned_of(e, {"longer than 5 seconds"});
}
GST_END_TEST

GST_START_TEST(a_bad_kernel_may_end_the_stream) {
  Folder folder;
  const std::string path = file_with(folder, "no kernel"), chain = "user kernel='" + path + "'";
  {
    Filter e(chain, "tune=off bad-kernel=error");
    e.caps(caps_of("RGBA", width, height));
    fail_unless(e.push(test::scene("RGBA", width, height, 0), 0) != GST_FLOW_OK);
    const std::string error = e.error(GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS);
    fail_unless(std::strstr(error.c_str(), "a kernel.cl:1:"), "%s", error.c_str());
  }
  Filter e("invert", "tune=off bad-kernel=error");
  e.caps(caps_of("RGBA", width, height));
  expect_filtered(e, "invert", "RGBA", 0);
  e.set("chain", chain.c_str());
  fail_unless(e.push(test::scene("RGBA", width, height, 1), 1) != GST_FLOW_OK);
  e.error(GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS);
}
GST_END_TEST

} // namespace

int main(int argc, char **argv) {
  Suite *suite = suite_create("clfilter");
  TCase *tests = tcase_create("general");
  tcase_set_timeout(tests, 240);
  suite_add_tcase(suite, tests);
  tcase_add_loop_test(tests, pictures_are_the_references, 0, int(std::size(formats)));
  tcase_add_test(tests, p010_follows_the_colorimetry);
  tcase_add_test(tests, no_stage_passes_frames);
  tcase_add_test(tests, chains_change_while_playing);
  tcase_add_test(tests, a_bad_chain_while_playing_is_a_warning);
  tcase_add_test(tests, a_bad_chain_at_the_start_is_an_error);
  tcase_add_test(tests, stages_that_make_colours_want_colour);
  tcase_add_test(tests, the_second_start_does_not_search);
  tcase_add_test(tests, stages_over_time_know_the_frames_before);
  tcase_add_test(tests, deblocking_lifts_coarse_video);
  tcase_add_loop_test(tests, kernels_of_the_users_are_stages, 0, int(std::size(formats)));
  tcase_add_test(tests, a_bad_kernel_is_left_out);
  tcase_add_test(tests, a_kernel_that_never_ends_is_left_out);
  tcase_add_test(tests, a_bad_kernel_may_end_the_stream);
  return run(suite, argc, argv);
}
