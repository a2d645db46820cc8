// SPDX-License-Identifier: LGPL-2.1-or-later
// Frames through cudamog on the CPU: formats, sizes, outputs, groups, events between frames.
#include "common/device.h"
#include "common/error.h"
#include "gst/video/formats.h"
#include "kernels/blobs/blobs.h"
#include "kernels/cleanup/cleanup.h"
#include "kernels/compose/compose.h"
#include "kernels/mog/mog.h"
#include "tests/elements/attached_mask.h"
#include "tests/elements/fixture.h"
#include "vigil-config.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#ifdef VIGIL_HAVE_ANALYTICS
#define GST_USE_UNSTABLE_API // says that we know libgstanalytics may change
#include <gst/analytics/analytics.h>
#endif

using namespace vigil;
using namespace vigil::test;

namespace {

const char *const formats[] = {"GRAY8", "NV12", "I420", "RGBA", "RGBx", "BGRA", "BGRx", "YV12", "NV21"};
struct Size {
  int width, height;
};
const Size sizes[] = {{64, 48}, {1, 1}, {33, 17}, {7, 130}};
constexpr int frames = 14;

Picture frame_of(const char *format, Size s, int n) {
  std::vector<Rect> objects;
  if (n > 8 && s.width > 16 && s.height > 16) objects.push_back({n * 13 % (s.width - 10), 3, 10, 12});
  return scene(format, s.width, s.height, n, objects);
}

// The kernels' own answers.
class Expected {
 public:
  Expected(const char *format, Size s, const mog::Params &params = {},
           mog::Method method = mog::Method::zivkovic)
      : format_(format), size_(s), params_(params), device_(open_cpu()), queue_(device_->make_queue()),
        mask("GRAY8", s.width, s.height) {
    const std::string name = format;
    const bool grey = name == "GRAY8" || method == mog::Method::mog,
               rgb = name.find("RGB") != name.npos || name.find("BGR") != name.npos;
    cleanup_ = cleanup::make(*device_, s.width, s.height);
    model = mog::make(*device_, {.width = s.width,
                                 .height = s.height,
                                 .channels = grey ? 1 : 3,
                                 .method = method,
                                 // as the element chooses with default settings
                                 .precision = method == mog::Method::zivkovic && (grey || !rgb)
                                                  ? mog::Precision::compact
                                                  : mog::Precision::single});
  }
  void step(int n) {
    Picture p = frame_of(format_, size_, n);
    const mog::Step step{p.image(), mask.image().plane(0), mog::learning_rate(params_, model->frames + 1)};
    model->apply({&step, 1}, params_, {}, *queue_);
    cleanup_->apply(step.mask, {}, {}, *queue_);
    seen = p;
  }
  Device &device() { return *device_; }
  Queue &queue() { return *queue_; }

 private:
  const char *format_;
  Size size_;
  mog::Params params_;
  std::unique_ptr<Device> device_;
  std::unique_ptr<Queue> queue_;
  std::unique_ptr<cleanup::Cleanup> cleanup_;

 public:
  Picture mask, seen{"GRAY8", 1, 1};
  std::unique_ptr<mog::Model> model;
};

// A picture's bytes without padding.
std::vector<std::uint8_t> tight(Picture &p) {
  std::vector<std::uint8_t> bytes;
  const Image image = p.image();
  for (int i = 0; i < plane_count(image.format); i++)
    for (int y = 0; y < plane_rows(i, image.height); y++) {
      const std::uint8_t *row = image.data[i] + y * image.stride[i];
      bytes.insert(bytes.end(), row, row + row_bytes(image.format, i, image.width));
    }
  return bytes;
}

// The model and the clean-up alone: what cudamog_scene.cpp tests is off.
const std::string plain = "exposure=off foreground-rate=1 light-jump=0 ";

std::vector<std::vector<std::uint8_t>> masks_with(const std::string &settings, const char *format, Size s) {
  Element e(plain + settings);
  e.caps(caps_of(format, s.width, s.height));
  for (int n = 0; n < frames; n++) fail_unless_equals_int(e.push(frame_of(format, s, n), n), GST_FLOW_OK);
  gst_harness_push_event(e.harness(), gst_event_new_eos());
  std::vector<std::vector<std::uint8_t>> masks;
  for (int n = 0; n < frames; n++) masks.push_back(e.pull_bytes());
  fail_unless(e.pull() == nullptr, "more frames came out than went in");
  return masks;
}

} // namespace

