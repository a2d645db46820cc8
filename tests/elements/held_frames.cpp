// SPDX-License-Identifier: LGPL-2.1-or-later
// What holds for all elements that hold frames: pools that do not run dry, the order of frames and events,
// flags that stay with their frame, statistics that can be read at any time. On processors; tests of CUDA
// memory are in cudamog_cuda.cpp.
#include "kernels/fisher/model_file.h"
#include "tests/elements/fixture.h"
#include "tests/elements/random_model.h"
#include "vigil-config.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

using namespace vigil;
using namespace vigil::test;

namespace {

constexpr int width = 64, height = 48;

struct Subject {
  const char *description;
  const char *format;
  bool passes; // buffers that come in go out
};
constexpr Subject subjects[] = {
    {"cudamog backend=cpu", "NV12", false},
    {"cudamog backend=cpu output=passthrough", "NV12", true},
    {"gpufisher backend=cpu", "NV12", true},
    {"glcolinearseg backend=cpu", "RGBA", false},
    {"glcolinearseg backend=cpu output=passthrough", "RGBA", true},
#if defined(VIGIL_HAVE_OPENCL) && !defined(__SANITIZE_THREAD__) // which does not see into its drivers
    {"clhistogram", "NV12", true},
    {"clbilateral tune=off", "NV12", false},
    {"clfilter tune=off", "RGBA", true},
    {"clfilter tune=off chain=invert", "RGBA", false},
#endif
};
constexpr int subject_count = int(std::size(subjects));

// One of the subjects, with caps.
class Held : public Harness {
 public:
  explicit Held(int i, int depth) : Held(i, depth, Folder()) {}

 private:
  Held(int i, int depth, const Folder &folder)
      : Harness(describe(i, folder) + " async-depth=" + std::to_string(depth)) {
    caps(caps_of(subjects[i].format, width, height));
  }
  static std::string describe(int i, const Folder &folder) {
    std::string d = subjects[i].description;
    if (d.find("gpufisher") != 0) return d;
    fisher::write_model(folder / "model", random_model(1, {"a"}));
    return d + " model-location=" + (folder / "model");
  }
};

Picture picture(int i, int n) {
  return scene(subjects[i].format, width, height, n);
}

int frames_out(Harness &e) {
  int n = 0;
  while (GstBuffer *b = e.pull()) {
    gst_buffer_unref(b);
    n++;
  }
  return n;
}

// What reaches the element behind: the frames' numbers, and events by name.
class Record {
 public:
  explicit Record(Harness &e) : pad_(e.harness()->sinkpad) {
    const int types = GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM;
    gst_pad_add_probe(pad_, static_cast<GstPadProbeType>(types), probe, this, nullptr);
  }
  std::vector<std::string> seen;

