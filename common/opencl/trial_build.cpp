// SPDX-License-Identifier: LGPL-2.1-or-later
#include "common/opencl/trial_build.h"

#include "common/error.h"
#include "common/opencl/cache.h"
#include "common/opencl/choose.h"
#include "vigil-config.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <optional>
#include <spawn.h>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

extern char **environ;

namespace vigil {
namespace {

constexpr const char *program = "vigil-cl-build";
constexpr const char *extension = "tried";

// Of the plugin or program that this code is part of.
std::string own_folder() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void *>(&try_build_elsewhere), &info) == 0 || !info.dli_fname) return ".";
  const std::string path = info.dli_fname;
  const std::size_t end = path.rfind('/');
  return end == path.npos ? "." : path.substr(0, end);
}

// Beside the plugin in a build folder, else where it is installed; VIGIL_CL_BUILD names another, or none when
// it is empty.
std::string find_program() {
  if (const char *named = std::getenv("VIGIL_CL_BUILD")) return named;
  for (const std::string &path : {text(own_folder(), "/", program), text(own_folder(), "/common/", program),
                                  text(VIGIL_LIBEXEC_FOLDER, "/", program)})
    if (access(path.c_str(), X_OK) == 0) return path;
  return {};
}

// A file in memory, which needs no reader at its other end, as a pipe would.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view content = {})
      : descriptor_(memfd_create("vigil-cl-build", MFD_CLOEXEC)) {
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

// What ended the helper, as waitpid() has it; 0 when it ended by itself, or nobody can tell.
int run(const std::string &path, const std::string &device, const std::string &options,
        const MemoryFile &source, const MemoryFile &words) {
  posix_spawn_file_actions_t actions;
  if (posix_spawn_file_actions_init(&actions) != 0) return 0;
  posix_spawn_file_actions_adddup2(&actions, source.get(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, words.get(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, words.get(), STDERR_FILENO);
  std::string arguments[] = {path, device, options};
  char *argv[] = {arguments[0].data(), arguments[1].data(), arguments[2].data(), nullptr};
  pid_t pid = 0;
  const int failed = posix_spawn(&pid, path.c_str(), &actions, nullptr, argv, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return 0;
  int status = 0;
  while (waitpid(pid, &status, 0) < 0)
    if (errno != EINTR) return 0; // where the application ignores SIGCHLD
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

std::optional<std::size_t> number_of(const ClDevice &d) {
  const std::vector<ClCandidate> all = cl_candidates();
  for (std::size_t i = 0; i < all.size(); i++)
    if (all[i].id == d.id()) return i;
  return {};
}

} // namespace

bool try_build_elsewhere(const ClDevice &d, const std::string &name, const std::string &source,
                         const std::string &options) {
  const FileCache cache(cache_directory("opencl"));
  const std::string key =
      text(d.device_name(), "\n", d.text_info(CL_DEVICE_VERSION), "\n", d.driver_version(), "\n", source);
  if (cache.read(key, extension)) return false;
  const std::string path = find_program();
  const std::optional<std::size_t> number = number_of(d);
  if (path.empty() || !number) return false;
  const MemoryFile input(source), words;
  if (input.get() < 0 || words.get() < 0) return false;
  if (const int signal = run(path, std::to_string(*number), options, input, words))
    fail(Error::Kind::device, "the OpenCL compiler of ", d.name(), " broke down while it compiled ", name,
         options.empty() ? "" : " with ", options, " (signal ", signal, ", ", strsignal(signal),
         "). Use another device (property device) or another version of the driver. Its last words:\n",
         words.end(1000));
  cache.write(key, extension, "1");
  return true;
}

} // namespace vigil
