// SPDX-License-Identifier: LGPL-2.1-or-later
// gpufisher on the CPU: what it puts on frames compared with the kernels' reference, models that come and go,
// wrong input. Events have a test of their own.
#include "common/bytes.h"
#include "common/error.h"
#include "gst/gpufisher/meta.h"
#include "gst/video/formats.h"
#include "kernels/fisher/model_file.h"
#include "tests/elements/fisher_watch.h"
#include "tests/elements/random_model.h"
#include "vigil-config.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <thread>

#if defined(VIGIL_HAVE_ANALYTICS) && GST_CHECK_VERSION(1, 26, 0)
#define GST_USE_UNSTABLE_API // says that we know libgstanalytics may change
#include <gst/analytics/analytics.h>
#endif

using namespace vigil;
using namespace vigil::test;

namespace {

struct Expected {
  std::vector<float> vector, scores;
};
Expected expected(const fisher::Model &m, Picture &p) {
  const Image image = p.image();
  ConstImage view{image.format, image.width, image.height, {}, {}};
  for (int i = 0; i < 3; i++) {
    view.data[i] = image.data[i];
    view.stride[i] = image.stride[i];
  }
  const auto device = open_cpu(1);
  const auto queue = device->make_queue();
  const auto extractor = fisher::make_reference(image.width, image.height, m.sift);
  const auto encoder = fisher::make_reference(m.codebook, m.classifier, extractor->layout().descriptors);
  Expected e;
  e.vector.resize(std::size_t(encoder->vector_length()));
  e.scores.resize(std::size_t(encoder->classes()) + 1);
  encoder->encode_frame(*extractor, view, e.vector.data(), e.scores.data(), *queue);
  e.scores.pop_back();
  return e;
}

} // namespace

GST_START_TEST(scores_and_vector_are_the_references) {
  const char *formats[] = {"GRAY8", "NV12", "I420", "RGBA", "BGRx", "YV12", "NV21"};
  for (const char *format : formats) {
    const fisher::Model m = random_model(7, {"run", "fall"});
    Watch watch(m, "attach-vector=true", format);
    Picture p = scene(format, width, height, 3, {{20, 20, 30, 30}});
    const Expected want = expected(m, p);
    fail_unless_equals_int(watch.element->push(p, 3), GST_FLOW_OK);
    GstBuffer *b = watch.element->pull();
    fail_unless(b, "no frame came out");
    fail_unless_equals_uint64(gst_buffer_get_size(b), p.bytes.size());
    fail_unless(gst_buffer_memcmp(b, 0, p.bytes.data(), p.bytes.size()) == 0, "the picture was changed");
    const GstStructure *s = meta_of(b);
    fail_unless(s, "no meta");
    const std::vector<double> scores = doubles(s, "scores");
    fail_unless_equals_int(int(scores.size()), 2);
    double weight = 0;
    for (const float w : m.classifier.weights) weight += double(w) * double(w);
    for (std::size_t i = 0; i < 2; i++)
      fail_unless(std::abs(scores[i] - double(want.scores[i])) <= 1e-3 * std::sqrt(weight),
                  "%s: score %f, not %f", format, scores[i], double(want.scores[i]));
    const GValue *classes = gst_structure_get_value(s, "classes");
    fail_unless_equals_string(g_value_get_string(gst_value_array_get_value(classes, 1)), "fall");
    GBytes *vector = nullptr;
    fail_unless(gst_structure_get(s, "vector", G_TYPE_BYTES, &vector, nullptr), "no vector");
    fail_unless_equals_uint64(g_bytes_get_size(vector), want.vector.size() * sizeof(float));
    const auto *got = static_cast<const float *>(g_bytes_get_data(vector, nullptr));
    double error = 0;
    for (std::size_t i = 0; i < want.vector.size(); i++) error += std::pow(got[i] - want.vector[i], 2);
    fail_unless(std::sqrt(error) <= 1e-3, "%s: the vector is off by %g", format, std::sqrt(error));
#if defined(VIGIL_HAVE_ANALYTICS) && GST_CHECK_VERSION(1, 26, 0)
    gpointer state = nullptr;
    GstAnalyticsClsMtd found;
    fail_unless(gst_analytics_relation_meta_iterate(gst_buffer_get_analytics_relation_meta(b), &state,
                                                    gst_analytics_cls_mtd_get_mtd_type(), &found),
                "no classification");
    for (gsize i = 0; i < 2; i++)
      fail_unless_equals_float(gst_analytics_cls_mtd_get_level(&found, i),
                               gst::gpufisher::confidence_of(float(scores[i])));
    const auto *meta =
        reinterpret_cast<GstTensorMeta *>(gst_buffer_get_meta(b, g_type_from_name("GstTensorMetaAPI")));
    fail_unless(meta && meta->num_tensors == 1, "no tensor");
    const GstTensor &tensor = *meta->tensors[0];
    fail_unless_equals_string(g_quark_to_string(tensor.id), "vigil-fisher-vector");
    fail_unless(tensor.data_type == GST_TENSOR_DATA_TYPE_FLOAT32 && tensor.num_dims == 1);
    fail_unless_equals_uint64(tensor.dims[0], want.vector.size());
    fail_unless(gst_buffer_memcmp(tensor.data, 0, got, want.vector.size() * sizeof(float)) == 0);
#endif
    g_bytes_unref(vector);
    gst_buffer_unref(b);
  }
}
GST_END_TEST