GST_START_TEST(masks_are_the_kernels_own) {
  for (const char *format : formats)
    for (const Size s : sizes) {
      const auto masks = masks_with("", format, s);
      Expected expected(format, s);
      for (int n = 0; n < frames; n++) {
        expected.step(n);
        fail_unless(masks[n] == tight(expected.mask), "%s %dx%d: mask %d differs", format, s.width, s.height,
                    n);
      }
    }
}
GST_END_TEST

GST_START_TEST(method_mog_works_on_luma) {
  const auto masks = masks_with("method=mog", "NV12", sizes[0]);
  Expected expected("NV12", sizes[0], {}, mog::Method::mog);
  for (int n = 0; n < frames; n++) {
    expected.step(n);
    fail_unless(masks[n] == tight(expected.mask), "mask %d differs", n);
  }
}
GST_END_TEST

GST_START_TEST(groups_and_depth_give_the_same_masks) {
  const auto alone = masks_with("", "NV12", sizes[0]);
  fail_unless(std::any_of(alone.back().begin(), alone.back().end(), [](int v) { return v == 255; }),
              "the scene has no foreground");
  for (const char *settings :
       {"group-size=8", "group-size=32", "async-depth=1", "async-depth=5", "group-size=4 async-depth=3"})
    fail_unless(masks_with(settings, "NV12", sizes[0]) == alone, "%s gives other masks", settings);
}
GST_END_TEST

GST_START_TEST(frames_come_out_as_late_as_told) {
  Element e("group-size=4 async-depth=3");
  e.caps(caps_of("GRAY8", 64, 48));
  GstQuery *query = gst_query_new_latency();
  gst_harness_set_upstream_latency(e.harness(), 10 * GST_MSECOND);
  fail_unless(gst_pad_peer_query(e.harness()->sinkpad, query));
  GstClockTime min = 0;
  gst_query_parse_latency(query, nullptr, &min, nullptr);
  gst_query_unref(query);
  fail_unless_equals_uint64(min, 10 * GST_MSECOND + 6 * 40 * GST_MSECOND);
  int out = 0;
  for (int n = 0; n < 20; n++) {
    fail_unless_equals_int(e.push(frame_of("GRAY8", sizes[0], n), n), GST_FLOW_OK);
    while (GstBuffer *b = e.pull()) {
      fail_unless_equals_uint64(GST_BUFFER_PTS(b), guint64(out) * 40 * GST_MSECOND);
      gst_buffer_unref(b);
      out++;
    }
    fail_unless(n - out < 7, "frame %d is held longer than the latency says", out);
  }
}
GST_END_TEST

static std::vector<compose::DrawnBox> expected_boxes(Expected &expected, Size s, int n) {
  std::vector<compose::DrawnBox> boxes;
  if (n == 0) return boxes; // the first frame has nothing to be compared with
  const blobs::Config config{s.width, s.height};
  blobs::Results found(expected.device(), config);
  blobs::make_reference(config)->apply(expected.mask.image().plane(0), {.min_area = 20}, {}, found,
                                       expected.queue());
  for (const auto &b : found.blobs()) boxes.push_back({b.x, b.y, b.width, b.height});
  return boxes;
}

