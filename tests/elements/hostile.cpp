// SPDX-License-Identifier: LGPL-2.1-or-later
// Every element between neighbours that do what they should not, or what is allowed but rare: frames without
// caps, empty or too small ones, metadata that lies, caps that change, memory that is shared or read-only,
// pools of one buffer, events in odd orders, states that change in the middle. Nothing of it crashes, hangs,
// or loses the element: it refuses a frame with an error that says why, and takes the next good one. Run it
// under AddressSanitizer as well (./run sanitize).
#include "tests/elements/hostile.h"

#include <atomic>
#include <gst/base/gstbasetransform.h>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

using namespace vigil;
using namespace vigil::test;

namespace {

// The frame is not taken, and an error on the bus says why.
void refuses(Harness &e, GstBuffer *frame, const char *what) {
  forget_messages(e);
  const GstFlowReturn flow = e.push(frame);
  fail_unless(flow < GST_FLOW_OK, "%s: %s was taken", name_of(e).c_str(), what);
  GstMessage *m = e.message(GST_MESSAGE_ERROR);
  fail_unless(m, "%s: %s: no error was posted", name_of(e).c_str(), what);
  GError *error = nullptr;
  gst_message_parse_error(m, &error, nullptr);
  fail_unless(std::string(error->message).size() > 10, "%s", error->message);
  g_error_free(error);
  gst_message_unref(m);
}

GstBuffer *of_bytes(gsize size) {
  GstBuffer *b = gst_buffer_new_allocate(nullptr, size, nullptr);
  gst_buffer_memset(b, 0, 0x55, size);
  GST_BUFFER_PTS(b) = 0;
  return b;
}

// RGBA with a GstVideoMeta of its own, in memory of `size` bytes.
GstBuffer *claiming(int w, int h, gint stride, gsize offset, gsize size) {
  GstBuffer *b = of_bytes(size);
  gsize offsets[GST_VIDEO_MAX_PLANES] = {offset};
  gint strides[GST_VIDEO_MAX_PLANES] = {stride};
  gst_buffer_add_video_meta_full(b, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_FORMAT_RGBA, guint(w), guint(h), 1,
                                 offsets, strides);
  return b;
}

} // namespace

GST_START_TEST(frames_without_caps) {
  on_every(
      [](Harness &e) {
        gst_harness_play(e.harness());
        push_event(e, gst_event_new_stream_start("hostile"));
        push_event(e, time_segment());
        if (takes_anything(e)) return;
        for (const gsize size : {100, 0}) // the element, or the source before it, tells
          fail_unless(e.push(of_bytes(size)) == GST_FLOW_NOT_NEGOTIATED, "%s takes a frame without caps",
                      name_of(e).c_str());
      },
      false);
}
GST_END_TEST

GST_START_TEST(frames_that_are_too_small) {
  on_every([](Harness &e) {
    if (!looks(e)) return;
    const gsize whole = scene(format, width, height, 0).bytes.size();
    for (const gsize size : {gsize(0), gsize(1), gsize(100), whole / 2, whole - 1})
      refuses(e, of_bytes(size), (std::to_string(size) + " bytes").c_str());
    still_works(e);
  });
}
GST_END_TEST

GST_START_TEST(metadata_that_lies) {
  on_every([](Harness &e) {
    if (!looks(e)) return;
    const gsize row = 4 * width, whole = row * height;
    refuses(e, claiming(33, 47, 4 * 33, 0, whole), "a smaller frame");
    refuses(e, claiming(200, 200, 800, 0, 200 * 800), "a larger frame");
    refuses(e, claiming(width, height, row, whole, whole + 16),
            "a frame that begins at the end of its memory");
    refuses(e, claiming(width, height, 4 * row, 0, whole),
            "rows that are farther apart than there is memory");
    refuses(e, claiming(width, height, 1 << 30, 0, whole), "rows a gigabyte apart");
    still_works(e);
  });
}
GST_END_TEST

