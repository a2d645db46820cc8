// SPDX-License-Identifier: LGPL-2.1-or-later
// clhistogram: metadata and messages against the kernel's reference, frames that must stay as they are, and
// the overlay.
#include "kernels/histogram/statistics.h"
#include "tests/elements/fixture.h"

#include <cmath>
#include <cstring>
#include <tuple>

using namespace vigil;
using namespace vigil::test;
using histogram::Bins;
using histogram::Counts;

namespace {

constexpr const char *formats[] = {"RGBA", "RGBx", "BGRA",      "BGRx",      "GRAY8",     "NV12",     "I420",
                                   "YV12", "NV21", "P010_10LE", "I420_10LE", "GRAY16_LE", "RGBA64_LE"};
constexpr int width = 101, height = 67;

struct Histogram : Harness {
  explicit Histogram(const std::string &settings = "") : Harness("clhistogram " + settings) {}
};

Picture frame(const char *format, int n, int w = width, int h = height) {
  return scene(format, w, h, n,
               w > 60 && h > 40 ? std::vector<Rect>{{n % 40, 10, 15, 20}} : std::vector<Rect>{});
}

Counts counts_of(Picture &p) {
  Counts counts;
  const auto host = open_cpu(1);
  const auto queue = host->make_queue();
  const auto reference = histogram::make_reference();
  reference->count(p.image(), *queue);
  reference->fetch(&counts, *queue);
  return counts;
}

const GstStructure *meta_of(GstBuffer *b) {
  GstCustomMeta *meta = gst_buffer_get_custom_meta(b, "vigil-histogram");
  return meta ? gst_custom_meta_get_structure(meta) : nullptr;
}

void expect_bins(const GstStructure *s, const char *field, const Bins &all, int wanted) {
  const GValue *value = gst_structure_get_value(s, field);
  fail_unless(value != nullptr, "there is no %s", field);
  gsize size = 0;
  const auto *got = static_cast<const std::uint32_t *>(
      g_bytes_get_data(static_cast<GBytes *>(g_value_get_boxed(value)), &size));
  const auto want = histogram::in_bins(all, wanted);
  fail_unless_equals_int(size, want.size() * 4);
  for (std::size_t i = 0; i < want.size(); i++)
    fail_unless(got[i] == want[i], "%s: %u in bin %zu, not %u", field, got[i], i, want[i]);
}

void expect_meta(GstBuffer *b, Picture &p, int wanted = 256) {
  const GstStructure *s = meta_of(b);
  fail_unless(s != nullptr, "the frame has no histogram");
  const Counts counts = counts_of(p);
  gint bins = 0;
  guint64 pixels = 0;
  fail_unless(gst_structure_get(s, "bins", G_TYPE_INT, &bins, "pixels", G_TYPE_UINT64, &pixels, nullptr));
  fail_unless_equals_int(bins, wanted);
  fail_unless_equals_uint64(pixels,
                            guint64(GST_VIDEO_INFO_WIDTH(&p.info)) * guint64(GST_VIDEO_INFO_HEIGHT(&p.info)));
  const bool coloured = GST_VIDEO_INFO_IS_RGB(&p.info);
  fail_unless(bool(gst_structure_has_field(s, "red")) == coloured);
  if (coloured) {
    expect_bins(s, "red", counts.channel[0], wanted);
    expect_bins(s, "green", counts.channel[1], wanted);
    expect_bins(s, "blue", counts.channel[2], wanted);
  }
  expect_bins(s, "intensity", counts.intensity, wanted);
}

// Samples of two bytes begin at even addresses.
int even(int padding, Picture &p) {
  return padding * (is_16_bit(p.image().format) ? 2 : 1);
}

// What came out, which the caller unrefs.
GstBuffer *through(Harness &e, GstBuffer *in) {
  fail_unless_equals_int(e.push(in), GST_FLOW_OK);
  GstBuffer *out = e.pull();
  fail_unless(out != nullptr, "no frame came out");
  return out;
}

} // namespace

GST_START_TEST(counts_equal_the_reference) {
  const char *format = formats[__i__];
  Histogram e;
  int n = 0;
  for (const auto &[w, h] : {std::pair{width, height}, {1, 1}, {2, 5}, {640, 360}}) {
    e.caps(caps_of(format, w, h));
    for (const int padding : {-1, 0, 13}) {
      Picture p = frame(format, n, w, h);
      GstBuffer *b = through(e, padding < 0 ? p.buffer(n) : p.padded(n, even(padding, p)));
      expect_meta(b, p);
      gst_buffer_unref(b);
      n++;
    }
  }
  fail_unless_equals_uint64(e.stat("frames"), 12);
  fail_unless_equals_uint64(e.stat("bytes-results"), 12 * sizeof(Counts));
}
GST_END_TEST

