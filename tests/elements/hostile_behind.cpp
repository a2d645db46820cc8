// SPDX-License-Identifier: LGPL-2.1-or-later
// Every element before a neighbour that does what it should not, or what is allowed but rare: it answers
// allocation queries with nonsense or not at all, wants everything negotiated again with each frame, refuses
// frames at odd times, keeps them waiting, and calls the element back whenever it is called. Run it under
// AddressSanitizer as well (./run sanitize).
#include "tests/elements/hostile.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <thread>

using namespace vigil;
using namespace vigil::test;

namespace {

// Takes the place of what a harness has behind the element. It stands in the sink pad's functions, and goes
// before the harness does.
class Neighbour {
 public:
  using Answer = std::function<bool(GstQuery *)>;         // of an allocation query
  using Take = std::function<GstFlowReturn(GstBuffer *)>; // of a frame, which stays the neighbour's

  explicit Neighbour(Harness &e)
      : pad_(e.harness()->sinkpad), chain_(GST_PAD_CHAINFUNC(pad_)), query_(GST_PAD_QUERYFUNC(pad_)) {
    g_object_set_data(G_OBJECT(pad_), "neighbour", this);
    gst_pad_set_chain_function(pad_, chain);
    gst_pad_set_query_function(pad_, query);
  }
  ~Neighbour() {
    gst_pad_set_chain_function(pad_, chain_);
    gst_pad_set_query_function(pad_, query_);
  }
  Neighbour(const Neighbour &) = delete;
  Neighbour &operator=(const Neighbour &) = delete;

  Answer answer;
  Take take;
  std::atomic<int> frames = 0, queries = 0;

 private:
  static Neighbour &of(GstPad *pad) {
    return *static_cast<Neighbour *>(g_object_get_data(G_OBJECT(pad), "neighbour"));
  }
  static GstFlowReturn chain(GstPad *pad, GstObject *, GstBuffer *b) {
    Neighbour &self = of(pad);
    self.frames++;
    const GstFlowReturn flow = self.take ? self.take(b) : GST_FLOW_OK;
    gst_buffer_unref(b);
    return flow;
  }
  static gboolean query(GstPad *pad, GstObject *parent, GstQuery *q) {
    Neighbour &self = of(pad);
    if (GST_QUERY_TYPE(q) != GST_QUERY_ALLOCATION || !self.answer) return self.query_(pad, parent, q);
    self.queries++;
    return self.answer(q);
  }

  GstPad *pad_;
  GstPadChainFunction chain_;
  GstPadQueryFunction query_;
};

void drain(Harness &e) {
  GstQuery *query = gst_query_new_drain();
  gst_pad_peer_query(e.harness()->srcpad, query);
  gst_query_unref(query);
}
void negotiate_again(Harness &e) {
  gst_pad_push_event(e.harness()->sinkpad, gst_event_new_reconfigure());
}
GstFlowReturn push_frame(Harness &e, int n) {
  return e.push(scene(format, width, height, n), n);
}
void flush(Harness &e) {
  push_event(e, gst_event_new_flush_start());
  push_event(e, gst_event_new_flush_stop(TRUE));
  push_event(e, time_segment());
}

GstBufferPool *pool_of(const char *caps_text, guint size, guint min, guint max) {
  GstBufferPool *pool = gst_buffer_pool_new();
  GstStructure *config = gst_buffer_pool_get_config(pool);
  GstCaps *caps = gst_caps_from_string(caps_text);
  gst_buffer_pool_config_set_params(config, caps, size, min, max);
  gst_caps_unref(caps);
  fail_unless(gst_buffer_pool_set_config(pool, config));
  return pool;
}
bool offer(GstQuery *query, GstBufferPool *pool, guint size, guint min, guint max) {
  gst_query_add_allocation_pool(query, pool, size, min, max);
  if (pool) gst_object_unref(pool);
  return true;
}

// Answers to allocation queries.
struct Answers {
  const char *what;
  Neighbour::Answer answer;
};
const std::vector<Answers> &answers() {
  static const std::string good = caps_of(format, width, height), other = caps_of(format, 16, 16);
  static const std::vector<Answers> all = {
      {"refuses", [](GstQuery *) { return false; }},
      {"says nothing", [](GstQuery *) { return true; }},
      {"has no pool, and buffers of no size", [](GstQuery *q) { return offer(q, nullptr, 0, 0, 0); }},
      {"wants buffers of one byte", [](GstQuery *q) { return offer(q, nullptr, 1, 0, 0); }},
      {"has a pool of one buffer",
       [](GstQuery *q) {
         return offer(q, pool_of(good.c_str(), 4 * width * height, 0, 1), 4 * width * height, 0, 1);
       }},
      {"has a pool whose buffers are too small",
       [](GstQuery *q) { return offer(q, pool_of(good.c_str(), 16, 0, 0), 16, 0, 0); }},
      {"has a pool for other caps",
       [](GstQuery *q) { return offer(q, pool_of(other.c_str(), 4 * 16 * 16, 0, 0), 4 * 16 * 16, 0, 0); }},
      {"wants a hundred buffers", [](GstQuery *q) { return offer(q, nullptr, 4 * width * height, 100, 0); }},
      {"wants more buffers than there may be",
       [](GstQuery *q) { return offer(q, nullptr, 4 * width * height, 9, 3); }},
      {"wants odd memory",
       [](GstQuery *q) {
         GstAllocationParams params;
         gst_allocation_params_init(&params);
         params.align = 4095;
         params.prefix = 17;
         params.padding = 33;
         gst_query_add_allocation_param(q, nullptr, &params);
         return true;
       }},
      {"takes all metadata there is",
       [](GstQuery *q) {
         for (const GType api : {GST_VIDEO_META_API_TYPE, GST_VIDEO_CROP_META_API_TYPE,
                                 GST_VIDEO_OVERLAY_COMPOSITION_META_API_TYPE})
           gst_query_add_allocation_meta(q, api, nullptr);
         return true;
       }},
      {"offers many pools",
       [](GstQuery *q) {
         for (guint i = 0; i < 5; i++)
           offer(q, pool_of(good.c_str(), 4 * width * height, i, 0), 4 * width * height, i, 0);
         return true;
       }},
  };
  return all;
}

} // namespace

