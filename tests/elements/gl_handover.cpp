// SPDX-License-Identifier: LGPL-2.1-or-later
// gst/memory/gl_handover.h without CUDA, whose copies have a stand-in here: each of many threads is served
// once for each frame and learns of its own errors only; batches are of one CUDA context, never two at a
// time, and gather while one is under way.
#include "gst/memory/gl_handover.h"
#include "gst/memory/gl_thread.h"
#include "tests/elements/fixture.h"

#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <random>
#include <stdexcept>
#include <thread>
#include <vector>

namespace vigil {
namespace {
// What happened at the stand-in.
std::atomic<int> under_way, overlaps, batches, frames, waits;
std::atomic<const CudaGlCopies *> waited_for;
constexpr int copy_fails = 2; // planes of a picture that cannot be copied
} // namespace

void CudaGlCopies::run(std::span<Picture *const> pictures) {
  if (under_way++ || waited_for == this) overlaps++;
  if (!pictures.empty()) batches++;
  frames += int(pictures.size());
  for (Picture *p : pictures)
    if (p->count == copy_fails) p->error = std::make_exception_ptr(std::runtime_error("a copy"));
  under_way--;
}
void CudaGlCopies::wait() noexcept {
  waits++;
  waited_for = this;
  std::this_thread::sleep_for(std::chrono::microseconds(300)); // the GPU
  waited_for = nullptr;
}

namespace test {
namespace {

using namespace vigil::gst;

enum class Fate { good, does_not_open, is_not_copied };
struct Frame final : Handover {
  Frame(CudaDevice &device, Queue &queue, Fate what) : Handover(device, queue), fate(what) {
    picture.count = fate == Fate::is_not_copied ? copy_fails : 1;
  }
  void open() override {
    opened++;
    if (fate == Fate::does_not_open) throw std::runtime_error("a frame");
  }
  void close() noexcept override { closed++; }
  bool met_its_fate(bool threw) const { return threw == (fate != Fate::good) && opened == 1 && closed == 1; }
  const Fate fate;
  int opened = 0, closed = 0;
};

struct NoQueue final : Queue {
  void wait() override {}
  void after(Event &) override {}
};

// An OpenGL context; none where OpenGL does not run.
struct Context {
  Context() {
    GError *error = nullptr;
    if (!gst_gl_display_create_context(display, nullptr, &context, &error))
      g_print("no OpenGL context: %s\n", error ? error->message : "");
    g_clear_error(&error);
  }
  ~Context() {
    gst_clear_object(&context);
    gst_object_unref(display);
  }
  Context(const Context &) = delete;
  Context &operator=(const Context &) = delete;
  GstGLDisplay *display = gst_gl_display_new();
  GstGLContext *context = nullptr;
};

// Whether it throws what frames and copies throw here.
template <class Fn>
bool throws(Fn fn) {
  try {
    fn();
  } catch (const std::runtime_error &) {
    return true;
  }
  return false;
}

CudaDevice device_of(char &name) {
  return CudaDevice(std::shared_ptr<CUctx_st>(reinterpret_cast<CUctx_st *>(&name), [](CUctx_st *) {}), 0);
}

} // namespace

GST_START_TEST(everybody_is_served) {
  Context gl;
  fail_unless(gl.context);
  char names[2];
  CudaDevice devices[] = {device_of(names[0]), device_of(names[1])};
  batches = frames = overlaps = 0;
  constexpr int count = 10, rounds = 500;
  std::atomic<int> wrong{0}, expected{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < count; i++)
    threads.emplace_back([&, i] {
      NoQueue queue;
      std::mt19937 random{unsigned(i)};
      for (int n = 0; n < rounds; n++) {
        const auto r = random() % 10;
        Frame frame(devices[i % 3 == 0], queue, r < 3 ? Fate(r) : Fate::good);
        if (frame.fate != Fate::does_not_open) expected++;
        bool threw = false;
        const auto go = [&] { threw = throws([&] { hand_over(gl.context, frame); }); };
        if (i == 0 || random() % 50 == 0)
          on_thread_of(gl.context, go);
        else
          go();
        if (!frame.met_its_fate(threw)) wrong++;
      }
    });
  for (std::thread &t : threads) t.join();
  fail_unless_equals_int(wrong, 0);
  fail_unless_equals_int(overlaps, 0);
  fail_unless_equals_int(frames, expected);
  fail_unless(batches < frames * 3 / 4, "%d batches for %d frames", batches.load(), frames.load());
}
GST_END_TEST

// Several frames of each thread are queued at once; who waits for one serves the others, too. Frames that
// nobody waits for stay there, and hold nobody up.
GST_START_TEST(frames_wait_while_their_owners_do_not) {
  Context gl;
  fail_unless(gl.context);
  char names[2];
  CudaDevice devices[] = {device_of(names[0]), device_of(names[1])};
  batches = frames = overlaps = 0;
  constexpr int count = 8, rounds = 300, depth = 4;
  std::atomic<int> wrong{0}, expected{0};
  NoQueue idle_queue;
  Frame idle(devices[0], idle_queue, Fate::good);
  enqueue(gl.context, idle);
  std::vector<std::thread> threads;
  for (int i = 0; i < count; i++)
    threads.emplace_back([&, i] {
      NoQueue queue;
      std::mt19937 random{unsigned(i)};
      std::deque<std::unique_ptr<Frame>> mine;
      for (int n = 0; n < rounds + depth; n++) {
        if (n < rounds) {
          const auto r = random() % 10;
          mine.push_back(std::make_unique<Frame>(devices[i % 3 == 0], queue, r < 3 ? Fate(r) : Fate::good));
          if (mine.back()->fate != Fate::does_not_open) expected++;
          enqueue(gl.context, *mine.back());
        }
        if (n < depth) continue;
        Frame &oldest = *mine.front();
        bool threw = false;
        const auto wait = [&] { threw = throws([&] { wait_for(gl.context, oldest); }); };
        if (random() % 50 == 0)
          on_thread_of(gl.context, wait);
        else
          wait();
        if (!oldest.met_its_fate(threw)) wrong++;
        mine.pop_front();
      }
    });
  for (std::thread &t : threads) t.join();
  wait_for(gl.context, idle);
  fail_unless(idle.opened == 1 && idle.closed == 1);
  fail_unless_equals_int(wrong, 0);
  fail_unless_equals_int(overlaps, 0);
  fail_unless_equals_int(frames, expected + 1);
  fail_unless(batches < frames / 4, "%d batches for %d frames", batches.load(), frames.load());
}
GST_END_TEST

// One thread's frames are not kept waiting for each other.
GST_START_TEST(who_is_alone_waits_for_nobody) {
  Context gl;
  fail_unless(gl.context);
  char name;
  CudaDevice device = device_of(name);
  NoQueue queue;
  batches = waits = 0;
  for (int n = 0; n < 50; n++) {
    Frame frame(device, queue, Fate::good);
    hand_over(gl.context, frame);
  }
  fail_unless_equals_int(batches, 50);
  fail_unless(waits <= 1, "waited %d times", waits.load());
}
GST_END_TEST

static int main(int argc, char **argv) {
  gst_init(&argc, &argv);
  Suite *suite = suite_create("gl-handover");
  TCase *tests = tcase_create("transfers");
  tcase_set_timeout(tests, 120);
  suite_add_tcase(suite, tests);
  tcase_add_test(tests, everybody_is_served);
  tcase_add_test(tests, frames_wait_while_their_owners_do_not);
  tcase_add_test(tests, who_is_alone_waits_for_nobody);
  return run(suite, argc, argv);
}

} // namespace test
} // namespace vigil

int main(int argc, char **argv) {
  return vigil::test::main(argc, argv);
}