GST_START_TEST(frames_that_nobody_may_write) {
  on_every([](Harness &e) {
    const Picture p = scene(format, width, height, 1);
    std::vector<std::uint8_t> bytes = p.bytes;
    for (int n = 0; n < 4; n++) {
      GstBuffer *b = gst_buffer_new_wrapped_full(GST_MEMORY_FLAG_READONLY, bytes.data(), bytes.size(), 0,
                                                 bytes.size(), nullptr, nullptr);
      GST_BUFFER_PTS(b) = GstClockTime(n) * GST_SECOND / 25;
      const GstFlowReturn flow = e.push(b);
      fail_unless(flow == GST_FLOW_OK, "%s: read-only memory: %s", name_of(e).c_str(),
                  gst_flow_get_name(flow));
    }
    push_event(e, gst_event_new_flush_start());
    push_event(e, gst_event_new_flush_stop(TRUE));
    push_event(e, time_segment());
    fail_unless(bytes == p.bytes, "%s wrote into memory that is read-only", name_of(e).c_str());
    drop_output(e);

    // Two frames of one memory, and one that somebody else still looks at.
    GstBuffer *kept = p.buffer(10);
    fail_unless_equals_int(e.push(gst_buffer_copy(kept)), GST_FLOW_OK);
    fail_unless_equals_int(e.push(gst_buffer_copy(kept)), GST_FLOW_OK);
    fail_unless_equals_int(e.push(gst_buffer_ref(kept)), GST_FLOW_OK);
    still_works(e);
    fail_unless(gst_buffer_memcmp(kept, 0, p.bytes.data(), p.bytes.size()) == 0,
                "%s changed a frame that others have", name_of(e).c_str());
    gst_buffer_unref(kept);
  });
}
GST_END_TEST

GST_START_TEST(caps_that_change_on_the_way) {
  on_every([](Harness &e) {
    int number = 0;
    for (const auto &[f, w, h] : {std::tuple{"RGBA", 64, 48},
                                  {"BGRx", 64, 48},
                                  {"RGBx", 33, 47},
                                  {"BGRA", 320, 16},
                                  {"RGBA", 1, 1},
                                  {"RGBA", 2, 2},
                                  {"BGRA", 96, 72}}) {
      e.caps(caps_of(f, w, h));
      for (int i = 0; i < 2; i++, number++) {
        const GstFlowReturn flow = e.push(scene(f, w, h, number), number);
        // gpufisher has no room for a descriptor in the smallest
        fail_unless(flow == GST_FLOW_OK || w < 40, "%s: %s %dx%d: %s", name_of(e).c_str(), f, w, h,
                    gst_flow_get_name(flow));
      }
      drop_output(e);
    }
    e.caps(caps_of(format, width, height));
    still_works(e);
  });
}
GST_END_TEST

// What no element takes is refused, and what was there before goes on.
GST_START_TEST(caps_that_are_none) {
  on_every([](Harness &e) {
    still_works(e);
    for (const char *caps :
         {"audio/x-raw, rate=44100", "video/x-raw, format=RGBA, width=0, height=4, framerate=25/1",
          "video/x-raw, format=RGBA, width=2147483647, height=1, framerate=25/1",
          "video/x-raw, format=RGBA, width=2147483647, height=2147483647, framerate=25/1",
          "video/x-raw, format=RGBA, width=40000, height=40000, framerate=25/1",
          "video/x-raw, format=RGBA, width=96, height=72, framerate=25/1, interlace-mode=interleaved",
          "video/x-h264, width=96, height=72"}) {
      fail_if(takes_caps(e, caps) != takes_anything(e), "%s and %s", name_of(e).c_str(), caps);
      e.push(of_bytes(100)); // whatever becomes of it
      drop_output(e);
    }
    e.caps(caps_of(format, width, height));
    still_works(e);
  });
}
GST_END_TEST

GST_START_TEST(interlaced_frames_are_refused_with_the_remedy) {
  on_every([](Harness &e) {
    if (takes_anything(e)) return;
    for (const char *mode : {"interleaved", "mixed", "fields", "alternate"}) {
      const bool field =
          g_str_equal(mode, "alternate"); // in each buffer, which is refused as another memory is
      const std::string caps =
          caps_of(format, width, height, field ? "(format:Interlaced)" : "") + ", interlace-mode=" + mode;
      fail_if(takes_caps(e, caps), "%s takes %s", name_of(e).c_str(), caps.c_str());
      const std::string said = field ? e.error(GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION)
                                     : e.error(GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_SETTINGS);
      fail_unless(said.find("deinterlace") != said.npos, "%s, %s: %s", name_of(e).c_str(), mode,
                  said.c_str());
    }
  });
}
GST_END_TEST