GST_START_TEST(outputs) {
  for (const char *format : formats) {
    const Size s{66, 37};
    const std::string caps = caps_of(format, s.width, s.height);
    Element foreground(plain + "output=foreground min-area=20"), background(plain + "output=background"),
        overlay(plain + "output=overlay min-area=20"), passthrough(plain + "output=passthrough min-area=20");
    Element *all[] = {&foreground, &background, &overlay, &passthrough};
    for (Element *e : all) e->caps(caps);
    Expected expected(format, s);
    auto composer = compose::make(expected.device());
    for (int n = 0; n < frames; n++) {
      expected.step(n);
      Picture in = expected.seen;
      for (Element *e : all) fail_unless_equals_int(e->push(in, n), GST_FLOW_OK);

      fail_unless(passthrough.pull_bytes() == tight(in), "%s: passthrough changed the frame", format);
      Picture want = in;
      compose::Style style;
      style.black = gst::colour_in(in.info, {0, 0, 0});
      style.tint = {gst::colour_in(in.info, {255, 48, 32}), 144};
      style.shadow_tint = {gst::colour_in(in.info, {32, 96, 255}), 112};
      style.box = gst::colour_in(in.info, {48, 255, 64});
      style.line = 1;
      composer->foreground(in.image(), expected.mask.image().plane(0), style, want.image(), expected.queue());
      fail_unless(foreground.pull_bytes() == tight(want), "%s: foreground %d differs", format, n);
      expected.model->background(want.image(), expected.queue());
      fail_unless(background.pull_bytes() == tight(want), "%s: background %d differs", format, n);
      want = in;
      const auto boxes = expected_boxes(expected, s, n);
      composer->overlay(in.image(), expected.mask.image().plane(0), boxes, style, want.image(),
                        expected.queue());
      fail_unless(overlay.pull_bytes() == tight(want), "%s: overlay %d differs", format, n);
      if (n == frames - 1) fail_if(boxes.empty(), "nothing was found");
    }
  }
}
GST_END_TEST

// Frames of 10 bits: the mask is that of NV12 frames with the upper bytes of their samples, and what passes
// is not changed.
GST_START_TEST(ten_bits) {
  for (const Size s : sizes) {
    const std::string caps = caps_of("P010_10LE", s.width, s.height);
    Element mask(plain), passthrough(plain + "output=passthrough"), eight(plain);
    mask.caps(caps);
    passthrough.caps(caps);
    eight.caps(caps_of("NV12", s.width, s.height));
    for (int n = 0; n < frames; n++) {
      Picture fine = frame_of("P010_10LE", s, n), coarse("NV12", s.width, s.height);
      const Image from = fine.image(), to = coarse.image();
      for (int i = 0; i < plane_count(to.format); i++)
        for (int y = 0; y < plane_rows(i, s.height); y++)
          for (int x = 0; x < row_bytes(to.format, i, s.width); x++)
            to.plane(i).row(y)[x] = from.plane(i).row(y)[2 * x + 1];
      for (Element *e : {&mask, &passthrough}) fail_unless_equals_int(e->push(fine, n), GST_FLOW_OK);
      fail_unless_equals_int(eight.push(coarse, n), GST_FLOW_OK);
      fail_unless(passthrough.pull_bytes() == tight(fine), "%dx%d: the frame is changed", s.width, s.height);
      fail_unless(mask.pull_bytes() == eight.pull_bytes(), "%dx%d: mask %d differs", s.width, s.height, n);
    }
  }
  for (const char *output : {"foreground", "background", "overlay"}) {
    Element e(plain + "output=" + output);
    e.caps(caps_of("P010_10LE", 64, 48));
    fail_unless_equals_int(e.push(frame_of("P010_10LE", sizes[0], 0), 0), GST_FLOW_NOT_NEGOTIATED);
  }
}
GST_END_TEST