// An element that changes nothing gets frames from the base class that no caps came before.
namespace {

// A frame of the format whose luma, or colours, are those of `p`: GRAY8, or RGBA for RGB and BGR. Other
// samples are noise. `padding`: bytes that rows are longer than they need be.
GstBuffer *disguised(const Picture &p, const char *format, int padding) {
  GstVideoInfo info;
  gst_video_info_set_format(&info, gst_video_format_from_string(format), width, height);
  const guint planes = GST_VIDEO_INFO_N_PLANES(&info);
  gsize offsets[GST_VIDEO_MAX_PLANES] = {}, size = 0;
  gint strides[GST_VIDEO_MAX_PLANES] = {};
  for (guint i = 0; i < planes; i++) {
    offsets[i] = size;
    strides[i] = GST_VIDEO_INFO_PLANE_STRIDE(&info, i) + padding;
    size += gsize(strides[i]) * height;
  }
  GstBuffer *b = gst_buffer_new_allocate(nullptr, size, nullptr);
  gst_buffer_add_video_meta_full(b, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_INFO_FORMAT(&info), width, height,
                                 planes, offsets, strides);
  GstMapInfo map;
  fail_unless(gst_buffer_map(b, &map, GST_MAP_WRITE));
  for (gsize i = 0; i < size; i++) map.data[i] = guint8(i * 31);
  const bool colour = GST_VIDEO_INFO_IS_RGB(&info);
  const int in_step = colour ? 4 : 1, depth = int(GST_VIDEO_INFO_COMP_DEPTH(&info, 0));
  const gint in_stride = GST_VIDEO_INFO_PLANE_STRIDE(&p.info, 0);
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      for (int c = 0; c < (colour ? 3 : 1); c++) {
        const guint8 value = p.bytes[std::size_t(y * in_stride + in_step * x + c)];
        guint8 *to = map.data + y * strides[0] + x * GST_VIDEO_INFO_COMP_PSTRIDE(&info, c) +
                     GST_VIDEO_INFO_COMP_POFFSET(&info, c);
        if (depth == 8)
          *to = value;
        else // low bits that do not count
          GST_WRITE_UINT16_LE(
              to, guint16((value << (depth - 8) | (x & 3)) << GST_VIDEO_FORMAT_INFO_SHIFT(info.finfo, 0)));
      }
  gst_buffer_unmap(b, &map);
  GST_BUFFER_PTS(b) = 0;
  return b;
}

} // namespace

