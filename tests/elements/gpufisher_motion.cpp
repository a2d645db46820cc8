// SPDX-License-Identifier: LGPL-2.1-or-later
// gpufisher with a model of motion: which earlier frame a frame is compared with, by scores that the kernels'
// reference gives.
#include "kernels/fisher/motion.h"
#include "tests/elements/fisher_watch.h"
#include "tests/elements/random_model.h"

#include <cmath>

using namespace vigil;
using namespace vigil::test;

namespace {

constexpr int lag = 2;

ConstImage view(Picture &p) {
  const Image image = p.image();
  ConstImage v{image.format, image.width, image.height, {}, {}};
  v.data[0] = image.data[0];
  v.stride[0] = image.stride[0];
  return v;
}

// The first score of a frame, compared with `before`, or with none.
double expected(const fisher::Model &m, int now, int before) {
  Picture a = scene("GRAY8", width, height, now, {});
  Picture b = scene("GRAY8", width, height, before < 0 ? now : before, {});
  const ConstImage picture = view(a), earlier = view(b);
  const auto difference = fisher::reference_difference(picture, before < 0 ? nullptr : &earlier);
  ConstImage changed{PixelFormat::gray8, width, height};
  changed.data[0] = difference.data();
  changed.stride[0] = width;
  const auto device = open_cpu(1);
  const auto queue = device->make_queue();
  const auto extractor = fisher::make_reference(width, height, m.sift);
  double score = double(m.classifier.bias[0]);
  std::size_t at = 0;
  for (const bool motion : {false, true}) {
    const auto encoder =
        fisher::make_reference(motion ? m.motion->codebook : m.codebook, {}, extractor->layout().descriptors);
    std::vector<float> vector(std::size_t(encoder->vector_length()));
    encoder->encode_frame(*extractor, motion ? changed : picture, vector.data(), nullptr, *queue);
    for (const float v : vector) score += double(v) * double(m.classifier.weights[at++]);
  }
  return score;
}

void same(double got, double want, const char *what, int frame) {
  fail_unless(std::abs(got - want) <= 2e-3 * (1 + std::abs(want)), "%s, frame %d: %f, not %f", what, frame,
              got, want);
}

} // namespace

GST_START_TEST(a_frame_is_compared_with_the_one_before_by_the_lag) {
  const fisher::Model m = random_motion_model(5, {"run"}, lag);
  fail_unless(std::abs(expected(m, 4, 2) - expected(m, 4, -1)) > 0.02, "motion makes no difference");
  Watch watch(m);
  for (int i = 0; i < 5; i++) same(watch.score(i), expected(m, i, i - lag), "each frame", i);
}
GST_END_TEST

// Of frames that are not scored those are kept that a scored one is compared with.
GST_START_TEST(lag_counts_all_frames) {
  const fisher::Model m = random_motion_model(5, {"run"}, lag);
  Watch watch(m, "every=3");
  for (int i = 0; i < 10; i++) {
    GstBuffer *b = watch.show(i);
    fail_unless((meta_of(b) != nullptr) == (i % 3 == 0), "frame %d", i);
    if (meta_of(b)) same(scores_of(b).at(0), expected(m, i, i - lag), "every third", i);
    gst_buffer_unref(b);
  }
}
GST_END_TEST

// After a seek the first frames have none to be compared with.
GST_START_TEST(a_flush_forgets_frames) {
  const fisher::Model m = random_motion_model(5, {"run"}, lag);
  Watch watch(m);
  for (int i = 0; i < 4; i++) watch.score(i);
  GstHarness *h = watch.element->harness();
  gst_harness_push_event(h, gst_event_new_flush_start());
  gst_harness_push_event(h, gst_event_new_flush_stop(TRUE));
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  gst_harness_push_event(h, gst_event_new_segment(&segment));
  same(watch.score(4), expected(m, 4, -1), "after the flush", 4);
  same(watch.score(5), expected(m, 5, -1), "after the flush", 5);
  same(watch.score(6), expected(m, 6, 4), "after the flush", 6);
}
GST_END_TEST

GST_START_TEST(the_vector_has_both_parts) {
  const fisher::Model m = random_motion_model(5, {}, lag);
  Watch watch(m, "attach-vector=true");
  GstBuffer *b = watch.show(0);
  GBytes *vector = nullptr;
  fail_unless(gst_structure_get(meta_of(b), "vector", G_TYPE_BYTES, &vector, nullptr), "no vector");
  fail_unless_equals_uint64(g_bytes_get_size(vector), sizeof(float) * std::size_t(m.vector_length()));
  const auto *values = static_cast<const float *>(g_bytes_get_data(vector, nullptr));
  const int half = m.codebook.vector_length();
  for (const int first : {0, half}) {
    double squares = 0;
    for (int i = first; i < first + half; i++) squares += double(values[i]) * double(values[i]);
    fail_unless(std::abs(squares - 1) < 1e-4, "the part from %d has the length %f", first,
                std::sqrt(squares));
  }
  g_bytes_unref(vector);
  gst_buffer_unref(b);
}
GST_END_TEST

// A model without motion takes over from one with it, and the other way round.
GST_START_TEST(models_of_both_kinds_take_over) {
  const fisher::Model with = random_motion_model(5, {"run"}, lag), without = random_model(6, {"run"});
  Watch watch(with), plain(without);
  watch.score(0);
  fisher::write_model(watch.folder / "other", without);
  watch.element->set("model-location", (watch.folder / "other").c_str());
  fail_unless(watch.score(1) == plain.score(1), "the model without motion did not take over");
  watch.element->set("model-location", (watch.folder / "model").c_str());
  same(watch.score(2), expected(with, 2, -1), "the model with motion is back", 2);
  watch.score(3);
  same(watch.score(4), expected(with, 4, 2), "the model with motion is back", 4);
}
GST_END_TEST

static Suite *gpufisher_motion_suite() {
  Suite *s = suite_create("gpufisher-motion");
  TCase *c = tcase_create("all");
  suite_add_tcase(s, c);
  tcase_add_test(c, a_frame_is_compared_with_the_one_before_by_the_lag);
  tcase_add_test(c, lag_counts_all_frames);
  tcase_add_test(c, a_flush_forgets_frames);
  tcase_add_test(c, the_vector_has_both_parts);
  tcase_add_test(c, models_of_both_kinds_take_over);
  return s;
}

int main(int argc, char **argv) {
  return run(gpufisher_motion_suite(), argc, argv);
}
