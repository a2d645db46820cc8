// SPDX-License-Identifier: LGPL-2.1-or-later
// Events of gpufisher: the median and the thresholds, their messages, classes whose events overlap.
#include "gst/gpufisher/events.h"
#include "gst/gpufisher/meta.h"
#include "tests/elements/fisher_watch.h"
#include "tests/elements/random_model.h"

#include <cmath>

using namespace vigil;
using namespace vigil::test;

// The median and the hysteresis by themselves.
GST_START_TEST(events_are_steady) {
  using gst::gpufisher::Events;
  fisher::Classifier classifier;
  classifier.classes = {"x"};
  classifier.begin = {1};
  classifier.end = {0.5f};
  Events events(1);
  std::vector<int> begins, ends;
  const float scores[] = {0, 0, 9, 0, 0, 2, 2, 2, 0.7f, 0.7f, 0.7f, 0.7f, 0, 0, 0, 2, 0};
  int i = 0;
  for (const float s : scores) {
    events.step({&s, 1}, 3, classifier, 0);
    if (events.change(0) == Events::Change::begin) begins.push_back(i);
    if (events.change(0) == Events::Change::end) ends.push_back(i);
    i++;
  }
  // one odd frame (2, 15) is nothing; 5, 6 begin; 0.7 keeps it going; 12, 13 end
  fail_unless(begins == std::vector{6} && ends == std::vector{13});
  Events raised(1);
  for (const float s : scores) {
    raised.step({&s, 1}, 3, classifier, 10);
    fail_if(raised.active(0));
  }
  Events even(1);
  const float pair[] = {1, 3};
  for (const float s : pair) even.step({&s, 1}, 4, classifier, 0);
  fail_unless(even.smoothed(0) == 2.f);

  // A scene that always scores 5 more: its lower quartile is taken away, and what stays high becomes the
  // rule.
  classifier.baseline = 8;
  Events shifted(1);
  begins.clear();
  ends.clear();
  const float others[] = {5, 5, 5, 5, 7, 7, 7, 7, 7, 7, 7, 7};
  i = 0;
  for (const float s : others) {
    shifted.step({&s, 1}, 1, classifier, 0);
    if (shifted.change(0) == Events::Change::begin) begins.push_back(i);
    if (shifted.change(0) == Events::Change::end) ends.push_back(i);
    i++;
  }
  // of eight values the quartile is the second lowest: 5 until, at 10, only one 5 is left among them
  fail_unless(begins == std::vector{4} && ends == std::vector{10});
}
GST_END_TEST

GST_START_TEST(confidences_lie_between_0_and_1) {
  using gst::gpufisher::confidence_of;
  fail_unless_equals_float(confidence_of(0), 0.5f);
  fail_unless(std::abs(confidence_of(1) - 0.731059f) < 1e-6f);
  fail_unless(std::abs(confidence_of(-1) - 0.268941f) < 1e-6f);
  float before = -1;
  for (const float score : {-1e30f, -200.f, -3.f, -0.1f, 0.1f, 3.f, 200.f, 1e30f}) {
    const float c = confidence_of(score);
    fail_unless(c >= 0 && c <= 1 && c >= before, "the score %g has the confidence %g", double(score),
                double(c));
    before = c;
  }
}
GST_END_TEST

GST_START_TEST(events_begin_and_end) {
  fisher::Model m = random_model(11, {"change"});
  double calm = 0, busy = 0;
  {
    Watch probe(m);
    calm = probe.score(0);
    busy = probe.score(0, 1);
  }
  fail_unless(std::abs(calm - busy) > 0.05, "the scene's two states score alike: %f and %f", calm, busy);
  if (busy < calm) { // so that the change is what scores high
    for (float &w : m.classifier.weights) w = -w;
    m.classifier.bias[0] = -m.classifier.bias[0];
    calm = -calm;
    busy = -busy;
  }
  m.classifier.begin = {float(calm + 0.6 * (busy - calm))};
  m.classifier.end = {float(calm + 0.4 * (busy - calm))};
  Watch watch(m, "window=3");
  for (int i = 0; i < 20; i++) gst_buffer_unref(watch.show(i, i >= 5 && i < 12));
  GstMessage *message = watch.element->message(GST_MESSAGE_ELEMENT);
  fail_unless(message, "no message");
  const GstStructure *s = gst_message_get_structure(message);
  fail_unless_equals_string(gst_structure_get_name(s), "event-begin");
  fail_unless_equals_string(gst_structure_get_string(s, "class"), "change");
  guint64 at = 0;
  double score = 0, threshold = 0;
  fail_unless(gst_structure_get(s, "running-time", G_TYPE_UINT64, &at, "score", G_TYPE_DOUBLE, &score,
                                "threshold", G_TYPE_DOUBLE, &threshold, nullptr));
  fail_unless_equals_uint64(at, 6 * 40 * GST_MSECOND);
  fail_unless(score >= threshold && threshold == double(m.classifier.begin[0]));
  gst_message_unref(message);
  fail_unless(watch.element->events() == std::vector<std::string>{"event-end"});
  // what goes on at the end of the stream ends with it
  for (int i = 20; i < 24; i++) gst_buffer_unref(watch.show(i, 1));
  gst_harness_push_event(watch.element->harness(), gst_event_new_eos());
  fail_unless(watch.element->events() == std::vector<std::string>({"event-begin", "event-end"}));
}
GST_END_TEST