// GStreamer refuses caps outside of a pad's template before the element sees them.
GST_START_TEST(refused_caps_name_the_remedy) {
  on_every(
      [](Harness &e) {
        if (!g_type_is_a(G_OBJECT_TYPE(e.get()), g_type_from_name("VigilTransform"))) return;
        gst_harness_play(e.harness());
        const std::string rest = ", width=96, height=72, framerate=25/1";
        for (int stream = 0; stream < 2; stream++) // it is reported again in each
          for (const auto &[caps, element] :
               {std::pair{"video/x-raw, format=v210" + rest, "videoconvert"},
                std::pair{"video/x-raw(memory:VAMemory), format=NV12" + rest, "vapostproc"},
                std::pair{"video/x-h264" + rest, "decodebin"}}) {
            push_event(e, gst_event_new_stream_start(caps.c_str()));
            fail_if(takes_caps(e, caps), "%s takes %s", name_of(e).c_str(), caps.c_str());
            const std::string said = e.error(GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION);
            fail_unless(said.find(element) != said.npos, "%s, %s: %s", name_of(e).c_str(), caps.c_str(),
                        said.c_str());
            fail_if(takes_caps(e, caps));
            e.no_error(); // the same caps again
          }
        begin_stream(e);
        still_works(e);
      },
      false);
}
GST_END_TEST

GST_START_TEST(a_pool_of_one_buffer) {
  on_every([](Harness &e) {
    gint depth = 0, group = 1;
    if (g_object_class_find_property(G_OBJECT_GET_CLASS(e.get()), "async-depth"))
      g_object_get(e.get(), "async-depth", &depth, nullptr);
    if (g_object_class_find_property(G_OBJECT_GET_CLASS(e.get()), "group-size"))
      g_object_get(e.get(), "group-size", &group, nullptr);
    if (depth > 0 || group > 1) return; // these say that they hold more
    GstBufferPool *pool = gst_video_buffer_pool_new();
    GstStructure *config = gst_buffer_pool_get_config(pool);
    GstCaps *caps = gst_caps_from_string(caps_of(format, width, height).c_str());
    // GStreamer's upload to OpenGL keeps the frame that it took last.
    const guint most = g_str_has_prefix(name_of(e).c_str(), "glcolinearseg") ? 2 : 1;
    gst_buffer_pool_config_set_params(config, caps, 4 * width * height, 1, most);
    gst_caps_unref(caps);
    fail_unless(gst_buffer_pool_set_config(pool, config) && gst_buffer_pool_set_active(pool, TRUE));
    for (int n = 0; n < 5; n++) {
      GstBufferPoolAcquireParams params{};
      params.flags = GST_BUFFER_POOL_ACQUIRE_FLAG_DONTWAIT;
      GstBuffer *b = nullptr;
      fail_unless(gst_buffer_pool_acquire_buffer(pool, &b, &params) == GST_FLOW_OK,
                  "%s still holds a frame that came out", name_of(e).c_str());
      GST_BUFFER_PTS(b) = GstClockTime(n) * GST_SECOND / 25;
      fail_unless_equals_int(e.push(b), GST_FLOW_OK);
      drop_output(e);
    }
    gst_buffer_pool_set_active(pool, FALSE);
    gst_object_unref(pool);
  });
}
GST_END_TEST

// No lock is held while a buffer goes: who hears of that may call the element.
GST_START_TEST(buffers_that_call_back_when_they_go) {
  on_every([](Harness &e) {
    struct Heard {
      Harness &e;
      int times = 0;
    } heard{e};
    const auto call = [](gpointer data, GstMiniObject *) {
      auto *h = static_cast<Heard *>(data);
      GstElement *element = h->e.get();
      for (const char *signal : {"reset", "learn-background"})
        if (g_signal_lookup(signal, G_OBJECT_TYPE(element))) g_signal_emit_by_name(element, signal);
      if (g_object_class_find_property(G_OBJECT_GET_CLASS(element), "stats")) h->e.stat("frames");
      h->times++;
    };
    int pushed = 0;
    const auto push = [&](int n) {
      GstBuffer *b = scene(format, width, height, n).buffer(n);
      gst_mini_object_weak_ref(GST_MINI_OBJECT_CAST(b), call, &heard);
      pushed++;
      return e.push(b);
    };
    for (int n = 0; n < 5; n++) fail_unless_equals_int(push(n), GST_FLOW_OK);
    push_event(e, gst_event_new_flush_start()); // what is held goes
    push_event(e, gst_event_new_flush_stop(TRUE));
    push_event(e, time_segment());
    for (int n = 5; n < 8; n++) fail_unless_equals_int(push(n), GST_FLOW_OK);
    still_works(e);
    fail_unless_equals_int(heard.times, pushed);
  });
}
GST_END_TEST