 private:
  static GstPadProbeReturn probe(GstPad *, GstPadProbeInfo *info, gpointer data) {
    auto &seen = static_cast<Record *>(data)->seen;
    if (GstBuffer *b = GST_PAD_PROBE_INFO_BUFFER(info); info->type & GST_PAD_PROBE_TYPE_BUFFER)
      seen.push_back(std::to_string(gst_util_uint64_scale_round(GST_BUFFER_PTS(b), 25, GST_SECOND)));
    else
      seen.push_back(GST_EVENT_TYPE_NAME(GST_PAD_PROBE_INFO_EVENT(info)));
    return GST_PAD_PROBE_OK;
  }
  GstPad *pad_;
};

bool upstream_is_asked_again(Harness &e) {
  bool asked = false;
  while (GstEvent *event = gst_harness_try_pull_upstream_event(e.harness())) {
    asked |= GST_EVENT_TYPE(event) == GST_EVENT_RECONFIGURE;
    gst_event_unref(event);
  }
  return asked;
}

// How many buffers upstream is asked for.
guint proposed(Harness &e) {
  GstCaps *caps = gst_pad_get_current_caps(e.harness()->srcpad);
  GstQuery *query = gst_query_new_allocation(caps, TRUE);
  gst_caps_unref(caps);
  fail_unless(gst_pad_peer_query(e.harness()->srcpad, query));
  guint min = 0;
  fail_unless(gst_query_get_n_allocation_pools(query) > 0);
  gst_query_parse_nth_allocation_pool(query, 0, nullptr, nullptr, &min, nullptr);
  gst_query_unref(query);
  return min;
}

// The element behind wants four buffers for itself.
GstPadProbeReturn wants_four(GstPad *, GstPadProbeInfo *info, gpointer) {
  GstQuery *query = GST_PAD_PROBE_INFO_QUERY(info);
  if (GST_QUERY_TYPE(query) != GST_QUERY_ALLOCATION) return GST_PAD_PROBE_OK;
  gst_query_add_allocation_pool(query, nullptr, width * height * 4, 4, 0);
  return GST_PAD_PROBE_HANDLED;
}

// A pool of this many buffers, no more.
GstBufferPool *pool_of(const char *format, guint buffers) {
  GstCaps *caps = gst_caps_from_string(caps_of(format, width, height).c_str());
  GstVideoInfo info;
  fail_unless(gst_video_info_from_caps(&info, caps));
  GstBufferPool *pool = gst_video_buffer_pool_new();
  GstStructure *config = gst_buffer_pool_get_config(pool);
  gst_buffer_pool_config_set_params(config, caps, guint(info.size), buffers, buffers);
  fail_unless(gst_buffer_pool_set_config(pool, config));
  gst_buffer_pool_set_active(pool, TRUE);
  gst_caps_unref(caps);
  return pool;
}

// The next buffer of the pool, or null where it would have to be waited for.
GstBuffer *acquire(GstBufferPool *pool, int n) {
  GstBufferPoolAcquireParams params{};
  params.flags = GST_BUFFER_POOL_ACQUIRE_FLAG_DONTWAIT;
  GstBuffer *b = nullptr;
  if (gst_buffer_pool_acquire_buffer(pool, &b, &params) != GST_FLOW_OK) return nullptr;
  gst_buffer_memset(b, 0, guint8(n), gst_buffer_get_size(b));
  GST_BUFFER_PTS(b) = GstClockTime(n) * GST_SECOND / 25;
  return b;
}

// Memory that an element has to wait for: mapping it returns when gate.open() was called, or after 5 seconds.
struct Gate {
  void open() {
    const std::lock_guard lock(mutex);
    is_open = true;
    changed.notify_all();
  }
  // An element has begun to map memory.
  void wait_for_someone() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [this] { return someone; });
  }
  void come() {
    std::unique_lock lock(mutex);
    someone = true;
    changed.notify_all();
    too_late = !changed.wait_for(lock, std::chrono::seconds(5), [this] { return is_open; }) || too_late;
  }
  std::mutex mutex;
  std::condition_variable changed;
  bool is_open = false, someone = false, too_late = false;
} gate;

struct GatedMemory {
  GstMemory memory;
  std::uint8_t *bytes;
};
struct GatedAllocator {
  GstAllocator parent;
};
struct GatedAllocatorClass {
  GstAllocatorClass parent_class;
};
G_DEFINE_TYPE(GatedAllocator, gated_allocator, GST_TYPE_ALLOCATOR)
void gated_allocator_class_init(GatedAllocatorClass *klass) {
  GST_ALLOCATOR_CLASS(klass)->free = [](GstAllocator *, GstMemory *m) {
    auto *memory = reinterpret_cast<GatedMemory *>(m);
    g_free(memory->bytes);
    g_free(memory);
  };
}
void gated_allocator_init(GatedAllocator *self) {
  GstAllocator *allocator = GST_ALLOCATOR(self);
  allocator->mem_type = "VigilTestGated";
  allocator->mem_map = [](GstMemory *m, gsize, GstMapFlags) -> gpointer {
    gate.come();
    return reinterpret_cast<GatedMemory *>(m)->bytes;
  };
  allocator->mem_unmap = [](GstMemory *) {};
  GST_OBJECT_FLAG_SET(allocator, GST_ALLOCATOR_FLAG_CUSTOM_ALLOC);
}
GstBuffer *gated(const Picture &p) {
  auto *allocator = static_cast<GstAllocator *>(g_object_new(gated_allocator_get_type(), nullptr));
  gst_object_ref_sink(allocator);
  auto *memory = g_new0(GatedMemory, 1);
  gst_memory_init(&memory->memory, GST_MEMORY_FLAG_NO_SHARE, allocator, nullptr, p.bytes.size(), 0, 0,
                  p.bytes.size());
  memory->bytes = static_cast<std::uint8_t *>(g_malloc(p.bytes.size()));
  std::memcpy(memory->bytes, p.bytes.data(), p.bytes.size());
  gst_object_unref(allocator); // the memory has a reference of its own
  GstBuffer *b = gst_buffer_new();
  gst_buffer_append_memory(b, &memory->memory);
  GST_BUFFER_PTS(b) = 0;
  return b;
}

} // namespace