// Two classes of one model: their events overlap, and each frame and message names all that go on.
GST_START_TEST(events_of_several_classes_overlap) {
  fisher::Model m = random_model(11, {"change", "bright"});
  // both machines are the first, so that both tell the scene's two states apart; their thresholds differ
  const std::size_t length = std::size_t(m.codebook.vector_length());
  for (std::size_t i = 0; i < length; i++) m.classifier.weights[length + i] = m.classifier.weights[i];
  m.classifier.bias[1] = m.classifier.bias[0];
  double levels[3] = {};
  {
    Watch probe(m);
    for (int objects = 0; objects < 2; objects++) levels[objects] = probe.score(0, objects);
  }
  const double step = levels[1] - levels[0];
  fail_unless(std::abs(step) > 0.05, "the scene's two states score alike: %f and %f", levels[0], levels[1]);
  if (step < 0) { // so that the change is what scores high
    for (float &w : m.classifier.weights) w = -w;
    for (float &b : m.classifier.bias) b = -b;
    levels[0] = -levels[0];
  }
  const auto at = [&](double part) { return float(levels[0] + part * std::abs(step)); };
  m.classifier.begin = {at(0.5), at(0.5)};
  m.classifier.end = {at(0.5), at(-0.5)}; // "bright" goes on until the end of the stream
  Watch watch(m, "window=1");
  std::vector<std::vector<std::string>> active;
  for (int i = 0; i < 9; i++) {
    GstBuffer *b = watch.show(i, i >= 3 && i < 6);
    active.push_back(names(meta_of(b), "active"));
    gst_buffer_unref(b);
  }
  gst_harness_push_event(watch.element->harness(), gst_event_new_eos());
  const std::vector<std::string> none, both{"change", "bright"}, one{"bright"};
  for (int i = 0; i < 9; i++)
    fail_unless(active[std::size_t(i)] == (i < 3 ? none : i < 6 ? both : one), "frame %d", i);
  const struct {
    const char *name, *of;
    std::vector<std::string> active;
  } want[] = {{"event-begin", "change", both},
              {"event-begin", "bright", both},
              {"event-end", "change", one},
              {"event-end", "bright", none}};
  for (const auto &w : want) {
    GstMessage *message = watch.element->message(GST_MESSAGE_ELEMENT);
    fail_unless(message, "no message %s of %s", w.name, w.of);
    const GstStructure *s = gst_message_get_structure(message);
    fail_unless_equals_string(gst_structure_get_name(s), w.name);
    fail_unless_equals_string(gst_structure_get_string(s, "class"), w.of);
    fail_unless(names(s, "active") == w.active, "%s of %s", w.name, w.of);
    gst_message_unref(message);
  }
  fail_unless(!watch.element->message(GST_MESSAGE_ELEMENT), "a message too many");
}
GST_END_TEST

static Suite *gpufisher_events_suite() {
  Suite *s = suite_create("gpufisher-events");
  TCase *c = tcase_create("all");
  suite_add_tcase(s, c);
  tcase_add_test(c, confidences_lie_between_0_and_1);
  tcase_add_test(c, events_are_steady);
  tcase_add_test(c, events_begin_and_end);
  tcase_add_test(c, events_of_several_classes_overlap);
  return s;
}

int main(int argc, char **argv) {
  return run(gpufisher_events_suite(), argc, argv);
}