GST_START_TEST(events_in_odd_orders) {
  on_every(
      [](Harness &e) {
        gst_harness_play(e.harness());
        push_event(e, gst_event_new_flush_stop(FALSE));
        push_event(e, gst_event_new_eos());
        push_event(e, gst_event_new_gap(0, GST_SECOND));
        push_event(e, gst_event_new_flush_start());
        push_event(e, gst_event_new_flush_stop(TRUE));
        push_event(e, gst_event_new_stream_start("one"));
        push_event(e, gst_event_new_stream_start("two"));
        for (GstQuery *q :
             {gst_query_new_drain(), gst_query_new_allocation(nullptr, TRUE),
              gst_query_new_context("gst.gl.GLDisplay"), gst_query_new_context("nobody.knows")}) {
          gst_pad_peer_query(e.harness()->srcpad, q);
          gst_query_unref(q);
        }
        for (GstQuery *q :
             {gst_query_new_latency(), gst_query_new_position(GST_FORMAT_TIME),
              gst_query_new_duration(GST_FORMAT_BYTES), gst_query_new_context("nobody.knows")}) {
          gst_pad_peer_query(e.harness()->sinkpad, q);
          gst_query_unref(q);
        }
        GstContext *context = gst_context_new("nobody.knows.this", TRUE);
        gst_element_set_context(e.get(), context);
        gst_context_unref(context);
        begin_stream(e);
        still_works(e);
        push_event(e, gst_event_new_gap(0, GST_SECOND));
        push_event(e, gst_event_new_custom(GST_EVENT_CUSTOM_DOWNSTREAM, gst_structure_new_empty("odd")));
        push_event(e, gst_event_new_custom(GST_EVENT_CUSTOM_BOTH_OOB, gst_structure_new_empty("odder")));
        push_event(e, gst_event_new_tag(gst_tag_list_new_empty()));
        for (GstEvent *up :
             {gst_event_new_reconfigure(), gst_event_new_qos(GST_QOS_TYPE_UNDERFLOW, 1., 0, 0),
              gst_event_new_latency(GST_SECOND), gst_event_new_navigation(gst_structure_new_empty("n"))})
          gst_pad_push_event(e.harness()->sinkpad, up);
        still_works(e, 200);
        GstSegment bytes;
        gst_segment_init(&bytes, GST_FORMAT_BYTES);
        push_event(e, gst_event_new_segment(&bytes));
        e.push(scene(format, width, height, 0), 0);
        push_event(e, gst_event_new_flush_start());
        e.push(scene(format, width, height, 0), 0);
        push_event(e, gst_event_new_flush_start());
        push_event(e, gst_event_new_flush_stop(TRUE));
        push_event(e, gst_event_new_flush_stop(TRUE));
        push_event(e, time_segment());
        still_works(e, 300);
        push_event(e, gst_event_new_eos());
        push_event(e, gst_event_new_eos());
        fail_unless(e.push(scene(format, width, height, 0), 0) == GST_FLOW_EOS,
                    "a frame after the end was taken");
        begin_stream(e);
        still_works(e, 400);
      },
      false);
}
GST_END_TEST

// Frames without times, out of order, of no duration.
GST_START_TEST(times_that_make_no_sense) {
  on_every([](Harness &e) {
    const GstClockTime times[] = {GST_CLOCK_TIME_NONE, 5 * GST_SECOND, 0,          GST_CLOCK_TIME_NONE - 1,
                                  5 * GST_SECOND,      5 * GST_SECOND, G_MAXINT64, GST_CLOCK_TIME_NONE};
    for (const GstClockTime t : times) {
      GstBuffer *b = scene(format, width, height, 1).buffer(0);
      GST_BUFFER_PTS(b) = t;
      GST_BUFFER_DURATION(b) = t % 2 ? 0 : GST_CLOCK_TIME_NONE;
      GST_BUFFER_FLAG_SET(b, GST_BUFFER_FLAG_DISCONT);
      fail_unless_equals_int(e.push(b), GST_FLOW_OK);
    }
    drop_output(e);
    still_works(e);
  });
}
GST_END_TEST

