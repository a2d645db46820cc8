// SPDX-License-Identifier: LGPL-2.1-or-later
// The element of docs/develop/adding-an-element.md does what the page says.
#include "gst/video/gst_ptr.h"
#include "tests/elements/fixture.h"

#include <algorithm>
#include <vector>

GST_ELEMENT_REGISTER_DECLARE(maskcount)

using namespace vigil::test;

namespace {

// A mask with `blobs` squares of 8x8 pixels, far from each other.
Picture mask(int width, int blobs) {
  Picture p("GRAY8", width, 32);
  const auto plane = p.image().plane(0);
  for (int y = 0; y < 32; y++) std::fill_n(plane.row(y), width, std::uint8_t(0));
  for (int b = 0; b < blobs; b++)
    for (int y = 8; y < 16; y++) std::fill_n(plane.row(y) + 24 * b, 8, std::uint8_t(255));
  return p;
}

struct Count {
  int frame, blobs;
  guint64 foreground;
  bool operator==(const Count &) const = default;
};
std::vector<Count> counts(Harness &e) {
  std::vector<Count> all;
  while (GstMessage *m = e.message(GST_MESSAGE_ELEMENT)) {
    const GstStructure *s = gst_message_get_structure(m);
    fail_unless(gst_structure_has_name(s, "mask-count"));
    Count c{};
    guint64 time = 0;
    fail_unless(gst_structure_get(s, "blobs", G_TYPE_INT, &c.blobs, "foreground", G_TYPE_UINT64,
                                  &c.foreground, "timestamp", G_TYPE_UINT64, &time, nullptr));
    c.frame = int(gst_util_uint64_scale_round(time, 25, GST_SECOND));
    all.push_back(c);
    gst_message_unref(m);
  }
  return all;
}

void expect(Harness &e, const std::vector<Count> &want) {
  fail_unless(counts(e) == want);
}
int frames_out(Harness &e) {
  int n = 0;
  while (const vigil::gst::BufferPtr out{e.pull()}) n++;
  return n;
}

} // namespace

GST_START_TEST(it_counts_the_blobs_of_masks) {
  Harness e("maskcount every=2");
  e.caps(caps_of("GRAY8", 96, 32));
  for (int n = 0; n < 4; n++) fail_unless_equals_int(e.push(mask(96, n), n), GST_FLOW_OK);
  fail_unless_equals_int(frames_out(e), 4);
  expect(e, {{0, 0, 0}, {2, 2, 128}});
  fail_unless(e.stat("frames") == 4);
  fail_unless(e.stat("bytes-results") == 0); // on the CPU they are where they are read
  e.no_error();
}
GST_END_TEST

GST_START_TEST(settings_are_those_of_the_moment_when_a_frame_comes) {
  Harness e("maskcount async-depth=2");
  e.caps(caps_of("GRAY8", 96, 32));
  fail_unless_equals_int(e.push(mask(96, 1), 0), GST_FLOW_OK);
  e.set("min-area", "65");
  fail_unless_equals_int(e.push(mask(96, 1), 1), GST_FLOW_OK);
  fail_unless_equals_int(frames_out(e), 0); // both are held
  fail_unless(gst_harness_push_event(e.harness(), gst_event_new_eos()));
  fail_unless_equals_int(frames_out(e), 2);
  expect(e, {{0, 1, 64}, {1, 0, 64}});
  e.no_error();
}
GST_END_TEST

GST_START_TEST(frames_of_another_size_are_counted) {
  Harness e("maskcount");
  for (const int width : {32, 200, 64}) {
    e.caps(caps_of("GRAY8", width, 32));
    fail_unless_equals_int(e.push(mask(width, width / 32), 0), GST_FLOW_OK);
    expect(e, {{0, width / 32, guint64(width) / 32 * 64}});
  }
  fail_unless_equals_int(frames_out(e), 3);
  e.no_error();
}
GST_END_TEST

GST_START_TEST(it_refuses_frames_without_caps) {
  Harness e("maskcount");
  gst_harness_push_event(e.harness(), gst_event_new_stream_start("a"));
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  gst_harness_push_event(e.harness(), gst_event_new_segment(&segment));
  fail_unless_equals_int(gst_pad_push(e.harness()->srcpad, gst_buffer_new_and_alloc(10)),
                         GST_FLOW_NOT_NEGOTIATED);
}
GST_END_TEST

int main(int argc, char **argv) {
  gst_init(&argc, &argv);
  GST_ELEMENT_REGISTER(maskcount, nullptr);
  Suite *suite = suite_create("guide");
  TCase *tests = tcase_create("guide");
  suite_add_tcase(suite, tests);
  tcase_add_test(tests, it_counts_the_blobs_of_masks);
  tcase_add_test(tests, settings_are_those_of_the_moment_when_a_frame_comes);
  tcase_add_test(tests, frames_of_another_size_are_counted);
  tcase_add_test(tests, it_refuses_frames_without_caps);
  return run(suite, argc, argv);
}