GST_START_TEST(upstream_hears_of_a_change_of_depth) {
  Held e(__i__, 0);
  e.push(picture(__i__, 0), 0);
  upstream_is_asked_again(e);
  e.set("async-depth", "4");
  fail_unless(upstream_is_asked_again(e), "%s", subjects[__i__].description);
  fail_unless(proposed(e) >= 5);
}
GST_END_TEST

// On processors no depth is chosen, whatever the source; on a GPU: cudamog_cuda.cpp.
GST_START_TEST(an_open_depth_holds_nothing_on_a_processor) {
  Held e(__i__, -1);
  e.push(picture(__i__, 0), 0);
  fail_unless_equals_int(frames_out(e), 1);
}
GST_END_TEST

GST_START_TEST(a_pool_of_three_buffers_does_not_run_dry) {
  Held e(__i__, 0);
  GstBufferPool *pool = pool_of(subjects[__i__].format, 3);
  int out = 0;
  for (int n = 0; n < 16; n++) {
    if (n == 4) e.set("async-depth", "4");
    GstBuffer *b = acquire(pool, n);
    fail_unless(b != nullptr, "%s: there is no buffer for frame %d", subjects[__i__].description, n);
    fail_unless_equals_int(e.push(b), GST_FLOW_OK);
    out += frames_out(e);
  }
  gst_harness_push_event(e.harness(), gst_event_new_eos());
  out += frames_out(e);
  fail_unless_equals_int(out, 16);
  gst_buffer_pool_set_active(pool, FALSE);
  gst_object_unref(pool);
}
GST_END_TEST

// What is known of a pool is not of the next one that has its address.
GST_START_TEST(a_pool_at_the_address_of_another_does_not_run_dry) {
  Held e(__i__, 4);
  const auto push = [&](GstBufferPool *pool, int n) {
    GstBuffer *b = acquire(pool, n);
    fail_unless(b, "%s holds the whole pool of a new stream at frame %d", subjects[__i__].description, n);
    fail_unless_equals_int(e.push(b), GST_FLOW_OK);
    while (GstBuffer *out = e.pull()) gst_buffer_unref(out);
  };
  GstBufferPool *pool = pool_of(subjects[__i__].format, 0); // of as many as are wanted
  for (int n = 0; n < 6; n++) push(pool, n);
  GstQuery *drain = gst_query_new_drain();
  gst_pad_peer_query(e.harness()->srcpad, drain);
  gst_query_unref(drain);
  while (GstBuffer *out = e.pull()) gst_buffer_unref(out);
  const void *address = pool;
  gst_buffer_pool_set_active(pool, FALSE);
  gst_object_unref(pool);
  constexpr std::size_t most_pools = 200; // each has two file descriptors
  std::vector<GstBufferPool *> elsewhere;
  for (pool = gst_video_buffer_pool_new(); pool != address && elsewhere.size() < most_pools;
       pool = gst_video_buffer_pool_new())
    elsewhere.push_back(pool);
  if (pool != address)
    g_print("SKIP: %s: no new pool gets the address of one that is gone, so this is a new pool alone\n",
            subjects[__i__].description);
  GstCaps *caps = gst_caps_from_string(caps_of(subjects[__i__].format, width, height).c_str());
  GstVideoInfo info;
  fail_unless(gst_video_info_from_caps(&info, caps));
  GstStructure *config = gst_buffer_pool_get_config(pool);
  gst_buffer_pool_config_set_params(config, caps, guint(info.size), 3, 3);
  fail_unless(gst_buffer_pool_set_config(pool, config) && gst_buffer_pool_set_active(pool, TRUE));
  gst_caps_unref(caps);
  for (int n = 6; n < 20; n++) push(pool, n);
  gst_buffer_pool_set_active(pool, FALSE);
  gst_object_unref(pool);
  for (GstBufferPool *other : elsewhere) gst_object_unref(other);
}
GST_END_TEST

GST_START_TEST(a_group_does_not_run_a_pool_dry) {
  Element e("output=passthrough group-size=8");
  e.caps(caps_of("NV12", width, height));
  GstBufferPool *pool = pool_of("NV12", 3);
  int out = 0;
  for (int n = 0; n < 16; n++) {
    GstBuffer *b = acquire(pool, n);
    fail_unless(b != nullptr, "there is no buffer for frame %d", n);
    fail_unless_equals_int(e.push(b), GST_FLOW_OK);
    out += frames_out(e);
  }
  fail_unless(out >= 13);
  gst_buffer_pool_set_active(pool, FALSE);
  gst_object_unref(pool);
}
GST_END_TEST

