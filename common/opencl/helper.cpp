// SPDX-License-Identifier: LGPL-2.1-or-later
#include "common/opencl/helper.h"

#include "common/error.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <spawn.h>
#include <string_view>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

extern char **environ;

namespace vigil {
namespace {

// A file in memory, which needs no reader at its other end, as a pipe would.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view content = {})
      : descriptor_(memfd_create("vigil-helper", MFD_CLOEXEC)) {
    while (descriptor_ >= 0 && !content.empty()) {
      const ssize_t n = write(descriptor_, content.data(), content.size());
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) break;
      content.remove_prefix(std::size_t(n));
    }
    lseek(descriptor_, 0, SEEK_SET);
  }
  ~MemoryFile() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  MemoryFile(const MemoryFile &) = delete;
  MemoryFile &operator=(const MemoryFile &) = delete;
  int get() const { return descriptor_; }
  // The last of what was written.
  std::string end(std::size_t bytes) const {
    const off_t size = lseek(descriptor_, 0, SEEK_END);
    std::string s(std::size_t(std::max<off_t>(0, std::min(size, off_t(bytes)))), '\0');
    const ssize_t n = pread(descriptor_, s.data(), s.size(), size - off_t(s.size()));
    s.resize(std::size_t(std::max<ssize_t>(0, n)));
    return s;
  }

 private:
  int descriptor_;
};

// Waits for the end of a child, which is ended by force when it takes too long.
void wait_for(pid_t pid, double seconds, HelperResult &r) {
  using clock = std::chrono::steady_clock;
  const auto end = clock::now() + std::chrono::duration<double>(seconds);
  for (auto pause = std::chrono::milliseconds(1);;) {
    int status = 0;
    const pid_t ended = waitpid(pid, &status, r.timed_out ? 0 : WNOHANG);
    if (ended < 0 && errno == EINTR) continue;
    if (ended < 0) return; // where the application ignores SIGCHLD
    if (ended == pid) {
      r.ran = true;
      r.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
      r.status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
      return;
    }
    if (clock::now() >= end) {
      r.timed_out = true;
      kill(pid, SIGKILL);
      continue;
    }
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, std::chrono::milliseconds(20));
  }
}

} // namespace

std::optional<std::size_t> number_of(const ClDevice &d) {
  const std::vector<ClCandidate> all = cl_candidates();
  for (std::size_t i = 0; i < all.size(); i++)
    if (all[i].id == d.id()) return i;
  return {};
}

HelperResult run_helper(const std::string &path, std::span<const std::string> arguments,
                        const std::string &input, double seconds) {
  HelperResult r;
  const MemoryFile source(input), words;
  posix_spawn_file_actions_t actions;
  if (source.get() < 0 || words.get() < 0 || posix_spawn_file_actions_init(&actions) != 0) return r;
  posix_spawn_file_actions_adddup2(&actions, source.get(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, words.get(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, words.get(), STDERR_FILENO);
  std::vector<std::string> texts{path};
  texts.insert(texts.end(), arguments.begin(), arguments.end());
  std::vector<char *> argv;
  for (std::string &s : texts) argv.push_back(s.data());
  argv.push_back(nullptr);
  pid_t pid = 0;
  const int failed = posix_spawn(&pid, path.c_str(), &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return r;
  wait_for(pid, seconds, r);
  r.words = words.end(2000);
  return r;
}

} // namespace vigil