GST_START_TEST(frames_stay_as_they_are) {
  Histogram e;
  e.caps(caps_of("NV12", width, height));
  const Picture p = frame("NV12", 3);
  GstBuffer *in = p.buffer(3);
  GstMemory *memory = gst_buffer_peek_memory(in, 0);
  gst_buffer_ref(in); // somebody else looks at it, too
  GstBuffer *out = through(e, in);
  fail_unless(gst_buffer_peek_memory(out, 0) == memory, "the frame was copied");
  fail_unless(gst_buffer_memcmp(out, 0, p.bytes.data(), p.bytes.size()) == 0, "the frame has changed");
  fail_unless(!meta_of(in), "somebody else's buffer has got metadata");
  fail_unless(GST_BUFFER_PTS(out) == GST_BUFFER_PTS(in));
  gst_buffer_unref(out);
  gst_buffer_unref(in);
}
GST_END_TEST

GST_START_TEST(bins_may_be_64) {
  Histogram e("bins=64");
  e.caps(caps_of("RGBA", width, height));
  Picture p = frame("RGBA", 0);
  GstBuffer *b = through(e, p.buffer(0));
  expect_meta(b, p, 64);
  gst_buffer_unref(b);
  e.set("bins", "256");
  b = through(e, p.buffer(1));
  expect_meta(b, p, 256);
  gst_buffer_unref(b);
}
GST_END_TEST

GST_START_TEST(every_nth_frame_is_counted) {
  Histogram e("every=3 post-messages=true");
  e.caps(caps_of("GRAY8", width, height));
  for (int n = 0; n < 10; n++) {
    Picture p = frame("GRAY8", n);
    GstBuffer *b = through(e, p.buffer(n));
    if (n % 3 == 0)
      expect_meta(b, p);
    else
      fail_unless(!meta_of(b), "frame %d was counted", n);
    gst_buffer_unref(b);
  }
  fail_unless_equals_int(e.events().size(), 4);
  fail_unless_equals_uint64(e.stat("frames"), 10);
}
GST_END_TEST

GST_START_TEST(messages_tell_the_statistics) {
  Histogram e;
  e.caps(caps_of("I420", width, height) + ", colorimetry=bt709");
  Picture p = frame("I420", 4);
  gst_buffer_unref(through(e, p.buffer(0)));
  fail_unless(e.events().empty(), "a message that nobody asked for");
  e.set("post-messages", "true");
  gst_buffer_unref(through(e, p.buffer(5)));
  GstMessage *m = e.message(GST_MESSAGE_ELEMENT);
  fail_unless(m && gst_message_has_name(m, "histogram"), "there is no message");
  const histogram::Statistics want = histogram::statistics(counts_of(p), 1, {16, 235});
  const histogram::Advice advice = histogram::advise(want);
  const GstStructure *s = gst_message_get_structure(m);
  const auto same = [&](const char *field, double value) {
    gdouble got = -1;
    fail_unless(gst_structure_get_double(s, field, &got), "there is no %s", field);
    fail_unless(std::abs(got - value) < 1e-12, "%s is %g, not %g", field, got, value);
  };
  same("mean", want.mean);
  same("median", want.median);
  same("contrast", want.contrast);
  same("clipped-dark", want.clipped_dark);
  same("clipped-bright", want.clipped_bright);
  same("exposure-stops", advice.stops);
  fail_unless_equals_string(gst_structure_get_string(s, "exposure"), name_of(advice.exposure));
  gboolean low = 2;
  fail_unless(gst_structure_get_boolean(s, "low-contrast", &low) && bool(low) == advice.low_contrast);
  guint64 time = 0;
  for (const char *field : {"timestamp", "stream-time", "running-time"})
    fail_unless(gst_structure_get_uint64(s, field, &time) && time == 5 * GST_SECOND / 25, "%s is wrong",
                field);
  gst_message_unref(m);
}
GST_END_TEST

GST_START_TEST(the_range_of_the_video_counts) {
  for (const auto &[format, colorimetry, black, white] : {std::tuple{"NV12", "bt709", 16, 235},
                                                          {"NV12", "1:3:5:1", 0, 255},
                                                          {"RGBA", "sRGB", 0, 255},
                                                          {"P010_10LE", "bt2020-10", 16, 235},
                                                          {"RGBA64_LE", "sRGB", 0, 255}}) {
    Histogram e;
    e.caps(caps_of(format, width, height) + ", colorimetry=(string)" + colorimetry);
    GstBuffer *b = through(e, frame(format, 0).buffer(0));
    gint got_black = -1, got_white = -1;
    fail_unless(gst_structure_get(meta_of(b), "black", G_TYPE_INT, &got_black, "white", G_TYPE_INT,
                                  &got_white, nullptr));
    fail_unless_equals_int(got_black, black);
    fail_unless_equals_int(got_white, white);
    gst_buffer_unref(b);
  }
}
GST_END_TEST

