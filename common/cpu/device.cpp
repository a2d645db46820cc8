// SPDX-License-Identifier: LGPL-2.1-or-later
#include "common/cpu/device.h"

#include "common/cpu/parallel_for.h"
#include "common/error.h"

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sys/mman.h>

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

CpuDevice::CpuDevice(int threads) : arena_(std::make_unique<TaskArena>(threads)) {}
CpuDevice::~CpuDevice() = default;

int CpuDevice::threads() const {
  return arena_->threads();
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
  arena_->parallel_for(count, grain, work);
}

std::unique_ptr<Device> open_cpu(int threads) {
  return std::make_unique<CpuDevice>(threads);
}

} // namespace vigil