GST_START_TEST(blobs_are_on_their_frame) {
  for (const char *settings :
       {"output=mask", "output=passthrough group-size=4 async-depth=2", "output=overlay"}) {
    Element e(std::string("median=0 open=0 close=0 min-area=50 learning-rate=0.001 ") + settings);
    e.caps(caps_of("GRAY8", 160, 120));
    int out = 0;
    const auto look = [&] {
      while (GstBuffer *b = e.pull()) {
        int found = 0;
        gpointer state = nullptr;
        while (GstMeta *m =
                   gst_buffer_iterate_meta_filtered(b, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE)) {
          const auto *roi = reinterpret_cast<GstVideoRegionOfInterestMeta *>(m);
          fail_unless_equals_string(g_quark_to_string(roi->roi_type), "motion");
          fail_unless_equals_int(roi->x, 4 * out);
          fail_unless_equals_int(roi->y, 40);
          fail_unless_equals_int(roi->w, 16);
          fail_unless_equals_int(roi->h, 20);
          const GstStructure *blob = gst_video_region_of_interest_meta_get_param(
              const_cast<GstVideoRegionOfInterestMeta *>(roi), "blob");
          guint area = 0;
          gdouble confidence = 0;
          fail_unless(blob && gst_structure_get_uint(blob, "area", &area) &&
                      gst_structure_get_double(blob, "confidence", &confidence));
          fail_unless(confidence == area / 320. && confidence > 0.9, "%u of 320 pixels: %g", area,
                      confidence);
          found++;
        }
        fail_unless_equals_int(found, out >= 10 ? 1 : 0);
        gst_buffer_unref(b);
        out++;
      }
    };
    for (int n = 0; n < 24; n++) {
      std::vector<Rect> objects;
      if (n >= 10) objects.push_back({4 * n, 40, 16, 20});
      e.push(scene("GRAY8", 160, 120, n, objects), n);
      look();
    }
    gst_harness_push_event(e.harness(), gst_event_new_eos());
    look();
    fail_unless_equals_int(out, 24);
  }
}
GST_END_TEST

// A pipeline of an earlier version may say blobs=cells: it gets connected pixels, so two objects within one
// cell of a coarse grid are two blobs.
GST_START_TEST(cells_give_the_same_blobs_as_exact) {
  const auto boxes_with = [](const char *settings) {
    Element e(std::string("output=passthrough median=0 open=0 close=0 min-area=50 learning-rate=0.001 ") +
              settings);
    e.caps(caps_of("GRAY8", 160, 120));
    std::vector<std::string> found;
    for (int n = 0; n < 20; n++) {
      std::vector<Rect> objects;
      if (n >= 10) objects = {{40, 40, 16, 20}, {59, 40, 16, 20}};
      e.push(scene("GRAY8", 160, 120, n, objects), n);
      GstBuffer *b = e.pull();
      gpointer state = nullptr;
      while (GstMeta *m =
                 gst_buffer_iterate_meta_filtered(b, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE)) {
        auto *roi = reinterpret_cast<GstVideoRegionOfInterestMeta *>(m);
        gchar *blob = gst_structure_to_string(gst_video_region_of_interest_meta_get_param(roi, "blob"));
        found.push_back(text(n, ": ", roi->x, ",", roi->y, " ", roi->w, "x", roi->h, " ", blob));
        g_free(blob);
      }
      gst_buffer_unref(b);
    }
    return found;
  };
  const auto exact = boxes_with("blobs=exact"), cells = boxes_with("blobs=cells");
  fail_unless_equals_int(int(exact.size()), 20);
  fail_unless(cells == exact, "%zu boxes, the first is %s", cells.size(),
              cells.empty() ? "" : cells[0].c_str());
}
GST_END_TEST