GST_START_TEST(answers_to_allocation_queries) {
  on_every([](Harness &e) {
    Neighbour next(e);
    int number = 0;
    for (const Answers &a : answers()) {
      // GStreamer's own filter for OpenGL takes these numbers to its pool as they are, with a critical
      // warning.
      if (!std::strcmp(a.what, "wants more buffers than there may be") &&
          !g_type_is_a(G_OBJECT_TYPE(e.get()), g_type_from_name("VigilTransform")))
        continue;
      next.answer = a.answer;
      negotiate_again(e);
      next.frames = 0;
      for (int i = 0; i < 4; i++, number++) {
        const GstFlowReturn flow = push_frame(e, number);
        fail_unless(flow == GST_FLOW_OK, "%s, next to one that %s: %s", name_of(e).c_str(), a.what,
                    gst_flow_get_name(flow));
      }
      drain(e);
      fail_unless(next.frames >= 4, "%s, next to one that %s: %d of 4 frames came out", name_of(e).c_str(),
                  a.what, int(next.frames));
      e.no_error();
    }
  });
}
GST_END_TEST

GST_START_TEST(all_is_negotiated_again_with_each_frame) {
  on_every([](Harness &e) {
    Neighbour next(e);
    next.take = [&e](GstBuffer *) {
      negotiate_again(e);
      return GST_FLOW_OK;
    };
    for (int i = 0; i < 8; i++) {
      next.answer = answers()[std::size_t(i)].answer; // the eight before that which not all take
      negotiate_again(e);
      fail_unless_equals_int(push_frame(e, i), GST_FLOW_OK);
    }
    drain(e);
    fail_unless(next.frames >= 8, "%s: %d of 8 frames came out", name_of(e).c_str(), int(next.frames));
    e.no_error();
  });
}
GST_END_TEST

// What those behind say to a frame reaches the one before, and after a flush all is well.
GST_START_TEST(frames_that_are_refused) {
  on_every([](Harness &e) {
    for (const GstFlowReturn answer :
         {GST_FLOW_FLUSHING, GST_FLOW_EOS, GST_FLOW_NOT_LINKED, GST_FLOW_NOT_NEGOTIATED, GST_FLOW_ERROR,
          GST_FLOW_CUSTOM_ERROR_1, GST_FLOW_CUSTOM_SUCCESS_1})
      for (const int at : {0, 1, 3}) {
        {
          Neighbour next(e);
          next.take = [&, at](GstBuffer *) { return next.frames - 1 == at ? answer : GST_FLOW_OK; };
          GstFlowReturn heard = GST_FLOW_OK;
          for (int i = 0; i < 8 && heard == GST_FLOW_OK; i++) heard = push_frame(e, i);
          if (answer < GST_FLOW_OK && heard == GST_FLOW_OK)
            ck_abort_msg("%s: nobody heard that a frame got %s", name_of(e).c_str(),
                         gst_flow_get_name(answer));
          flush(e);
        }
        still_works(e, 50);
      }
  });
}
GST_END_TEST