// Formats that kernels do not read have the scores of the luma, or of the colours, that is in them.
GST_START_TEST(other_formats_have_the_same_scores) {
  const fisher::Model m = random_model(7, {"run", "fall"});
  for (const char *format : {"YUY2", "UYVY", "YVYU", "VYUY", "Y42B", "Y444", "NV16", "P010_10LE", "I420_10LE",
                             "GRAY16_LE", "RGB", "BGR"}) {
    const bool colour = std::strlen(format) == 3;
    Picture p = scene(colour ? "RGBA" : "GRAY8", width, height, 3, {{20, 20, 30, 30}});
    for (std::size_t i = 0; i < p.bytes.size(); i++) // so that colours are not grey
      if (colour && i % 4 == 0) p.bytes[i] = std::uint8_t(p.bytes[i] / 2);
    Watch plain(m, "", colour ? "RGBA" : "GRAY8");
    fail_unless_equals_int(plain.element->push(p, 0), GST_FLOW_OK);
    GstBuffer *b = plain.element->pull();
    const std::vector<double> want = scores_of(b);
    gst_buffer_unref(b);
    Watch watch(m, "", format);
    for (const int padding : {0, 20}) {
      GstBuffer *in = disguised(p, format, padding), *same = gst_buffer_copy_deep(in);
      fail_unless_equals_int(watch.element->push(in), GST_FLOW_OK);
      GstBuffer *out = watch.element->pull();
      fail_unless(scores_of(out) == want, "%s has other scores", format);
      GstMapInfo map;
      fail_unless(gst_buffer_map(same, &map, GST_MAP_READ));
      fail_unless(gst_buffer_memcmp(out, 0, map.data, map.size) == 0, "%s: the picture was changed", format);
      gst_buffer_unmap(same, &map);
      gst_buffer_unref(same);
      gst_buffer_unref(out);
    }
    GstBuffer *small = gst_buffer_new_allocate(nullptr, 100, nullptr);
    fail_unless_equals_int(watch.element->push(small), GST_FLOW_ERROR);
    watch.element->error(GST_STREAM_ERROR, GST_STREAM_ERROR_WRONG_TYPE);
  }
}
GST_END_TEST

GST_START_TEST(frames_without_caps_are_refused) {
  Folder folder;
  fisher::write_model(folder / "model", random_model(7, {"run"}));
  Harness e("gpufisher backend=cpu model-location=" + (folder / "model"));
  gst_harness_play(e.harness());
  fail_unless(gst_pad_push_event(e.harness()->srcpad, gst_event_new_stream_start("without-caps")));
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  fail_unless(gst_pad_push_event(e.harness()->srcpad, gst_event_new_segment(&segment)));
  for (int i = 0; i < 3; i++)
    fail_unless_equals_int(e.push(gst_buffer_new_allocate(nullptr, 100, nullptr)), GST_FLOW_NOT_NEGOTIATED);
  const std::string text = e.error(GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION);
  fail_unless(text.find("caps") != text.npos, "the error is: %s", text.c_str());
}
GST_END_TEST

GST_START_TEST(a_model_without_classes_gives_vectors) {
  Watch watch(random_model(7, {}), "attach-vector=true");
  GstBuffer *b = watch.show(0);
  const GstStructure *s = meta_of(b);
  fail_unless(s && gst_structure_has_field_typed(s, "vector", G_TYPE_BYTES));
  fail_unless(doubles(s, "scores").empty());
  gst_buffer_unref(b);
  fail_unless(watch.element->events().empty());
}
GST_END_TEST

GST_START_TEST(every_nth_frame_is_scored) {
  Watch watch(random_model(7, {"run"}), "every=3");
  for (int i = 0; i < 7; i++) {
    GstBuffer *b = watch.show(i);
    fail_unless((meta_of(b) != nullptr) == (i % 3 == 0), "frame %d", i);
    gst_buffer_unref(b);
  }
  fail_unless_equals_uint64(watch.element->stat("frames"), 7);
  fail_unless_equals_uint64(watch.element->stat("scored"), 3);
}
GST_END_TEST