GST_START_TEST(the_overlay_is_the_references) {
  const char *format = formats[__i__];
  Histogram e("overlay=true");
  const auto host = open_cpu(1);
  const auto queue = host->make_queue();
  for (const auto &[w, h] : {std::pair{width, height}, {1, 1}, {1001, 400}}) {
    e.caps(caps_of(format, w, h));
    for (const char *bins : {"256", "64"}) {
      e.set("bins", bins);
      Picture p = frame(format, w, w, h);
      const Picture untouched = p;
      GstBuffer *in = *bins == '2' ? p.buffer(0) : p.padded(0, even(9, p));
      gst_buffer_ref(in); // somebody else has it, and must not see curves
      fail_unless_equals_int(e.push(in), GST_FLOW_OK);
      const auto reference = histogram::make_reference();
      reference->count(p.image(), *queue);
      reference->draw(p.image(), histogram::panel_for(w, h, std::atoi(bins)), *queue);
      std::vector<std::uint8_t> want;
      const Image image = p.image();
      for (int i = 0; i < plane_count(image.format); i++)
        for (int y = 0; y < plane_rows(i, h); y++)
          want.insert(want.end(), image.data[i] + y * image.stride[i],
                      image.data[i] + y * image.stride[i] + row_bytes(image.format, i, w));
      fail_unless(e.pull_bytes() == want, "%s %dx%d, %s bins: the picture differs", format, w, h, bins);
      if (*bins == '2')
        fail_unless(gst_buffer_memcmp(in, 0, untouched.bytes.data(), untouched.bytes.size()) == 0,
                    "the buffer that somebody else has was drawn into");
      gst_buffer_unref(in);
    }
  }
}
GST_END_TEST

GST_START_TEST(the_overlay_stays_between_counted_frames) {
  Histogram e("overlay=true every=4");
  e.caps(caps_of("GRAY8", width, height));
  const Picture p = frame("GRAY8", 0);
  std::vector<std::uint8_t> first;
  for (int n = 0; n < 6; n++) {
    e.push(p, n);
    const auto bytes = e.pull_bytes();
    if (n == 0) first = bytes;
    fail_unless(bytes == first, "frame %d has other curves", n);
  }
}
GST_END_TEST

GST_START_TEST(metadata_follows_copies_and_leaves_other_pictures) {
  GstHarness *h =
      gst_harness_new_parse("clhistogram ! identity ! videoscale ! capsfilter caps=video/x-raw,width=50");
  gst_harness_set_src_caps_str(h, caps_of("GRAY8", width, height).c_str());
  gst_harness_push(h, frame("GRAY8", 0).buffer(0));
  GstBuffer *b = gst_harness_pull(h);
  fail_unless(b && !meta_of(b), "counts of another picture");
  gst_buffer_unref(b);
  gst_harness_teardown(h);
  Histogram e;
  e.caps(caps_of("GRAY8", width, height));
  Picture p = frame("GRAY8", 1);
  b = through(e, p.buffer(0));
  GstBuffer *copy = gst_buffer_copy_deep(b);
  expect_meta(copy, p);
  gst_buffer_unref(copy);
  gst_buffer_unref(b);
}
GST_END_TEST

int main(int argc, char **argv) {
  Suite *suite = suite_create("clhistogram");
  TCase *tests = tcase_create("general");
  tcase_set_timeout(tests, 120);
  suite_add_tcase(suite, tests);
  tcase_add_loop_test(tests, counts_equal_the_reference, 0, int(std::size(formats)));
  tcase_add_test(tests, frames_stay_as_they_are);
  tcase_add_test(tests, bins_may_be_64);
  tcase_add_test(tests, every_nth_frame_is_counted);
  tcase_add_test(tests, messages_tell_the_statistics);
  tcase_add_test(tests, the_range_of_the_video_counts);
  tcase_add_loop_test(tests, the_overlay_is_the_references, 0, int(std::size(formats)));
  tcase_add_test(tests, the_overlay_stays_between_counted_frames);
  tcase_add_test(tests, metadata_follows_copies_and_leaves_other_pictures);
  return run(suite, argc, argv);
}
