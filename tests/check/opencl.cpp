// SPDX-License-Identifier: LGPL-2.1-or-later
// The OpenCL device itself: copies of every shape, addresses, queues that wait for each other, host memory in
// place, the clock, and a program with its arguments and its compiler's log.
#include "common/device_cast.h"
#include "common/opencl/device.h"
#include "common/opencl/program.h"

#include "common/error.h"
#include "tests/check/checker.h"

#include <cstring>

namespace vigil {
namespace {

using check::Checker;

ClDevice &cl(Checker &c) {
  return device_cast<ClDevice>(c.device);
}

constexpr const char *add_source = R"(
kernel void add(global uchar *data, int offset, int count, int what) {
  const int i = get_global_id(0);
  if (i < count) data[offset + i] += what;
})";

void refused(Checker &c, const char *what, Error::Kind kind, const std::string &naming,
             const std::function<void()> &call) {
  try {
    call();
    c.fail(text(what, " was not refused"));
  } catch (const Error &e) {
    c.expect(e.kind() == kind && std::string(e.what()).find(naming) != std::string::npos,
             text(what, ": ", e.what()));
  }
}

void run_copies(Checker &c) {
  constexpr int rows = 7, row_bytes = 13;
  const std::vector<std::uint8_t> data = c.noise(4096);
  for (const int device_stride : {13, 16, 40})
    for (const int host_stride : {13, 21})
      for (const int offset : {0, 1, 255, 300}) {
        DeviceBuffer memory(c.device, 1024);
        auto *at = memory.as<char>() + offset;
        c.device.fill(memory.as(), 7, 1024, c.queue());
        c.device.upload(at, device_stride, data.data(), host_stride, row_bytes, rows, c.queue());
        std::vector<std::uint8_t> all(1024), back(4096, 9);
        c.device.download(all.data(), memory.as(), 1024, c.queue());
        c.device.download(back.data(), host_stride, at, device_stride, row_bytes, rows, c.queue());
        c.queue().wait();
        std::vector<std::uint8_t> want(1024, 7), want_back(4096, 9);
        for (int y = 0; y < rows; y++) {
          std::memcpy(&want[offset + y * device_stride], &data[y * host_stride], row_bytes);
          std::memcpy(&want_back[y * host_stride], &data[y * host_stride], row_bytes);
        }
        const auto label = text("strides ", device_stride, " and ", host_stride, ", offset ", offset);
        c.expect(all == want, "an upload: " + label);
        c.expect(back == want_back, "a download: " + label);
      }
  refused(c, "a foreign address", Error::Kind::bad_setting, "not of this", [&] { cl(c).range_of(&c); });
  refused(c, "a plane beyond its buffer", Error::Kind::bad_setting, "does not lie within", [&] {
    DeviceBuffer memory(c.device, 100);
    cl(c).view(memory.as(), 20, 20, 20, 6);
  });
}

void run_queues(Checker &c) {
  const ClProgram program(cl(c), "add.cl", add_source, "");
  ClKernel add = program.kernel("add");
  DeviceBuffer memory(c.device, 5000);
  auto *pinned = static_cast<std::uint8_t *>(c.device.allocate_host(5000));
  std::memset(pinned, 3, 5000);
  const auto other = c.device.make_queue();
  const auto event = c.device.make_event();
  event->wait(); // never recorded: nothing to wait for
  other->after(*event);
  const auto timer = c.device.make_timer();
  timer->start(c.queue());
  c.device.upload(memory.as(), pinned, 5000, c.queue());
  const ClRange r = cl(c).range_of(memory.as<char>() + 1000);
  add.launch(static_cast<ClQueue &>(c.queue()), {3000, 1}, {64, 1}, r.memory, int(r.offset), 3000, 4);
  timer->stop(c.queue());
  event->record(c.queue());
  other->after(*event);
  c.device.download(pinned, memory.as(), 5000, *other);
  other->wait();
  for (int i = 0; i < 5000; i++) {
    const int want = i >= 1000 && i < 4000 ? 7 : 3;
    if (pinned[i] != want) {
      c.fail(text("byte ", i, " is ", int(pinned[i]), ", not ", want));
      break;
    }
  }
  c.expect(timer->milliseconds() > 0 && timer->ready(), "the timer has not measured");
  c.device.release_host(pinned);
}

void run_host_memory(Checker &c) {
  if (!cl(c).has_host_memory()) throw check::Skip{"this device does not work in the host's memory"};
  ClKernel add = ClProgram(cl(c), "add.cl", add_source, "").kernel("add");
  std::vector<std::uint8_t> data(1001, 5);
  void *address = nullptr;
  {
    const ClHostMemory shared(cl(c), data.data() + 1, 1000), again(cl(c), data.data() + 1, 10);
    address = static_cast<char *>(shared.address()) + 10;
    const ClRange r = cl(c).range_of(address);
    c.expect(r.offset == 10 && r.bytes == 990, "an address is not within its memory");
    c.expect(cl(c).range_of(again.address()).bytes == 10, "the same memory cannot be shared twice");
    add.launch(static_cast<ClQueue &>(c.queue()), {100, 1}, {0, 0}, r.memory, int(r.offset), 100, 1);
    shared.to_host(static_cast<ClQueue &>(c.queue()));
    c.queue().wait();
  }
  c.expect(data[10] == 5 && data[11] == 6 && data[110] == 6 && data[111] == 5,
           "the kernel has not worked in place");
  refused(c, "memory given back", Error::Kind::bad_setting, "not of this", [&] { cl(c).range_of(address); });
}

void run_programs(Checker &c) {
  refused(c, "a program with an error", Error::Kind::device, "broken.cl", [&] {
    ClProgram(cl(c), "broken.cl", "kernel void broken(global int *p) { p[0] = no_such_thing; }", "");
  });
  refused(c, "a program with an error: its log", Error::Kind::device, "no_such_thing", [&] {
    ClProgram(cl(c), "broken.cl", "kernel void broken(global int *p) { p[0] = no_such_thing; }", "");
  });
  const ClProgram program(cl(c), "add.cl", add_source, "");
  refused(c, "a kernel that is not there", Error::Kind::device, "missing",
          [&] { program.kernel("missing"); });
  ClKernel add = program.kernel("add");
  DeviceBuffer memory(c.device, 16);
  auto &queue = static_cast<ClQueue &>(c.queue());
  const cl_mem m = cl(c).range_of(memory.as()).memory;
  refused(c, "a launch with too few arguments", Error::Kind::device, "4 arguments", [&] {
    add.launch(queue, {1, 1}, {1, 1}, m, 0, 1);
  });
  refused(c, "a launch with an argument of another size", Error::Kind::device, "argument 2", [&] {
    add.launch(queue, {1, 1}, {1, 1}, m, 0, 1.0, 1);
  });
}

check::Register copies_case{{"opencl/copies", run_copies, {Backend::opencl}}};
check::Register queues_case{{"opencl/queues", run_queues, {Backend::opencl}}};
check::Register host_case{{"opencl/host-memory", run_host_memory, {Backend::opencl}}};
check::Register programs_case{{"opencl/programs", run_programs, {Backend::opencl}}};

} // namespace
} // namespace vigil