GST_START_TEST(frames_under_way_come_out_in_order) {
  const fisher::Model m = random_model(7, {"run"});
  Watch one(m), three(m, "async-depth=3 every=2");
  std::vector<double> want, got;
  for (int i = 0; i < 10; i++) {
    const double s = one.score(i);
    if (i % 2 == 0) want.push_back(s);
    fail_unless_equals_int(three.element->push(scene("GRAY8", width, height, i), i), GST_FLOW_OK);
  }
  gst_harness_push_event(three.element->harness(), gst_event_new_eos());
  GstClockTime next = 0;
  while (GstBuffer *b = three.element->pull()) {
    fail_unless_equals_uint64(GST_BUFFER_PTS(b), next);
    next += 40 * GST_MSECOND;
    if (const GstStructure *s = meta_of(b)) got.push_back(doubles(s, "scores").at(0));
    gst_buffer_unref(b);
  }
  fail_unless_equals_uint64(next, 10 * 40 * GST_MSECOND);
  fail_unless(want == got, "scores differ with frames under way");
  fail_unless_equals_uint64(gst_harness_query_latency(three.element->harness()), 3 * 40 * GST_MSECOND);
}
GST_END_TEST

// Files next to a good model `good` that are none.
constexpr const char *bad_models[] = {"half", "flipped", "empty", "noise", "newer", "sizes", "nan"};
static void write_bad_models(const Folder &folder) {
  const fisher::Model model = random_model(7, {"run"});
  const std::vector<std::uint8_t> good = fisher::serialize(model);
  const auto sealed = [](std::vector<std::uint8_t> b) { // with the checksum of what it holds now
    const std::uint32_t crc = checksum(std::span(b).subspan(16));
    for (std::size_t i = 0; i < 4; i++) b[12 + i] = static_cast<std::uint8_t>(crc >> (8 * i));
    return b;
  };
  auto b = good;
  b.resize(b.size() / 2);
  write_bytes(folder / "half", b);
  b = good;
  b[b.size() / 2] ^= 4;
  write_bytes(folder / "flipped", b);
  write_bytes(folder / "empty", {});
  write_bytes(folder / "noise", {1, 2, 3});
  b = good;
  b[8] = 3;
  write_bytes(folder / "newer", b);
  b = good; // the last array claims to be of 4294967295 values
  const std::string name = "baseline";
  const auto at = std::search(b.begin(), b.end(), name.begin(), name.end());
  const float nan = std::numeric_limits<float>::quiet_NaN();
  b[std::size_t(at - b.begin()) - 4] = 1; // dimensions
  b.insert(at, 4, 0xFF);
  write_bytes(folder / "sizes", sealed(b));
  b = good;
  std::uint8_t variance[4];
  std::memcpy(variance, &model.codebook.variances[3], 4);
  std::memcpy(&*std::search(b.begin(), b.end(), variance, variance + 4), &nan, 4);
  write_bytes(folder / "nan", sealed(b));
}

GST_START_TEST(a_model_is_changed_while_playing) {
  const fisher::Model a = random_model(1, {"a"}), b = random_model(2, {"b"});
  Watch watch(a), other(b);
  const double with_a = watch.score(0), with_b = other.score(0);
  fail_unless(with_a != with_b);
  watch.element->set("model-location", (other.folder / "model").c_str());
  fail_unless(watch.score(0) == with_b, "the new model did not take over");

  // what cannot be used leaves the model as it is, and is reported once
  write_bad_models(watch.folder);
  std::vector<std::string> all{watch.folder / "absent", ""};
  for (const char *name : bad_models) all.push_back(watch.folder / name);
  for (const std::string &bad : all) {
    watch.element->set("model-location", bad.c_str());
    fail_unless(watch.score(0) == with_b && watch.score(0) == with_b);
    GstMessage *m = watch.element->message(GST_MESSAGE_WARNING);
    fail_unless(m, "no warning for '%s'", bad.c_str());
    gst_message_unref(m);
    fail_unless(!watch.element->message(GST_MESSAGE_WARNING), "a second warning for '%s'", bad.c_str());
  }
  // a model whose descriptors have no room in the frames
  fisher::Model large = a;
  large.sift.bin_size = 32;
  fisher::write_model(watch.folder / "large", large);
  watch.element->set("model-location", (watch.folder / "large").c_str());
  fail_unless(watch.score(0) == with_b);
  gst_message_unref(watch.element->message(GST_MESSAGE_WARNING));
  // the file's new content, by setting the same location again
  fisher::write_model(watch.folder / "large", a);
  watch.element->set("model-location", (watch.folder / "large").c_str());
  fail_unless(watch.score(0) == with_a);
}
GST_END_TEST

