// SPDX-License-Identifier: LGPL-2.1-or-later
// A device that fails at any point of a frame's way: the error reaches the caller, no buffer is let go of
// while work with it may be under way, none is lost, and the next frame is worked on.
#include "common/error.h"
#include "gst/transform/frames_in_flight.h"
#include "tests/elements/fixture.h"

#include <algorithm>
#include <string>
#include <vector>

using namespace vigil;
using namespace vigil::gst;
using namespace vigil::test;

namespace {

// What all parts of the device share: which calls fail the next time, and whether work is under way.
struct Fault {
  std::vector<std::string> at;
  bool under_way = false;
  int closed_early = 0; // frames whose memory was let go of while work was under way

  void may_fail(const char *call) {
    const auto it = std::find(at.begin(), at.end(), call);
    if (it == at.end()) return;
    at.erase(it);
    fail(Error::Kind::device, "the device failed at ", call);
  }
};

class FaultyQueue final : public Queue {
 public:
  explicit FaultyQueue(Fault &fault) : fault_(fault) {}
  void wait() override {
    fault_.under_way = false; // what failed is over, too
    fault_.may_fail("wait");
  }
  void after(Event &) override { fault_.may_fail("after"); }

 private:
  Fault &fault_;
};

class FaultyTimer final : public Timer {
 public:
  explicit FaultyTimer(Fault &fault) : fault_(fault) {}
  void start(Queue &) override { fault_.may_fail("start"); }
  void stop(Queue &) override { fault_.may_fail("stop"); }
  bool ready() override { return true; }
  double milliseconds() override {
    fault_.may_fail("milliseconds");
    return 1;
  }

 private:
  Fault &fault_;
};

class FaultyEvent final : public Event {
 public:
  explicit FaultyEvent(Fault &fault) : fault_(fault) {}
  void record(Queue &) override { fault_.may_fail("record"); }
  void wait() override {
    fault_.may_fail("event");
    fault_.under_way = false;
  }

 private:
  Fault &fault_;
};

// A processor, except for what may fail.
class FaultyDevice final : public Device {
 public:
  explicit FaultyDevice(Fault &fault) : fault_(fault), real_(open_cpu(1)) {}
  Backend backend() const override { return Backend::cuda; } // one that works while the host goes on
  std::string name() const override { return "faulty"; }
  void *allocate(std::size_t bytes) override { return real_->allocate(bytes); }
  void release(void *p) noexcept override { real_->release(p); }
  void *allocate_host(std::size_t bytes) override { return real_->allocate_host(bytes); }
  void release_host(void *p) noexcept override { real_->release_host(p); }
  void upload(void *, const void *, std::size_t, Queue &) override {}
  void download(void *, const void *, std::size_t, Queue &) override {}
  void upload(void *, std::ptrdiff_t, const void *, std::ptrdiff_t, std::size_t, int, Queue &) override {}
  void download(void *, std::ptrdiff_t, const void *, std::ptrdiff_t, std::size_t, int, Queue &) override {}
  void fill(void *, int, std::size_t, Queue &) override {}
  std::unique_ptr<Queue> make_queue() override { return std::make_unique<FaultyQueue>(fault_); }
  std::unique_ptr<Timer> make_timer() override { return std::make_unique<FaultyTimer>(fault_); }
  std::unique_ptr<Event> make_event() override { return std::make_unique<FaultyEvent>(fault_); }

 private:
  Fault &fault_;
  std::unique_ptr<Device> real_;
};

class FaultyMapping final : public FrameMapping {
 public:
  explicit FaultyMapping(Fault &fault) : fault_(fault) {}
  ConstImage map_read(GstBuffer *, Queue &, ByteCounts &) override {
    open_ = fault_.under_way = true;
    fault_.may_fail("open");
    return {};
  }
  Image map_update(GstBuffer *, GstBuffer *, Queue &, ByteCounts &) override { return {}; }
  Image map_write(GstBuffer *, Queue &) override {
    open_ = true;
    fault_.may_fail("open to write");
    return {};
  }
  void write_back(Queue &, ByteCounts &) override { fault_.may_fail("send"); }
  void write_back(Queue &, ByteCounts &, const Area &) override { fault_.may_fail("send"); }
  bool holds_buffer() const override { return true; }
  void close() noexcept override {
    if (open_ && fault_.under_way) fault_.closed_early++;
    open_ = false;
  }

 private:
  Fault &fault_;
  bool open_ = false;
};

class FaultyProcessor final : public FrameProcessor {
 public:
  explicit FaultyProcessor(Fault &fault) : fault_(fault) {}
  void set_format(const FrameKind &, const FrameKind &) override {}
  Plan plan(const FrameTime &, PerFrameData *) override { return {Use::produce}; }
  void run(std::span<FrameTask *const>, Queue &) override {
    fault_.under_way = true;
    fault_.may_fail("run");
  }
  void fetch(FrameTask &, Queue &) override { fault_.may_fail("fetch"); }
  void complete(FrameTask &, Queue &) override { fault_.may_fail("complete"); }