GST_START_TEST(upstream_serves_those_behind_where_buffers_pass) {
  Held e(__i__, 2);
  gst_pad_add_probe(e.harness()->sinkpad, GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM, wants_four, nullptr, nullptr);
  const guint wanted = subjects[__i__].passes ? 4 + 3 : 3;
  const guint min = proposed(e);
  fail_unless(min >= wanted, "%s: %u buffers, not %u", subjects[__i__].description, min, wanted);
}
GST_END_TEST

GST_START_TEST(discont_stays_with_its_frame) {
  Held e(__i__, 2);
  for (int n = 0; n < 8; n++) {
    GstBuffer *b = picture(__i__, n).buffer(n);
    if (n == 4) GST_BUFFER_FLAG_SET(b, GST_BUFFER_FLAG_DISCONT);
    fail_unless_equals_int(e.push(b), GST_FLOW_OK);
  }
  gst_harness_push_event(e.harness(), gst_event_new_eos());
  for (int n = 0; n < 8; n++) {
    GstBuffer *b = e.pull();
    fail_unless(b != nullptr);
    fail_unless(GST_BUFFER_IS_DISCONT(b) == (n == 4), "%s: frame %d", subjects[__i__].description, n);
    gst_buffer_unref(b);
  }
}
GST_END_TEST

GST_START_TEST(events_leave_in_order_with_frames) {
  Held e(__i__, 2);
  Record record(e);
  const auto custom = [] {
    return gst_event_new_custom(GST_EVENT_CUSTOM_DOWNSTREAM, gst_structure_new_empty("a-mark"));
  };
  for (int n = 0; n < 3; n++) e.push(picture(__i__, n), n);
  gst_harness_push_event(e.harness(), custom());
  for (int n = 3; n < 6; n++) e.push(picture(__i__, n), n);
  gst_harness_push_event(e.harness(), gst_event_new_gap(6 * GST_SECOND / 25, GST_SECOND));
  const std::vector<std::string> expected{"0", "1", "2", "custom-downstream", "3", "4", "5", "gap"};
  std::vector<std::string> seen = record.seen;
  seen.erase(seen.begin(), std::find(seen.begin(), seen.end(), "0")); // caps, segment
  fail_unless(seen == expected, "%s", subjects[__i__].description);
}
GST_END_TEST

GST_START_TEST(a_custom_event_drains_nothing) {
  Element e("async-depth=2");
  e.caps(caps_of("NV12", width, height));
  for (int n = 0; n < 3; n++) e.push(picture(0, n), n);
  fail_unless_equals_int(frames_out(e), 1);
  gst_harness_push_event(e.harness(),
                         gst_event_new_custom(GST_EVENT_CUSTOM_DOWNSTREAM, gst_structure_new_empty("mark")));
  fail_unless_equals_int(frames_out(e), 0);
  gst_harness_push_event(e.harness(), gst_event_new_eos());
  fail_unless_equals_int(frames_out(e), 2);
}
GST_END_TEST

GST_START_TEST(upstream_hears_what_those_behind_say_to_drained_frames) {
  Held e(__i__, 2);
  for (int n = 0; n < 2; n++) fail_unless_equals_int(e.push(picture(__i__, n), n), GST_FLOW_OK);
  const auto full = [](GstPad *, GstPadProbeInfo *info, gpointer) {
    gst_buffer_unref(GST_PAD_PROBE_INFO_BUFFER(info));
    GST_PAD_PROBE_INFO_FLOW_RETURN(info) = GST_FLOW_EOS;
    return GST_PAD_PROBE_HANDLED;
  };
  gst_pad_add_probe(e.harness()->sinkpad, GST_PAD_PROBE_TYPE_BUFFER, full, nullptr, nullptr);
  gst_harness_push_event(e.harness(), gst_event_new_gap(2 * GST_SECOND / 25, GST_SECOND));
  fail_unless_equals_int(e.push(picture(__i__, 3), 3), GST_FLOW_EOS);
}
GST_END_TEST

GST_START_TEST(position_is_that_of_frames_that_left) {
  Held e(__i__, 2);
  for (int n = 0; n < 3; n++) e.push(picture(__i__, n), n);
  gst_harness_push_event(e.harness(), gst_event_new_gap(3 * GST_SECOND / 25, GST_SECOND));
  gint64 position = 0;
  fail_unless(gst_element_query_position(e.get(), GST_FORMAT_TIME, &position));
  fail_unless_equals_int64(position, gint64(3 * GST_SECOND / 25));
}
GST_END_TEST