GST_START_TEST(other_sizes_on_the_way) {
  const fisher::Model m = random_model(7, {"run"});
  Watch watch(m);
  const double small = watch.score(0);
  watch.element->caps(caps_of("I420", 161, 97));
  fail_unless_equals_int(watch.element->push(scene("I420", 161, 97, 1), 1), GST_FLOW_OK);
  gst_buffer_unref(watch.element->pull());
  watch.element->caps(caps_of("GRAY8", width, height));
  fail_unless(watch.score(0) == small);
  // the smallest that holds one descriptor
  watch.element->caps(caps_of("GRAY8", 13, 13));
  fail_unless_equals_int(watch.element->push(scene("GRAY8", 13, 13, 1), 1), GST_FLOW_OK);
  GstBuffer *b = watch.element->pull();
  fail_unless(b && meta_of(b));
  gst_buffer_unref(b);
}
GST_END_TEST

GST_START_TEST(frames_that_are_too_small) {
  Watch watch(random_model(7, {"run"}));
  watch.element->caps(caps_of("GRAY8", 12, 40));
  fail_if(watch.element->push(scene("GRAY8", 12, 40, 0), 0) == GST_FLOW_OK);
  GstMessage *m = watch.element->message(GST_MESSAGE_ERROR);
  fail_unless(m, "no error");
  GError *e = nullptr;
  gst_message_parse_error(m, &e, nullptr);
  fail_unless(strstr(e->message, "13"), "'%s' does not name the smallest size", e->message);
  g_error_free(e);
  gst_message_unref(m);
}
GST_END_TEST

// Frames larger than their caps, of which a part is meant, are not asked for, whatever comes behind.
GST_START_TEST(frames_come_uncropped) {
  Watch watch(random_model(7, {"run"}));
  watch.element->takes_no_crops();
}
GST_END_TEST