// How far a box is filled is how sure it is said to be, also as GstAnalytics has it: a square stands on its
// corner, half of its box.
GST_START_TEST(confidence_is_the_filled_share) {
  Element e("output=passthrough median=0 open=0 close=0 min-area=50 learning-rate=0.001");
  e.caps(caps_of("GRAY8", 160, 120));
  int looked = 0;
  for (int n = 0; n < 14; n++) {
    std::vector<Rect> objects;
    for (int y = 0; n >= 10 && y < 40; y++) {
      const int half = std::min(y, 39 - y) + 1;
      objects.push_back({60 - half, 30 + y, 2 * half, 1});
    }
    e.push(scene("GRAY8", 160, 120, n, objects), n);
    GstBuffer *b = e.pull();
    const auto *roi = reinterpret_cast<GstVideoRegionOfInterestMeta *>(
        gst_buffer_get_meta(b, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE));
    fail_unless((roi != nullptr) == (n >= 10));
    if (roi) {
      gdouble confidence = 0;
      gst_structure_get_double(gst_video_region_of_interest_meta_get_param(
                                   const_cast<GstVideoRegionOfInterestMeta *>(roi), "blob"),
                               "confidence", &confidence);
      fail_unless(confidence > 0.45 && confidence < 0.6, "%g", confidence);
#ifdef VIGIL_HAVE_ANALYTICS
      GstAnalyticsRelationMeta *meta = gst_buffer_get_analytics_relation_meta(b);
      gpointer state = nullptr;
      GstAnalyticsODMtd object;
      fail_unless(meta && gst_analytics_relation_meta_iterate(meta, &state,
                                                              gst_analytics_od_mtd_get_mtd_type(), &object));
      gint x = 0, y = 0, w = 0, h = 0;
      gfloat theirs = 0;
      gst_analytics_od_mtd_get_location(&object, &x, &y, &w, &h, &theirs);
      fail_unless(theirs == static_cast<gfloat>(confidence), "%g, not %g", double(theirs), confidence);
#endif
      looked++;
    }
    gst_buffer_unref(b);
  }
  fail_unless_equals_int(looked, 4);
}
GST_END_TEST

// The mask as metadata is the mask that comes out as a picture, whatever comes out.
GST_START_TEST(masks_are_attached) {
  for (const char *output : {"mask", "passthrough", "overlay", "passthrough group-size=3 async-depth=2"}) {
    Element plain("output=mask"), e(std::string("attach-mask=true output=") + output);
    for (Element *x : {&plain, &e}) x->caps(caps_of("RGBA", 70, 50));
    std::vector<std::vector<std::uint8_t>> wanted;
    int out = 0;
    bool seen = false;
    const auto look = [&] {
      while (GstBuffer *b = e.pull()) {
        const auto &want = wanted[std::size_t(out++)];
        expect_attached_mask(b, 70, 50, want, 127, output);
        seen |= std::find(want.begin(), want.end(), 255) != want.end();
        gst_buffer_unref(b);
      }
    };
    for (int n = 0; n < frames; n++) {
      const Picture p = frame_of("RGBA", {70, 50}, n);
      plain.push(p, n);
      wanted.push_back(plain.pull_bytes());
      e.push(p, n);
      look();
    }
    gst_harness_push_event(e.harness(), gst_event_new_eos());
    look();
    fail_unless_equals_int(out, frames);
    fail_unless(seen, "there was nothing to be seen");
    fail_unless(e.message(GST_MESSAGE_WARNING) == nullptr, "something was warned of");
  }
}
GST_END_TEST

GST_START_TEST(size_changes_and_flushes) {
  Element e("group-size=3");
  int in = 0, out = 0;
  const auto go = [&](const char *format, Size s, int count) {
    e.caps(caps_of(format, s.width, s.height));
    for (int n = 0; n < count; n++) fail_unless_equals_int(e.push(frame_of(format, s, n), in++), GST_FLOW_OK);
  };
  const auto drain = [&] {
    while (GstBuffer *b = e.pull()) {
      gst_buffer_unref(b);
      out++;
    }
  };
  go("NV12", {64, 48}, 7);
  fail_unless_equals_uint64(e.stat("model-frames"), 6);
  go("I420", {64, 48}, 4); // same size and channels: the model goes on; what was held comes out first
  drain();
  fail_unless_equals_int(out, 7 + 3);
  fail_unless_equals_uint64(e.stat("model-frames"), 10);
  go("RGBA", {64, 48}, 3); // other channels
  fail_unless_equals_uint64(e.stat("model-frames"), 3);
  go("RGBA", {33, 17}, 3); // another size
  fail_unless_equals_uint64(e.stat("model-frames"), 3);
  drain();
  fail_unless_equals_int(out, in);

  go("RGBA", {33, 17}, 2); // a flush drops what is held and keeps the model
  gst_harness_push_event(e.harness(), gst_event_new_flush_start());
  gst_harness_push_event(e.harness(), gst_event_new_flush_stop(TRUE));
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  gst_harness_push_event(e.harness(), gst_event_new_segment(&segment));
  drain();
  fail_unless_equals_int(out, in - 2);
  fail_unless_equals_uint64(e.stat("model-frames"), 3);
  go("RGBA", {33, 17}, 3);
  drain();
  fail_unless_equals_int(out, in - 2);
  fail_unless_equals_uint64(e.stat("model-frames"), 6);
}
GST_END_TEST