 private:
  Fault &fault_;
};

// Whether a frame got through.
bool show(FramesInFlight &held, const Picture &picture, bool &failed) {
  BufferPtr in(picture.buffer(0)), out(picture.buffer(0));
  GstBuffer *const seen = in.get();
  gst_buffer_ref(seen);
  bool through = false;
  try {
    held.begin({});
    held.submit(std::move(in), std::move(out), false, false);
    if (auto done = held.next(0, true)) {
      through = true;
      held.recycle(done->frame);
    }
  } catch (const Error &) {
    failed = true;
  }
  in.reset(); // of a frame that was refused
  fail_unless(GST_MINI_OBJECT_REFCOUNT_VALUE(seen) == 1, "%d owners of a frame are left",
              GST_MINI_OBJECT_REFCOUNT_VALUE(seen) - 1);
  gst_buffer_unref(seen);
  return through;
}

} // namespace

GST_START_TEST(every_call_may_fail) {
  const Picture picture = scene("GRAY8", 16, 16, 0);
  GstCaps *caps = gst_caps_from_string(caps_of("GRAY8", 16, 16).c_str());
  const FrameKind kind = frame_kind(caps);
  gst_caps_unref(caps);
  for (const char *call : {"open", "open to write", "start", "run", "stop", "record", "fetch", "send",
                           "event", "complete", "milliseconds"}) {
    Fault fault;
    FaultyDevice device(fault);
    FaultyProcessor work(fault);
    FramesInFlight held(device, work, {});
    held.set_format(kind, kind, [&](const FrameKind &) { return std::make_unique<FaultyMapping>(fault); });
    bool failed = false;
    fail_unless(show(held, picture, failed) && !failed, "before %s: the frame is lost", call);
    fault.at = {call};
    fail_if(show(held, picture, failed), "%s: a frame that failed came out", call);
    fail_unless(failed, "%s: nobody heard of it", call);
    fail_unless(held.empty(), "%s: the frame is still there", call);
    fail_unless(fault.closed_early == 0, "%s: a frame was let go of while work was under way", call);
    failed = false;
    fail_unless(show(held, picture, failed) && !failed, "after %s: the next frame is lost", call);
  }
}
GST_END_TEST

// A device that failed once fails at what is done about it, too: the first error is reported, and frames are
// dropped all the same.
GST_START_TEST(two_calls_may_fail) {
  const Picture picture = scene("GRAY8", 16, 16, 0);
  GstCaps *caps = gst_caps_from_string(caps_of("GRAY8", 16, 16).c_str());
  const FrameKind kind = frame_kind(caps);
  gst_caps_unref(caps);
  // As they come in a frame's way, and last what waits for a frame that is dropped.
  const std::vector<std::string> calls{"open",  "start", "run",   "stop",     "record",
                                       "fetch", "send",  "event", "complete", "wait"};
  for (auto first = calls.begin(); first != calls.end() - 1; ++first)
    for (auto second = first + 1; second != calls.end(); ++second) {
      Fault fault;
      FaultyDevice device(fault);
      FaultyProcessor work(fault);
      FramesInFlight held(device, work, {});
      held.set_format(kind, kind, [&](const FrameKind &) { return std::make_unique<FaultyMapping>(fault); });
      BufferPtr in(picture.buffer(0)), out(picture.buffer(0));
      fault.at = {*first, *second};
      std::string reported;
      try {
        held.begin({});
        held.submit(std::move(in), std::move(out), false, false);
        held.next(0, true);
      } catch (const Error &e) {
        reported = e.what();
      }
      fail_unless(reported == "the device failed at " + *first, "%s and %s: \"%s\"", first->c_str(),
                  second->c_str(), reported.c_str());
      fail_unless(held.empty(), "%s and %s: the frame is still there", first->c_str(), second->c_str());
      fault.at.clear();
      bool failed = false;
      fail_unless(show(held, picture, failed) && !failed, "after %s and %s: the next frame is lost",
                  first->c_str(), second->c_str());
    }
}
GST_END_TEST

// Frames are dropped also when waiting for the device fails, as it does after an error of the device.
GST_START_TEST(waiting_may_fail_too) {
  const Picture picture = scene("GRAY8", 16, 16, 0);
  GstCaps *caps = gst_caps_from_string(caps_of("GRAY8", 16, 16).c_str());
  const FrameKind kind = frame_kind(caps);
  gst_caps_unref(caps);
  Fault fault;
  FaultyDevice device(fault);
  FaultyProcessor work(fault);
  FramesInFlight held(device, work, {});
  held.set_format(kind, kind, [&](const FrameKind &) { return std::make_unique<FaultyMapping>(fault); });
  held.begin({});
  held.submit(BufferPtr(picture.buffer(0)), BufferPtr(picture.buffer(0)), false, true);
  fault.at = {"wait"};
  held.discard();
  fail_unless(fault.at.empty(), "nobody waited");
  fail_unless(held.empty() && fault.closed_early == 0);
  bool failed = false;
  fail_unless(show(held, picture, failed) && !failed);
}
GST_END_TEST

int main(int argc, char **argv) {
  Suite *suite = suite_create("faulty-device");
  TCase *tests = tcase_create("faulty device");
  suite_add_tcase(suite, tests);
  tcase_add_test(tests, every_call_may_fail);
  tcase_add_test(tests, two_calls_may_fail);
  tcase_add_test(tests, waiting_may_fail_too);
  return run(suite, argc, argv);
}