// At the start a model must be there.
GST_START_TEST(bad_models_at_the_start) {
  const Folder folder;
  fisher::write_model(folder / "good", random_model(7, {"run"}));
  write_bad_models(folder);
  const struct {
    std::string settings;
    const char *says;
  } cases[] = {{"", "vigil-train"},
               {"model-location=" + (folder / "absent"), "absent"},
               {"model-location=" + (folder / "half"), "half"},
               {"model-location=" + (folder / "flipped"), "flipped"},
               {"model-location=" + (folder / "empty"), "empty"},
               {"model-location=" + (folder / "newer"), "newer than this program's"},
               {"model-location=" + (folder / "sizes"), "sizes: the model is cut off"},
               {"model-location=" + (folder / "nan"), "variances is nan"}};
  for (const auto &c : cases) {
    GstElement *element = gst_parse_launch(("gpufisher backend=cpu " + c.settings).c_str(), nullptr);
    gst_object_ref_sink(element);
    GstBus *bus = gst_bus_new();
    gst_element_set_bus(element, bus);
    fail_unless_equals_int(gst_element_set_state(element, GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
    GstMessage *m = gst_bus_pop_filtered(bus, GST_MESSAGE_ERROR);
    fail_unless(m, "no error with %s", c.settings.c_str());
    GError *e = nullptr;
    gst_message_parse_error(m, &e, nullptr);
    fail_unless(strstr(e->message, c.says), "'%s' does not say %s", e->message, c.says);
    g_error_free(e);
    gst_message_unref(m);
    gst_element_set_state(element, GST_STATE_NULL);
    gst_element_set_bus(element, nullptr);
    gst_object_unref(bus);
    gst_object_unref(element);
  }
}
GST_END_TEST

GST_START_TEST(flush_end_and_states) {
  Watch watch(random_model(7, {"run"}), "async-depth=4");
  GstHarness *h = watch.element->harness();
  for (int i = 0; i < 3; i++) watch.element->push(scene("GRAY8", width, height, i), i);
  gst_harness_push_event(h, gst_event_new_flush_start());
  gst_harness_push_event(h, gst_event_new_flush_stop(TRUE));
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  gst_harness_push_event(h, gst_event_new_segment(&segment));
  fail_unless(!watch.element->pull(), "a frame from before the flush came out");
  watch.element->push(scene("GRAY8", width, height, 9), 9);
  gst_harness_push_event(h, gst_event_new_eos());
  GstBuffer *b = watch.element->pull();
  fail_unless(b && GST_BUFFER_PTS(b) == 9 * 40 * GST_MSECOND);
  gst_buffer_unref(b);
  // an end before the first frame
  Harness empty("gpufisher backend=cpu model-location=" + (watch.folder / "model"));
  empty.caps(caps_of("GRAY8", width, height));
  gst_harness_push_event(empty.harness(), gst_event_new_eos());
  fail_unless(!empty.message(GST_MESSAGE_ERROR));
  for (int i = 0; i < 20; i++) {
    gst_element_set_state(empty.get(), GST_STATE_NULL);
    fail_if(gst_element_set_state(empty.get(), GST_STATE_PLAYING) == GST_STATE_CHANGE_FAILURE);
  }
}
GST_END_TEST

GST_START_TEST(properties_from_another_thread) {
  const fisher::Model m = random_model(7, {"run"});
  Watch watch(m);
  std::atomic<bool> over = false;
  std::thread hammer([&] {
    for (int i = 0; !over; i++) {
      g_object_set(watch.element->get(), "every", 1 + i % 3, "window", 1 + i % 9, "attach-vector", i % 2,
                   "threshold-offset", double(i % 5), "async-depth", i % 3, nullptr);
      if (i % 16 == 0)
        g_object_set(watch.element->get(), "model-location", (watch.folder / "model").c_str(), nullptr);
      (void)watch.element->stat("frames");
    }
  });
  for (int i = 0; i < 200; i++) {
    fail_unless_equals_int(watch.element->push(scene("GRAY8", width, height, i % 5), i), GST_FLOW_OK);
    while (GstBuffer *b = watch.element->pull()) gst_buffer_unref(b);
  }
  over = true;
  hammer.join();
  gst_harness_push_event(watch.element->harness(), gst_event_new_eos());
  fail_unless_equals_uint64(watch.element->stat("frames"), 200);
}
GST_END_TEST

static Suite *gpufisher_suite() {
  Suite *s = suite_create("gpufisher");
  TCase *c = tcase_create("all");
  suite_add_tcase(s, c);
  tcase_add_test(c, scores_and_vector_are_the_references);
  tcase_add_test(c, other_formats_have_the_same_scores);
  tcase_add_test(c, frames_without_caps_are_refused);
  tcase_add_test(c, a_model_without_classes_gives_vectors);
  tcase_add_test(c, every_nth_frame_is_scored);
  tcase_add_test(c, frames_under_way_come_out_in_order);
  tcase_add_test(c, a_model_is_changed_while_playing);
  tcase_add_test(c, other_sizes_on_the_way);
  tcase_add_test(c, frames_that_are_too_small);
  tcase_add_test(c, frames_come_uncropped);
  tcase_add_test(c, bad_models_at_the_start);
  tcase_add_test(c, flush_end_and_states);
  tcase_add_test(c, properties_from_another_thread);
  return s;
}

int main(int argc, char **argv) {
  return run(gpufisher_suite(), argc, argv);
}
