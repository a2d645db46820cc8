// SPDX-License-Identifier: LGPL-2.1-or-later
#include "common/cpu/device.h"

#include "common/error.h"

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <sys/mman.h>
#ifdef __SANITIZE_THREAD__
#include <algorithm>
#include <thread>
#include <vector>
#endif

namespace vigil {
namespace {

class CpuQueue final : public Queue {
 public:
  void wait() override {}
  void after(Event &) override {}
};

class CpuEvent final : public Event {
 public:
  void record(Queue &) override {}
  void wait() override {}
};

class CpuTimer final : public Timer {
  using Clock = std::chrono::steady_clock;

 public:
  void start(Queue &) override { start_ = Clock::now(); }
  void stop(Queue &) override { stop_ = Clock::now(); }
  bool ready() override { return true; }
  double milliseconds() override { return std::chrono::duration<double, std::milli>(stop_ - start_).count(); }

 private:
  Clock::time_point start_{}, stop_{};
};

constexpr std::size_t alignment = 256, huge_page = 2 << 20;

void copy_rows(void *to, std::ptrdiff_t to_stride, const void *from, std::ptrdiff_t from_stride,
               std::size_t row_bytes, int rows) {
  for (int y = 0; y < rows; y++)
    std::memcpy(static_cast<char *>(to) + y * to_stride, static_cast<const char *>(from) + y * from_stride,
                row_bytes);
}

} // namespace

struct CpuDevice::Pool {
  explicit Pool(int threads) : arena(threads > 0 ? threads : oneapi::tbb::task_arena::automatic) {}
  oneapi::tbb::task_arena arena;
};

CpuDevice::CpuDevice(int threads) : pool_(std::make_unique<Pool>(threads)) {}
CpuDevice::~CpuDevice() = default;

int CpuDevice::threads() const {
  return pool_->arena.max_concurrency();
}

std::string CpuDevice::name() const {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "CPU";
}

void *CpuDevice::allocate(std::size_t bytes) {
  // Large memory is asked for in large pages: fewer addresses to look up (mog on the CPU: a tenth of its
  // time).
  const std::size_t unit = bytes >= 4 * huge_page ? huge_page : alignment;
  void *p = std::aligned_alloc(unit, (bytes + unit) / unit * unit);
  if (!p) fail(Error::Kind::no_memory, "no ", bytes, " bytes of memory are left");
#ifdef MADV_HUGEPAGE
  if (unit == huge_page) madvise(p, bytes, MADV_HUGEPAGE); // a wish: nothing is lost when it is refused
#endif
  return p;
}
void CpuDevice::release(void *p) noexcept {
  std::free(p);
}

void CpuDevice::upload(void *to, const void *from, std::size_t bytes, Queue &) {
  std::memcpy(to, from, bytes);
}
void CpuDevice::download(void *to, const void *from, std::size_t bytes, Queue &) {
  std::memcpy(to, from, bytes);
}
void CpuDevice::upload(void *to, std::ptrdiff_t to_stride, const void *from, std::ptrdiff_t from_stride,
                       std::size_t row_bytes, int rows, Queue &) {
  copy_rows(to, to_stride, from, from_stride, row_bytes, rows);
}
void CpuDevice::download(void *to, std::ptrdiff_t to_stride, const void *from, std::ptrdiff_t from_stride,
                         std::size_t row_bytes, int rows, Queue &) {
  copy_rows(to, to_stride, from, from_stride, row_bytes, rows);
}
void CpuDevice::fill(void *to, int byte, std::size_t bytes, Queue &) {
  std::memset(to, byte, bytes);
}

std::unique_ptr<Queue> CpuDevice::make_queue() {
  return std::make_unique<CpuQueue>();
}
std::unique_ptr<Timer> CpuDevice::make_timer() {
  return std::make_unique<CpuTimer>();
}
std::unique_ptr<Event> CpuDevice::make_event() {
  return std::make_unique<CpuEvent>();
}

void CpuDevice::parallel(int count, int grain, const std::function<void(int, int)> &work) {
  if (threads() == 1 || count <= grain) {
    if (count > 0) work(0, count);
    return;
  }
#ifdef __SANITIZE_THREAD__
  // ThreadSanitizer does not see how libtbb orders its tasks, which are not instrumented. It sees the same
  // parts on threads of the standard library.
  const int parts = std::min((count + grain - 1) / grain, 4);
  std::vector<std::jthread> helpers;
  for (int i = 0; i < parts; i++)
    helpers.emplace_back([&, i] { work(count * i / parts, count * (i + 1) / parts); });
#else
  pool_->arena.execute([&] {
    oneapi::tbb::parallel_for(oneapi::tbb::blocked_range<int>(0, count, grain),
                              [&](const auto &r) { work(r.begin(), r.end()); });
  });
#endif
}

std::unique_ptr<Device> open_cpu(int threads) {
  return std::make_unique<CpuDevice>(threads);
}

} // namespace vigil
