// SPDX-License-Identifier: LGPL-2.1-or-later
// glcolinearseg: pixels against the reference, backgrounds, properties, metadata and messages.
#include "tests/elements/glcolinearseg.h"

#include "kernels/compose/compose.h"
#include "tests/elements/attached_mask.h"

#include <cmath>
#include <utility>

namespace vigil::test {
namespace {

GST_START_TEST(masks_equal_the_reference) {
  Chain chain(std::string("background-frames=5 ") + places[__i__]);
  Wanted wanted({});
  std::size_t foreground = 0;
  for (int t = 0; t < 30; t++) {
    const Picture p = frame_at(t);
    const auto mask = wanted.mask(p);
    foreground += ones(mask);
    expect_mask(mask, chain.process(p, t), t);
  }
  fail_unless(foreground > 20000, "the reference finds nothing");
  GstStructure *s = chain.stats();
  fail_unless_equals_string(gst_structure_get_string(s, "shaders"), __i__ < 2 ? shaders[__i__] : "none");
  fail_unless_equals_string(gst_structure_get_string(s, "backend"), __i__ < 2 ? "opengl" : "cpu");
  gst_structure_free(s);
  fail_unless_equals_int64(gint64(chain.stat("frames")), 30);
}
GST_END_TEST

Picture in_other_light(Picture p) {
  constexpr double gains[] = {0.95, 0.85, 0.7, 1};
  for (std::size_t i = 0; i < p.bytes.size(); i++)
    p.bytes[i] = std::uint8_t(std::lround(gains[i % 4] * p.bytes[i]));
  return p;
}

// From frame 30 on the camera's white balance and exposure are others; somebody comes at 40.
GST_START_TEST(exposure_and_white_balance_are_undone) {
  const Rect object{60, 30, 20, 40};
  const auto seen = [&](const std::string &settings, bool inside) {
    Chain chain("background-frames=25 backend=cpu " + settings);
    double most = 0, found = 0;
    for (int t = 0; t < 60; t++) {
      Picture p = scene("RGBA", width, height, t, t < 40 ? std::vector<Rect>{} : std::vector<Rect>{object});
      if (t >= 30) p = in_other_light(std::move(p));
      const auto got = chain.process(p, t);
      double in = 0, out = 0;
      for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
          const bool within =
              x >= object.x && x < object.x + object.width && y >= object.y && y < object.y + object.height;
          (within ? in : out) += got[4 * std::size_t(y * width + x)] == 255;
        }
      if (t > 30) most = std::max(most, out / (width * height));
      found = in / (object.width * object.height);
    }
    return inside ? found : most;
  };
  fail_unless(seen("exposure=auto", false) < 0.01, "%f of the picture is foreground",
              seen("exposure=auto", false));
  fail_unless(seen("exposure=auto", true) > 0.9, "only %f of somebody is seen", seen("exposure=auto", true));
  fail_unless(seen("", false) > 0.3, "without, %f of the picture is: the test shows nothing",
              seen("", false));
}
GST_END_TEST

// The same in OpenGL: the CPU's masks, bit for bit; and again with a background that is learnt again.
GST_START_TEST(exposure_is_undone_in_opengl_as_on_the_cpu) {
  Chain gl("background-frames=5 exposure=auto " + std::string(places[__i__]));
  Chain cpu("background-frames=5 exposure=auto backend=cpu"), without("background-frames=5 backend=cpu");
  int differs = 0;
  for (int t = 0; t < 60; t++) {
    const Picture p = t >= 12 ? in_other_light(frame_at(t)) : frame_at(t);
    if (t == 40)
      for (Chain *c : {&gl, &cpu, &without}) g_signal_emit_by_name(c->get(), "learn-background");
    const auto want = cpu.process(p, t);
    fail_unless(gl.process(p, t) == want, "frame %d differs from the CPU's", t);
    differs += without.process(p, t) != want;
  }
  fail_unless(differs > 20, "only %d frames differ by it: the test shows nothing", differs);
}
GST_END_TEST

GST_START_TEST(every_output_is_what_it_says) {
  Chain chain(std::string("background-frames=5 ") + places[__i__ + 1]);
  Wanted wanted({});
  const auto host = open_cpu(1);
  const auto queue = host->make_queue();
  for (int t = 0; t < 20; t++) {
    static const char *const outputs[] = {"mask", "overlay", "cutout", "background", "passthrough"};
    const char *output = outputs[t % 5];
    gst_util_set_object_arg(G_OBJECT(chain.get()), "output", output);
    Picture p = frame_at(t);
    const auto mask = wanted.mask(p);
    const auto got = chain.process(p, t);
    const auto &background = wanted.reference().state().background;
    if (g_str_equal(output, "mask")) expect_mask(mask, got, t);
    if (g_str_equal(output, "passthrough")) fail_unless(got == p.bytes);
    for (std::size_t i = 0; i < mask.size() && g_str_equal(output, "cutout"); i++)
      fail_unless(std::equal(&got[4 * i], &got[4 * i + 3], &p.bytes[4 * i]) && got[4 * i + 3] == mask[i]);
    for (std::size_t i = 0; i < mask.size() && g_str_equal(output, "background"); i++)
      fail_unless(std::equal(&got[4 * i], &got[4 * i + 3], &background[3 * i]) && got[4 * i + 3] == 255);
    if (g_str_equal(output, "overlay")) { // except the boxes, which are green
      Picture overlay = p;
      compose::make_reference()->overlay(p.image(), {mask.data(), width, height, width}, {},
                                         {.tint = {{255, 48, 32}, 144}}, overlay.image(), *queue);
      for (std::size_t i = 0; i < mask.size(); i++)
        fail_unless(std::equal(&got[4 * i], &got[4 * i + 4], &overlay.bytes[4 * i]) ||
                    (got[4 * i] == 48 && got[4 * i + 1] == 255 && got[4 * i + 2] == 64));
    }
  }
}
GST_END_TEST

GST_START_TEST(blobs_become_metadata_and_messages) {
  for (const char *output : {"mask", "passthrough"}) {
    Chain chain(std::string("background-frames=5 motion-hold=100 output=") + output + " " +
                places[__i__ + 1]);
    for (int t = 0; t < 40; t++) {
      const Picture p = t < 10 || t >= 25 ? scene("RGBA", width, height, t)
                                          : scene("RGBA", width, height, t, {{40, 20, 32, 44}});
      fail_unless_equals_int(chain.push(p, t), GST_FLOW_OK);
      GstBuffer *b = chain.pull();
      auto *meta = gst_buffer_get_video_region_of_interest_meta(b);
      // what is gone is eroded from its edges, some pixels a frame
      if (t < 25 || t >= 28) fail_unless((meta != nullptr) == (t >= 10 && t < 25), "frame %d", t);
      if (meta && t < 25) {
        fail_unless(meta->roi_type == g_quark_from_string("motion"));
        fail_unless(std::abs(int(meta->x) - 40) <= 2 && std::abs(int(meta->y) - 20) <= 2 &&
                        std::abs(int(meta->w) - 32) <= 4 && std::abs(int(meta->h) - 44) <= 4,
                    "the box is %u,%u %ux%u", meta->x, meta->y, meta->w, meta->h);
      }
      gst_buffer_unref(b);
    }
    fail_unless((chain.events() == std::vector<std::string>{"motion-begin", "motion-end"}));
    fail_unless((chain.stat("bytes-results") > 0) == (__i__ == 0));
  }
  Chain quiet("background-frames=1 report=false background-frames=1");
  for (int t = 0; t < 4; t++) quiet.process(frame_at(t + 5), t);
  const auto measured = quiet.stat("bytes-results"); // to learn the noise
  for (int t = 4; t < 12; t++) quiet.process(frame_at(t + 5), t);
  fail_unless_equals_int64(gint64(quiet.stat("bytes-results")), gint64(measured));
  fail_unless(quiet.events().empty());
}
GST_END_TEST

// Two objects closer to each other than a cell of a coarse grid are two blobs, also where a pipeline of an
// earlier version says blobs=cells.
GST_START_TEST(near_objects_are_two_blobs) {
  Chain chain(std::string("background-frames=5 output=overlay ") + places[__i__]);
  for (int t = 0; t < 24; t++) {
    const bool cells = t % 2;
    gst_util_set_object_arg(G_OBJECT(chain.get()), "blobs", cells ? "cells" : "exact");
    const Picture p = t < 10 ? scene("RGBA", width, height, t)
                             : scene("RGBA", width, height, t, {{30, 20, 20, 44}, {56, 20, 20, 44}});
    fail_unless_equals_int(chain.push(p, t), GST_FLOW_OK);
    GstBuffer *b = chain.pull();
    int boxes = 0;
    gpointer state = nullptr;
    while (GstMeta *m =
               gst_buffer_iterate_meta_filtered(b, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE)) {
      boxes++;
      const auto *roi = reinterpret_cast<GstVideoRegionOfInterestMeta *>(m);
      const GstStructure *blob = gst_video_region_of_interest_meta_get_param(
          const_cast<GstVideoRegionOfInterestMeta *>(roi), "blob");
      double x = 0, colour = 0;
      fail_unless(gst_structure_get_double(blob, "x", &x));
      fail_unless(x > roi->x && x < roi->x + roi->w, "the centroid is at %g in %u..%u", x, roi->x,
                  roi->x + roi->w);
      // The frame's colours are where it is worked on: not on the host while it is a texture.
      fail_unless_equals_int(gst_structure_get_double(blob, "c0", &colour), __i__ == 2);
    }
    if (t >= 12) fail_unless_equals_int(boxes, 2);
    gst_buffer_unref(b);
  }
}
GST_END_TEST

// The mask as metadata is the reference's, whatever comes out.
GST_START_TEST(masks_are_attached) {
  Chain chain(std::string("background-frames=5 attach-mask=true ") + places[__i__]);
  Wanted wanted({});
  std::size_t foreground = 0;
  for (int t = 0; t < 16; t++) {
    const char *output = t % 2 ? "passthrough" : "overlay";
    gst_util_set_object_arg(G_OBJECT(chain.get()), "output", output);
    gst_util_set_object_arg(G_OBJECT(chain.get()), "report", t % 4 < 2 ? "true" : "false");
    const Picture p = frame_at(t);
    const auto mask = wanted.mask(p);
    foreground += ones(mask);
    fail_unless_equals_int(chain.push(p, t), GST_FLOW_OK);
    GstBuffer *b = chain.pull();
    expect_attached_mask(b, width, height, mask, 0, output);
    gst_buffer_unref(b);
  }
  fail_unless(foreground > 10000, "the reference finds nothing");
  fail_unless(chain.message(GST_MESSAGE_WARNING) == nullptr, "something was warned of");
}
GST_END_TEST

GST_START_TEST(motion_ends_with_the_stream) {
  Chain chain("background-frames=5");
  for (int t = 0; t < 12; t++) chain.process(frame_at(t), t);
  gst_message_unref(chain.message(GST_MESSAGE_ELEMENT)); // motion-begin
  gst_harness_push_event(chain.harness(), gst_event_new_eos());
  GstMessage *end = chain.message(GST_MESSAGE_ELEMENT);
  fail_unless(end && gst_message_has_name(end, "motion-end"));
  for (const char *field : {"timestamp", "stream-time", "running-time", "duration"}) {
    guint64 value = GST_CLOCK_TIME_NONE; // of the last frame
    fail_unless(gst_structure_get_uint64(gst_message_get_structure(end), field, &value));
    fail_unless_equals_uint64(value, GST_SECOND / 25 * (field == std::string("duration") ? 1 : 11));
  }
  gst_message_unref(end);
}
GST_END_TEST

// Frames without times last as long as the caps say.
GST_START_TEST(motion_ends_without_times) {
  Chain chain("background-frames=5 motion-hold=200");
  for (int t = 0; t < 40; t++) {
    const Picture p = t < 10 || t >= 20 ? scene("RGBA", width, height, t)
                                        : scene("RGBA", width, height, t, {{40, 20, 32, 44}});
    GstBuffer *b = p.buffer(t);
    GST_BUFFER_PTS(b) = GST_BUFFER_DURATION(b) = GST_CLOCK_TIME_NONE;
    fail_unless_equals_int(gst_harness_push(chain.harness(), b), GST_FLOW_OK);
    gst_buffer_unref(chain.pull());
  }
  fail_unless((chain.events() == std::vector<std::string>{"motion-begin", "motion-end"}));
}
GST_END_TEST

// Parameters may change between any two frames.
GST_START_TEST(parameters_are_live) {
  Chain chain(std::string("background-frames=2 seed=3 ") + places[__i__ + 1]);
  colinearseg::Reference reference({width, height}, 2);
  colinearseg::Params p;
  p.seed = 3;
  std::vector<std::uint8_t> mask(std::size_t(width) * height);
  for (int t = 0; t < 24; t++) {
    if (t == 8) {
      p = colinearseg::lab_preset();
      p.seed = 3;
      gst_util_set_object_arg(G_OBJECT(chain.get()), "preset", "lab");
    } else if (t > 8) {
      p.static_threshold = 500 + 300 * t;
      p.compactness = 40 * (t % 5);
      p.temporal_compactness = 30 * (t % 4);
      p.darkness_offset = 20000 * (t % 3);
      p.iterations = t % 9;
      p.adapt_rate = t % 2 ? 0.05f : 0.f;
      g_object_set(chain.get(), "static-threshold", p.static_threshold, "compactness", p.compactness,
                   "temporal-compactness", p.temporal_compactness, "darkness-offset", p.darkness_offset,
                   "iterations", p.iterations, "adapt-rate", double(p.adapt_rate), nullptr);
    }
    Picture f = frame_at(t);
    reference.segment(f.image(), p, {mask.data(), width, height, width});
    expect_mask(mask, chain.process(f, t), t);
  }
}
GST_END_TEST

GstSample *sample_of(const Picture &p, const char *format) {
  GstCaps *caps = gst_caps_from_string(
      caps_of(format, GST_VIDEO_INFO_WIDTH(&p.info), GST_VIDEO_INFO_HEIGHT(&p.info)).c_str());
  GstBuffer *buffer = p.buffer(0);
  GstSample *s = gst_sample_new(buffer, caps, nullptr, nullptr);
  gst_buffer_unref(buffer);
  gst_caps_unref(caps);
  return s;
}

GST_START_TEST(backgrounds_are_set_and_learnt_by_signal) {
  Chain chain(std::string("background-frames=5 ") + places[__i__ + 1]);
  Wanted wanted({});
  const auto both = [&](int t) {
    const Picture p = frame_at(t);
    expect_mask(wanted.mask(p), chain.process(p, t), t);
  };
  for (int t = 0; t < 8; t++) both(t);
  Picture given = scene("RGBA", width, height, 100, {{60, 30, 20, 20}});
  GstSample *sample = sample_of(given, "RGBA");
  gboolean done = FALSE;
  g_signal_emit_by_name(chain.get(), "set-background", sample, &done);
  gst_sample_unref(sample);
  fail_unless(done);
  wanted.reference().set_background(given.image(), 5);
  for (int t = 8; t < 14; t++) both(t);
  g_signal_emit_by_name(chain.get(), "learn-background");
  wanted.reference() = colinearseg::Reference({width, height}, 5);
  for (int t = 14; t < 24; t++) both(t);

  // one of another size, and none: warnings, and the background stays
  for (const char *part : {"20x10", "no raw video"}) {
    sample = part[0] == '2' ? sample_of(Picture("RGBA", 20, 10), "RGBA")
                            : gst_sample_new(nullptr, nullptr, nullptr, nullptr);
    done = TRUE;
    g_signal_emit_by_name(chain.get(), "set-background", sample, &done);
    gst_sample_unref(sample);
    fail_if(done);
    const std::string words =
        chain.problem(GST_MESSAGE_WARNING, GST_STREAM_ERROR, GST_STREAM_ERROR_WRONG_TYPE);
    fail_unless(words.find(part) != std::string::npos, "%s", words.c_str());
  }
  for (int t = 24; t < 28; t++) both(t);

  // also one of an interlaced camera
  sample = sample_of(given, "RGBA");
  GstCaps *caps = gst_caps_copy(gst_sample_get_caps(sample));
  gst_caps_set_simple(caps, "interlace-mode", G_TYPE_STRING, "interleaved", nullptr);
  GstSample *interlaced = gst_sample_new(gst_sample_get_buffer(sample), caps, nullptr, nullptr);
  done = FALSE;
  g_signal_emit_by_name(chain.get(), "set-background", interlaced, &done);
  for (GstSample *s : {sample, interlaced}) gst_sample_unref(s);
  gst_caps_unref(caps);
  fail_unless(done);
  wanted.reference().set_background(given.image(), 5);
  for (int t = 28; t < 32; t++) both(t);

  // any raw format will do
  sample = sample_of(Picture("I420", width, height), "I420");
  g_signal_emit_by_name(chain.get(), "set-background", sample, &done);
  gst_sample_unref(sample);
  fail_unless(done);
  chain.process(frame_at(1), 32);
}
GST_END_TEST

GST_START_TEST(a_background_image_is_loaded) {
  const Folder folder;
  std::vector<std::uint8_t> grey(std::size_t(width) * height, 90);
  write_png(folder / "good.png", width, height, grey);
  write_png(folder / "small.png", 20, 10, std::vector<std::uint8_t>(200));
  write_bytes(folder / "bad.png", {1, 2, 3});
  Picture background("RGBA", width, height);
  std::fill(background.bytes.begin(), background.bytes.end(), std::uint8_t(90));
  {
    Chain chain("background-frames=5 background-location=" + folder / "good.png");
    Wanted wanted({});
    wanted.reference().set_background(background.image(), 5);
    for (int t = 0; t < 8; t++) {
      const Picture p = frame_at(t);
      expect_mask(wanted.mask(p), chain.process(p, t), t);
    }
    // a change to a file that cannot be used is a warning while it runs
    g_object_set(chain.get(), "background-location", (folder / "small.png").c_str(), nullptr);
    const Picture p = frame_at(9);
    expect_mask(wanted.mask(p), chain.process(p, 9), 9);
    const std::string words =
        chain.problem(GST_MESSAGE_WARNING, GST_STREAM_ERROR, GST_STREAM_ERROR_WRONG_TYPE);
    fail_unless(words.find("20x10") != std::string::npos, "%s", words.c_str());
  }
  const struct {
    const char *name, *part;
    GQuark domain;
    int code;
  } bad[] = {{"small.png", "150x94", GST_STREAM_ERROR, GST_STREAM_ERROR_WRONG_TYPE},
             {"bad.png", "bad.png", GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_OPEN_READ},
             {"none.png", "none.png", GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_OPEN_READ}};
  for (const auto &b : bad) {
    Chain chain("background-location=" + folder / b.name);
    fail_unless_equals_int(chain.push(frame_at(0), 0), GST_FLOW_ERROR);
    const std::string words = chain.problem(GST_MESSAGE_ERROR, b.domain, b.code);
    fail_unless(words.find(b.part) != std::string::npos, "%s", words.c_str());
  }
}
GST_END_TEST

// Upstream's pool gets its textures back, though their buffers went through with metadata on them.
GST_START_TEST(passthrough_keeps_the_pool) {
  GError *error = nullptr;
  GstElement *pipeline = gst_parse_launch(
      "gltestsrc pattern=snow num-buffers=40 ! video/x-raw(memory:GLMemory),format=RGBA,width=64,height=48 ! "
      "glcolinearseg backend=opengl output=passthrough background-frames=2 min-area=1 ! "
      "fakesink name=s signal-handoffs=true sync=false",
      &error);
  fail_unless(pipeline && !error, "%s", error ? error->message : "");
  struct Seen {
    int frames = 0, textures = 0, with_boxes = 0;
  } seen;
  GstElement *sink = gst_bin_get_by_name(GST_BIN(pipeline), "s");
  g_signal_connect(sink, "handoff", G_CALLBACK(+[](GstElement *, GstBuffer *b, GstPad *, Seen *s) {
                     static const GQuark quark = g_quark_from_static_string("seen");
                     GstMiniObject *memory = GST_MINI_OBJECT_CAST(gst_buffer_peek_memory(b, 0));
                     s->frames++;
                     s->textures += !gst_mini_object_get_qdata(memory, quark);
                     s->with_boxes += gst_buffer_get_video_region_of_interest_meta_id(b, 0) != nullptr;
                     gst_mini_object_set_qdata(memory, quark, s, nullptr);
                   }),
                   &seen);
  play_to_the_end(pipeline);
  gst_object_unref(sink);
  gst_object_unref(pipeline);
  fail_unless_equals_int(seen.frames, 40);
  fail_unless(seen.with_boxes > 30, "%d frames with boxes: nothing is tested", seen.with_boxes);
  fail_unless(seen.textures <= 8, "%d textures for 40 frames", seen.textures);
}
GST_END_TEST

// The place and the device that frames in system memory were worked on, when nothing but `settings` is set.
std::pair<std::string, std::string> place_of(const std::string &settings) {
  Harness e("glcolinearseg background-frames=1 " + settings);
  e.caps(caps_of("RGBA", width, height));
  fail_unless_equals_int(e.push(frame_at(0), 0), GST_FLOW_OK);
  GstStructure *s = nullptr;
  g_object_get(e.get(), "stats", &s, nullptr);
  const std::pair<std::string, std::string> found{gst_structure_get_string(s, "backend"),
                                                  gst_structure_get_string(s, "device")};
  gst_structure_free(s);
  return found;
}

GST_START_TEST(by_itself_it_works_in_opengl_only_where_that_is_on_a_gpu) {
  const auto [backend, renderer] = place_of("backend=opengl");
  fail_unless_equals_string(backend.c_str(), "opengl");
  const bool software = renderer.find("llvmpipe") != std::string::npos;
  const std::string chosen = place_of("").first, cpu = place_of("backend=cpu").first;
  fail_unless_equals_string(chosen.c_str(), software ? "cpu" : "opengl");
  fail_unless_equals_string(cpu.c_str(), "cpu");
}
GST_END_TEST

Suite *suite() {
  Suite *s = suite_create("glcolinearseg");
  TCase *c = tcase_create("general");
  tcase_set_timeout(c, 180);
  suite_add_tcase(s, c);
  tcase_add_loop_test(c, masks_equal_the_reference, 0, 3);
  tcase_add_loop_test(c, every_output_is_what_it_says, 0, 2);
  tcase_add_loop_test(c, blobs_become_metadata_and_messages, 0, 2);
  tcase_add_loop_test(c, near_objects_are_two_blobs, 0, 3);
  tcase_add_loop_test(c, masks_are_attached, 0, 3);
  tcase_add_test(c, motion_ends_with_the_stream);
  tcase_add_test(c, motion_ends_without_times);
  tcase_add_loop_test(c, parameters_are_live, 0, 2);
  tcase_add_loop_test(c, backgrounds_are_set_and_learnt_by_signal, 0, 2);
  tcase_add_test(c, exposure_and_white_balance_are_undone);
  tcase_add_loop_test(c, exposure_is_undone_in_opengl_as_on_the_cpu, 0, 2);
  tcase_add_test(c, a_background_image_is_loaded);
  tcase_add_test(c, passthrough_keeps_the_pool);
  tcase_add_test(c, by_itself_it_works_in_opengl_only_where_that_is_on_a_gpu);
  return s;
}

} // namespace
} // namespace vigil::test

int main(int argc, char **argv) {
  return vigil::test::run(vigil::test::suite(), argc, argv);
}