// Upstream asks for its buffers back, as decoders do before they change.
GST_START_TEST(a_drain_query_lets_go_of_all_frames) {
  Element e("output=passthrough async-depth=4");
  e.caps(caps_of("NV12", 64, 48));
  for (int round = 0; round < 2; round++) {
    for (int n = 0; n < 3; n++)
      fail_unless_equals_int(e.push(frame_of("NV12", {64, 48}, n), 3 * round + n), GST_FLOW_OK);
    fail_unless(e.pull() == nullptr, "frames are not held: nothing is tested");
    GstQuery *query = gst_query_new_drain();
    gst_pad_peer_query(e.harness()->srcpad, query);
    gst_query_unref(query);
    for (int n = 0; n < 3; n++) {
      GstBuffer *b = e.pull();
      fail_unless(b, "frame %d is still held", n);
      gst_buffer_unref(b);
    }
  }
}
GST_END_TEST

// Downstream offers a pool of four frames.
GstPadProbeReturn offer_four(GstPad *, GstPadProbeInfo *info, gpointer) {
  GstQuery *query = GST_PAD_PROBE_INFO_QUERY(info);
  if (GST_QUERY_TYPE(query) != GST_QUERY_ALLOCATION) return GST_PAD_PROBE_OK;
  GstCaps *caps = nullptr;
  gst_query_parse_allocation(query, &caps, nullptr);
  GstVideoInfo format;
  fail_unless(caps && gst_video_info_from_caps(&format, caps));
  GstBufferPool *pool = gst_video_buffer_pool_new();
  GstStructure *config = gst_buffer_pool_get_config(pool);
  gst_buffer_pool_config_set_params(config, caps, guint(GST_VIDEO_INFO_SIZE(&format)), 0, 4);
  fail_unless(gst_buffer_pool_set_config(pool, config));
  gst_query_add_allocation_pool(query, pool, guint(GST_VIDEO_INFO_SIZE(&format)), 0, 4);
  gst_object_unref(pool);
  return GST_PAD_PROBE_HANDLED;
}

// It would wait permanently for a frame of a small pool, all of whose frames it holds itself.
GST_START_TEST(more_may_be_held_while_playing) {
  Element e("output=overlay async-depth=1");
  gst_pad_add_probe(e.harness()->sinkpad, GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM, offer_four, nullptr, nullptr);
  e.caps(caps_of("NV12", 64, 48));
  int n = 0, out = 0;
  const auto go = [&](int frames) {
    for (int i = 0; i < frames; i++, n++) {
      fail_unless_equals_int(e.push(frame_of("NV12", {64, 48}, n), n), GST_FLOW_OK);
      while (GstBuffer *b = e.pull()) {
        gst_buffer_unref(b);
        out++;
      }
    }
  };
  go(6);
  fail_unless_equals_int(out, 5);
  e.set("async-depth", "8");
  go(20);
  fail_unless_equals_int(out, 26 - 8);
}
GST_END_TEST

GST_START_TEST(end_before_the_first_frame) {
  for (const bool with_caps : {false, true}) {
    Element e("group-size=8 async-depth=4");
    if (with_caps) e.caps(caps_of("NV12", 64, 48));
    fail_unless(gst_harness_push_event(e.harness(), gst_event_new_eos()));
    fail_unless(e.pull() == nullptr);
    fail_unless(e.message(GST_MESSAGE_ERROR) == nullptr);
  }
}
GST_END_TEST