// While a frame waits at the next element, everything that other threads may ask is answered, and a flush
// ends the waiting.
GST_START_TEST(frames_that_are_kept_waiting) {
  on_every([](Harness &e) {
    std::mutex gate;
    std::condition_variable changed;
    bool waiting = false, let_go = false;
    {
      Neighbour next(e);
      next.take = [&](GstBuffer *) {
        std::unique_lock lock(gate);
        waiting = true;
        changed.notify_all();
        changed.wait(lock, [&] { return let_go; });
        return GST_FLOW_FLUSHING;
      };
      std::thread pusher([&] {
        for (int i = 0; i < 6 && push_frame(e, i) == GST_FLOW_OK; i++) continue;
      });
      {
        std::unique_lock lock(gate);
        fail_unless(changed.wait_for(lock, std::chrono::seconds(30), [&] { return waiting; }),
                    "%s: nothing came out", name_of(e).c_str());
      }
      { // a call that waited for the frame as well would never come back
        GstStructure *stats = nullptr;
        if (g_object_class_find_property(G_OBJECT_GET_CLASS(e.get()), "stats")) {
          g_object_get(e.get(), "stats", &stats, nullptr);
          gst_structure_free(stats);
        }
        if (g_object_class_find_property(G_OBJECT_GET_CLASS(e.get()), "async-depth")) {
          e.set("async-depth", "4");
          e.set("async-depth", "0");
        }
        GstQuery *latency = gst_query_new_latency();
        gst_pad_peer_query(e.harness()->sinkpad, latency);
        gst_query_unref(latency);
        GstContext *context = gst_context_new("nobody.knows.this", TRUE);
        gst_element_set_context(e.get(), context);
        gst_context_unref(context);
        push_event(e, gst_event_new_flush_start()); // passes by the frame
      }
      {
        const std::lock_guard lock(gate);
        let_go = true;
      }
      changed.notify_all();
      pusher.join();
      push_event(e, gst_event_new_flush_stop(TRUE));
      push_event(e, time_segment());
    }
    still_works(e);
  });
}
GST_END_TEST

// No lock is held while a neighbour is called: it may call back whatever there is.
GST_START_TEST(neighbours_that_call_back) {
  on_every([](Harness &e) {
    const auto call_back = [&e] {
      GstStructure *stats = nullptr;
      if (g_object_class_find_property(G_OBJECT_GET_CLASS(e.get()), "stats")) {
        g_object_get(e.get(), "stats", &stats, nullptr);
        gst_structure_free(stats);
      }
      const OwnProperties own(e.get());
      for (GParamSpec *spec : own.list) {
        GValue value = G_VALUE_INIT;
        g_value_init(&value, spec->value_type);
        g_object_get_property(G_OBJECT(e.get()), spec->name, &value);
        if (spec->flags & GST_PARAM_MUTABLE_PLAYING)
          g_object_set_property(G_OBJECT(e.get()), spec->name, &value);
        g_value_unset(&value);
      }
      negotiate_again(e);
      GstQuery *q = gst_query_new_latency();
      gst_pad_peer_query(e.harness()->sinkpad, q);
      gst_query_unref(q);
    };
    {
      Neighbour next(e);
      next.take = [&](GstBuffer *) {
        call_back();
        return GST_FLOW_OK;
      };
      next.answer = [&](GstQuery *) {
        call_back();
        return true;
      };
      for (int i = 0; i < 6; i++) fail_unless_equals_int(push_frame(e, i), GST_FLOW_OK);
      drain(e);
      fail_unless(next.frames >= 6, "%s: %d of 6 frames came out", name_of(e).c_str(), int(next.frames));
    }
    still_works(e);
  });
}
GST_END_TEST

int main(int argc, char **argv) {
  Suite *suite = suite_create("hostile-behind");
  TCase *tests = tcase_create("neighbours behind");
  tcase_set_timeout(tests, 300);
  suite_add_tcase(suite, tests);
  tcase_add_test(tests, answers_to_allocation_queries);
  tcase_add_test(tests, all_is_negotiated_again_with_each_frame);
  tcase_add_test(tests, frames_that_are_refused);
  tcase_add_test(tests, frames_that_are_kept_waiting);
  tcase_add_test(tests, neighbours_that_call_back);
  return run(suite, argc, argv);
}