namespace {

// What GstBaseTransform does when the sink pad is made active, and how a test puts it off.
GstPadActivateModeFunction activate;
std::atomic<bool> starting, pushed;
gboolean activate_late(GstPad *pad, GstObject *parent, GstPadMode mode, gboolean active) {
  if (active) {
    starting = true;
    for (int ms = 0; ms < 30 && !pushed; ms++) g_usleep(1000);
  }
  return activate(pad, parent, mode, active);
}

} // namespace

// The sink pad takes frames before the element has started; these and the events before them wait.
GST_START_TEST(frames_that_come_while_it_starts) {
  on_every([](Harness &e) {
    gst_element_set_state(e.get(), GST_STATE_READY);
    GstPad *sink = GST_BASE_TRANSFORM_SINK_PAD(e.get());
    activate = GST_PAD_ACTIVATEMODEFUNC(sink);
    gst_pad_set_activatemode_function(sink, activate_late);
    starting = pushed = false;
    GstFlowReturn flow = GST_FLOW_OK;
    std::thread pusher([&] {
      while (!starting) g_usleep(100);
      begin_stream(e);
      for (int i = 0; i < 3 && flow == GST_FLOW_OK; i++) flow = e.push(scene(format, width, height, i), i);
      pushed = true;
    });
    gst_element_set_state(e.get(), GST_STATE_PLAYING);
    pusher.join();
    fail_unless(flow == GST_FLOW_OK, "%s: %s", name_of(e).c_str(), gst_flow_get_name(flow));
    fail_unless(GST_BASE_TRANSFORM(e.get())->segment.format == GST_FORMAT_TIME,
                "%s forgot the segment of its stream", name_of(e).c_str());
    still_works(e);
  });
}
GST_END_TEST

GST_START_TEST(states_that_change_in_the_middle) {
  // A pad that is made inactive forgets stream-start and caps. GStreamer warns of the pusher, which comes in
  // between.
  gst_check_add_log_filter("GStreamer", G_LOG_LEVEL_WARNING,
                           g_regex_new("misordering|before (stream-start|segment)", {}, {}, nullptr), nullptr,
                           nullptr, nullptr);
  on_every([](Harness &e) {
    for (const GstState low : {GST_STATE_PAUSED, GST_STATE_READY, GST_STATE_NULL}) {
      // Another thread pushes on all the time.
      std::atomic<bool> over = false;
      std::thread pusher([&] {
        while (!over) {
          begin_stream(e);
          for (int i = 0; i < 4; i++) e.push(scene(format, width, height, i), i);
          drop_output(e);
        }
      });
      for (int i = 0; i < 2; i++) {
        g_usleep(3000);
        gst_element_set_state(e.get(), low);
        gst_element_set_state(e.get(), GST_STATE_PLAYING);
      }
      over = true;
      pusher.join();
      gst_element_set_state(e.get(), GST_STATE_PLAYING);
      push_event(e, gst_event_new_flush_start());
      push_event(e, gst_event_new_flush_stop(TRUE));
      begin_stream(e);
      still_works(e);
    }
  });
}
GST_END_TEST

int main(int argc, char **argv) {
  Suite *suite = suite_create("hostile");
  TCase *tests = tcase_create("neighbours");
  tcase_set_timeout(tests, 300); // the first of them compiles OpenCL's kernels
  suite_add_tcase(suite, tests);
  tcase_add_test(tests, frames_without_caps);
  tcase_add_test(tests, frames_that_are_too_small);
  tcase_add_test(tests, metadata_that_lies);
  tcase_add_test(tests, frames_that_nobody_may_write);
  tcase_add_test(tests, caps_that_change_on_the_way);
  tcase_add_test(tests, caps_that_are_none);
  tcase_add_test(tests, interlaced_frames_are_refused_with_the_remedy);
  tcase_add_test(tests, refused_caps_name_the_remedy);
  tcase_add_test(tests, a_pool_of_one_buffer);
  tcase_add_test(tests, buffers_that_call_back_when_they_go);
  tcase_add_test(tests, events_in_odd_orders);
  tcase_add_test(tests, times_that_make_no_sense);
  tcase_add_test(tests, frames_that_come_while_it_starts);
  tcase_add_test(tests, states_that_change_in_the_middle);
  return run(suite, argc, argv);
}