GST_START_TEST(unsupported_caps_are_refused) {
  for (const char *caps : {"video/x-raw, format=YUY2, width=64, height=48, framerate=25/1",
                           "video/x-raw, format=GRAY16_LE, width=64, height=48, framerate=25/1",
                           "video/x-raw(memory:GLMemory), format=YV12, width=64, height=48, framerate=25/1",
                           "audio/x-raw, format=S16LE, rate=8000, channels=1, layout=interleaved"}) {
    Element e;
    GstPad *sink = gst_element_get_static_pad(e.get(), "sink");
    GstCaps *wrong = gst_caps_from_string(caps);
    fail_unless(wrong);
    fail_if(gst_pad_query_accept_caps(sink, wrong), "%s was taken", caps);
    gst_caps_unref(wrong);
    gst_object_unref(sink);
  }
}
GST_END_TEST

GST_START_TEST(caps_of_the_mask) {
  Element e;
  e.caps("video/x-raw, format=NV12, width=64, height=48, framerate=25/1, pixel-aspect-ratio=4/3, "
         "colorimetry=bt709, chroma-site=mpeg2");
  e.push(frame_of("NV12", sizes[0], 0), 0);
  GstCaps *caps = gst_pad_get_current_caps(e.harness()->sinkpad);
  const GstStructure *s = gst_caps_get_structure(caps, 0);
  fail_unless_equals_string(gst_structure_get_string(s, "format"), "GRAY8");
  fail_if(gst_structure_has_field(s, "chroma-site"));
  int n = 0, d = 0;
  fail_unless(gst_structure_get_fraction(s, "pixel-aspect-ratio", &n, &d) && n == 4 && d == 3);
  gst_caps_unref(caps);
}
GST_END_TEST

GST_START_TEST(output_may_change_while_playing) {
  Element e;
  e.caps(caps_of("I420", 64, 48));
  const std::size_t mask = 64 * 48, frame = mask * 3 / 2;
  int n = 0;
  for (const auto &[output, size] : {std::pair{"mask", mask},
                                     {"overlay", frame},
                                     {"background", frame},
                                     {"mask", mask},
                                     {"passthrough", frame},
                                     {"foreground", frame}}) {
    e.set("output", output);
    e.push(frame_of("I420", sizes[0], n), n);
    fail_unless_equals_int(e.pull_bytes().size(), size);
    n++;
  }
  fail_unless_equals_uint64(e.stat("model-frames"), guint64(n));
}
GST_END_TEST

int main(int argc, char **argv) {
  Suite *suite = suite_create("cudamog-frames");
  TCase *tests = tcase_create("frames");
  tcase_set_timeout(tests, 120);
  suite_add_tcase(suite, tests);
  tcase_add_test(tests, masks_are_the_kernels_own);
  tcase_add_test(tests, method_mog_works_on_luma);
  tcase_add_test(tests, groups_and_depth_give_the_same_masks);
  tcase_add_test(tests, frames_come_out_as_late_as_told);
  tcase_add_test(tests, outputs);
  tcase_add_test(tests, ten_bits);
  tcase_add_test(tests, blobs_are_on_their_frame);
  tcase_add_test(tests, cells_give_the_same_blobs_as_exact);
  tcase_add_test(tests, confidence_is_the_filled_share);
  tcase_add_test(tests, masks_are_attached);
  tcase_add_test(tests, size_changes_and_flushes);
  tcase_add_test(tests, a_drain_query_lets_go_of_all_frames);
  tcase_add_test(tests, more_may_be_held_while_playing);
  tcase_add_test(tests, end_before_the_first_frame);
  tcase_add_test(tests, unsupported_caps_are_refused);
  tcase_add_test(tests, caps_of_the_mask);
  tcase_add_test(tests, output_may_change_while_playing);
  return run(suite, argc, argv);
}