GST_START_TEST(inputs_are_given_back_once_their_work_is_done) {
  Element e("async-depth=4");
  e.caps(caps_of("NV12", width, height));
  for (int n = 0; n < 3; n++) {
    GstBuffer *b = picture(0, n).buffer(n);
    gst_buffer_ref(b);
    fail_unless_equals_int(e.push(b), GST_FLOW_OK);
    fail_unless_equals_int(GST_MINI_OBJECT_REFCOUNT_VALUE(b), 1);
    gst_buffer_unref(b);
  }
}
GST_END_TEST

GST_START_TEST(stats_can_be_read_while_a_frame_is_worked_on) {
  gate.is_open = gate.someone = gate.too_late = false;
  Held e(__i__, 0);
  std::thread reader([&] {
    gate.wait_for_someone();
    e.stat("frames");
    gate.open();
  });
  const GstFlowReturn flow = e.push(gated(picture(__i__, 0)));
  gate.come(); // the frame of an element that passes it on without a look is not mapped
  reader.join();
  fail_unless(flow == GST_FLOW_OK);
  fail_if(gate.too_late, "%s: reading its stats waits for the frame that it works on",
          subjects[__i__].description);
}
GST_END_TEST

#if defined(VIGIL_HAVE_OPENCL) && !defined(__SANITIZE_THREAD__)
GST_START_TEST(frames_that_pass_are_not_held) {
  Harness e("clfilter tune=off async-depth=3");
  e.caps(caps_of("RGBA", width, height));
  for (int n = 0; n < 3; n++) {
    e.push(scene("RGBA", width, height, n), n);
    fail_unless_equals_int(frames_out(e), 1);
  }
}
GST_END_TEST

GST_START_TEST(stats_can_be_read_during_a_search) {
  const Folder folder;
  g_setenv("XDG_CACHE_HOME", (folder / "cache").c_str(), TRUE);
  Harness e("clbilateral tune=auto");
  std::atomic<bool> over = false;
  double longest = 0, whole = 0;
  std::thread reader([&] {
    while (!over) {
      const auto begin = std::chrono::steady_clock::now();
      e.stat("frames");
      longest =
          std::max(longest, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  });
  const auto begin = std::chrono::steady_clock::now();
  e.caps(caps_of("NV12", width, height));
  e.push(scene("NV12", width, height, 0), 0);
  whole = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  over = true;
  reader.join();
  fail_unless(longest < whole / 2, "reading took %.3f s, the search %.3f s", longest, whole);
}
GST_END_TEST
#endif

int main(int argc, char **argv) {
  Suite *suite = suite_create("held-frames");
  TCase *tests = tcase_create("held-frames");
  tcase_set_timeout(tests, 120);
  suite_add_tcase(suite, tests);
  tcase_add_loop_test(tests, upstream_hears_of_a_change_of_depth, 0, subject_count);
  tcase_add_loop_test(tests, an_open_depth_holds_nothing_on_a_processor, 0, subject_count);
  tcase_add_loop_test(tests, a_pool_of_three_buffers_does_not_run_dry, 0, subject_count);
  tcase_add_loop_test(tests, a_pool_at_the_address_of_another_does_not_run_dry, 0, subject_count);
  tcase_add_test(tests, a_group_does_not_run_a_pool_dry);
  tcase_add_loop_test(tests, upstream_serves_those_behind_where_buffers_pass, 0, subject_count);
  tcase_add_loop_test(tests, discont_stays_with_its_frame, 0, subject_count);
  tcase_add_loop_test(tests, events_leave_in_order_with_frames, 0, subject_count);
  tcase_add_test(tests, a_custom_event_drains_nothing);
  tcase_add_loop_test(tests, upstream_hears_what_those_behind_say_to_drained_frames, 0, 2);
  tcase_add_loop_test(tests, position_is_that_of_frames_that_left, 0, subject_count);
  tcase_add_test(tests, inputs_are_given_back_once_their_work_is_done);
  tcase_add_loop_test(tests, stats_can_be_read_while_a_frame_is_worked_on, 0, subject_count);
#if defined(VIGIL_HAVE_OPENCL) && !defined(__SANITIZE_THREAD__)
  tcase_add_test(tests, frames_that_pass_are_not_held);
  tcase_add_test(tests, stats_can_be_read_during_a_search);
#endif
  return run(suite, argc, argv);
}
