// SPDX-License-Identifier: LGPL-2.1-or-later
// What is measured in which order, and what needs no more than a copy, a function or a launch.
#include "bench.h"

#include "common/error.h"
#include "micro-cl.h"

#include <chrono>
#include <cstring>

namespace vigil::tune {
namespace {

using Clock = std::chrono::steady_clock;

} // namespace

Bench::Bench(ClDevice &d, const Listener &l)
    : device_(d), queue_(d), bytes_(d.is_cpu() ? std::size_t{8} << 20 : std::size_t{128} << 20),
      in_(d, bytes_), out_(d, bytes_), listener_(l) {
  d.fill(in_.as(), 3, bytes_, queue_);
  d.fill(out_.as(), 0, bytes_, queue_);
  queue_.wait();
}

std::span<const Bench::Group> Bench::groups() {
  static constexpr Group all[] = {{"copy bandwidth", &Bench::copies},
                                  {"loads and stores", &Bench::widths},
                                  {"access patterns", &Bench::patterns},
                                  {"copies to local memory", &Bench::local_copies},
                                  {"prefetch", &Bench::prefetches},
                                  {"buffer or image", &Bench::images},
                                  {"work of a work-item", &Bench::shapes},
                                  {"functions", &Bench::functions},
                                  {"build options", &Bench::build_options},
                                  {"launches", &Bench::launches},
                                  {"concurrent kernels", &Bench::concurrency},
                                  {"transfers", &Bench::transfers},
                                  {"effective bandwidth", &Bench::effective_bandwidth}};
  return all;
}

void Bench::run(std::size_t first) {
  for (std::size_t i = first; i < groups().size(); i++) {
    group_ = groups()[i].name;
    listener_.begins(i);
    try {
      (this->*groups()[i].run)();
    } catch (const std::exception &e) {
      missing("all", e);
    }
  }
}

void Bench::attempt(const std::string &name, const char *unit, const std::function<double()> &value) {
  try {
    add(name, value(), unit);
  } catch (const std::exception &e) {
    missing(name, e);
  }
}

double Bench::time(const std::function<void()> &call, int calls) {
  const auto timer = device_.make_timer();
  std::vector<double> ms;
  call();
  queue_.wait();
  for (int i = 0; i < 7; i++) {
    timer->start(queue_);
    for (int k = 0; k < calls; k++) call();
    timer->stop(queue_);
    queue_.wait();
    ms.push_back(timer->milliseconds() / calls);
  }
  std::sort(ms.begin(), ms.end());
  return ms[ms.size() / 2];
}

void Bench::copies() {
  const double ms = time(
      [&] {
        queue_.submit("a copy", [&](cl_event *e) {
          return clEnqueueCopyBuffer(queue_.get(), in(), out(), 0, 0, bytes_, 0, nullptr, e);
        });
      },
      calls());
  add("copy command, read and write", 2 * gigabytes(bytes_, ms), "GB/s");
  {
    ClKernel k = ClProgram(device_, {cl::micro_cl}, "-D TYPE=float4").kernel("copy");
    const cl_uint count = cl_uint(bytes_ / 16);
    add("identity kernel, float4, read and write",
        2 * gigabytes(bytes_,
                      time(
                          [&] {
                            k.launch(queue_, {items(count), 1}, {group_size(), 1}, in(), out(), count);
                          },
                          calls())),
        "GB/s");
  }
}
void Bench::widths() {
  const struct {
    const char *type;
    std::size_t bytes;
  } types[] = {{"uchar", 1},  {"uchar4", 4},  {"uchar8", 8},  {"uchar16", 16}, {"float", 4},
               {"float2", 8}, {"float4", 16}, {"float8", 32}, {"float16", 64}};
  for (const auto &t : types) {
    ClKernel k = ClProgram(device_, {cl::micro_cl}, text("-D TYPE=", t.type)).kernel("copy");
    const cl_uint count = cl_uint(bytes_ / 4 / t.bytes);
    add(text(t.type, ", read and write"),
        2 * gigabytes(bytes_ / 4,
                      time(
                          [&] {
                            k.launch(queue_, {items(count), 1}, {group_size(), 1}, in(), out(), count);
                          },
                          calls())),
        "GB/s");
  }
}

void Bench::functions() {
  const std::size_t count = device_.is_cpu() ? 4096 : 1 << 18;
  for (const char *f : {"exp", "native_exp", "exp2", "native_exp2", "sqrt", "native_sqrt", "sin",
                        "native_sin", "1.5f/", "native_recip", "log", "native_log"}) {
    // Something of about 1 to work on again, whatever the function.
    const bool divide = std::strcmp(f, "1.5f/") == 0;
    ClKernel k =
        ClProgram(device_, {cl::micro_cl},
                  text("-D FUNCTION(v)=(", divide ? "1.5f/(v+0.5f)" : text(f, "(0.2f*v+0.9f)").c_str(), ")"))
            .kernel("compute");
    const double ms = time([&] { k.launch(queue_, {count, 1}, {group_size(), 1}, out(), 0.5f); }, calls());
    add(divide ? "division" : f, double(count) * 4 * 64 / 1e6 / ms, "G/s");
  }
}

void Bench::launches() {
  ClKernel k = ClProgram(device_, {cl::micro_cl}).kernel("nothing");
  constexpr int many = 500;
  const auto launch = [&] { k.launch(queue_, {64, 1}, {64, 1}, out()); };
  launch();
  queue_.wait();
  auto start = Clock::now();
  for (int i = 0; i < many; i++) launch();
  queue_.wait();
  const auto us = [&](Clock::time_point t) {
    return std::chrono::duration<double, std::micro>(Clock::now() - t).count();
  };
  add("in a row, each", us(start) / many, "us");
  std::vector<double> single;
  for (int i = 0; i < 101; i++) {
    start = Clock::now();
    launch();
    queue_.wait();
    single.push_back(us(start));
  }
  std::sort(single.begin(), single.end());
  add("alone, with the wait for its end", single[single.size() / 2], "us");
}

void Bench::transfers() {
  const std::size_t bytes = std::min<std::size_t>(bytes_, std::size_t{32} << 20);
  std::vector<char> pageable(bytes, 1);
  const std::unique_ptr<void, std::function<void(void *)>> pinned(device_.allocate_host(bytes),
                                                                  [&](void *p) { device_.release_host(p); });
  std::memset(pinned.get(), 1, bytes);
  // By the host's clock: what the driver copies before it starts counts as well.
  const auto speed = [&](const char *name, const std::function<void()> &copy) {
    std::vector<double> ms;
    for (int i = 0; i < 7; i++) {
      const auto start = Clock::now();
      copy();
      queue_.wait();
      ms.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
    }
    std::sort(ms.begin(), ms.end());
    add(name, gigabytes(bytes, ms[ms.size() / 2]), "GB/s");
  };
  speed("to the device, pinned", [&] { device_.upload(in_.as(), pinned.get(), bytes, queue_); });
  speed("to the device, pageable", [&] { device_.upload(in_.as(), pageable.data(), bytes, queue_); });
  speed("to the host, pinned", [&] { device_.download(pinned.get(), in_.as(), bytes, queue_); });
  speed("to the host, pageable", [&] { device_.download(pageable.data(), in_.as(), bytes, queue_); });
}

std::vector<std::string> micro_groups() {
  std::vector<std::string> names;
  for (const Bench::Group &g : Bench::groups()) names.emplace_back(g.name);
  return names;
}

void microbenchmarks(ClDevice &d, std::size_t first, const Listener &l) {
  Bench(d, l).run(first);
}

} // namespace vigil::tune
