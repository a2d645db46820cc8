// SPDX-License-Identifier: LGPL-2.1-or-later
#include "../camera/utc.h"
#include "common/error.h"
#include "common/file.h"
#include "export_output.h"
#include "sha256.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

extern char **environ;

namespace vigil::monitor {
namespace {

constexpr const char *this_program = "/proc/self/exe"; // also after an update has replaced the file

struct Pipe {
  int read = -1, write = -1;
  Pipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) fail(Error::Kind::io, "cannot make a pipe: ", std::strerror(errno));
    read = ends[0];
    write = ends[1];
  }
  ~Pipe() {
    close_read();
    close_write();
  }
  Pipe(const Pipe &) = delete;
  Pipe &operator=(const Pipe &) = delete;
  void close_read() {
    if (read >= 0) close(std::exchange(read, -1));
  }
  void close_write() {
    if (write >= 0) close(std::exchange(write, -1));
  }
};

class Render : public ExportOutput {
 public:
  Render(std::string path, const RenderOrder &order, const ExportRoom &room, const ExportProgress &progress)
      : path_(std::move(path)), part_(path_ + ".part"), room_(room), progress_(progress) {
    const std::string words[] = {"vigil-monitor",
                                 "--render-export",
                                 part_,
                                 std::to_string(order.start),
                                 std::to_string(order.burn_in),
                                 std::to_string(order.timelapse),
                                 std::to_string(order.keys_only),
                                 order.sound,
                                 std::to_string(getpid())};
    std::vector<char *> argv;
    for (const std::string &w : words) argv.push_back(const_cast<char *>(w.c_str()));
    argv.push_back(nullptr);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, in_.read, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&files, out_.write, STDOUT_FILENO);
    posix_spawnattr_t how;
    posix_spawnattr_init(&how);
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP); // Ctrl-C is for this process, which ends the child
    posix_spawnattr_setpgroup(&how, 0);
    const int error = posix_spawn(&child_, this_program, &files, &how, argv.data(), environ);
    posix_spawnattr_destroy(&how);
    posix_spawn_file_actions_destroy(&files);
    if (error != 0)
      fail(Error::Kind::io, "cannot start ", this_program, " to encode: ", std::strerror(error));
    in_.close_read();
    out_.close_write();
    fcntl(in_.write, F_SETFL, O_NONBLOCK);
  }

  ~Render() override {
    if (child_ > 0) {
      kill(child_, SIGKILL);
      waitpid(child_, nullptr, 0);
    }
    if (!finished_) unlink(part_.c_str());
  }

  void put(std::string_view bytes) override {
    constexpr int look = 500;        // ms
    constexpr double patience = 120; // seconds in which it takes nothing
    double last = Utc::monotonic_seconds();
    while (!bytes.empty()) {
      check();
      const ssize_t n = write(in_.write, bytes.data(), bytes.size());
      if (n > 0) {
        bytes.remove_prefix(static_cast<std::size_t>(n));
        last = Utc::monotonic_seconds();
        continue;
      }
      if (errno == EPIPE) { // it has ended: why?
        wait();
        fail(Error::Kind::bad_data, "the encoder ended too early: ", reason());
      }
      if (errno != EAGAIN && errno != EINTR) fail(Error::Kind::io, "the encoder: ", std::strerror(errno));
      if (Utc::monotonic_seconds() - last > patience)
        fail(Error::Kind::bad_data, "the encoder has taken nothing for ", patience, " seconds");
      pollfd can{in_.write, POLLOUT, 0};
      poll(&can, 1, look);
    }
  }

  Made finish() override {
    in_.close_write();
    if (const int status = wait(); status != 0) fail(Error::Kind::bad_data, "the encoder failed: ", reason());
    const int file = open(part_.c_str(), O_RDONLY | O_CLOEXEC);
    const bool stored = file >= 0 && fsync(file) == 0;
    const int why = errno;
    if (file >= 0) close(file);
    if (!stored) fail(Error::Kind::write, "cannot store ", part_, ": ", std::strerror(why));
    Made made{static_cast<std::int64_t>(std::filesystem::file_size(part_)), sha256_of_file(part_)};
    if (std::rename(part_.c_str(), path_.c_str()) != 0)
      fail(Error::Kind::write, "cannot rename ", part_, ": ", std::strerror(errno));
    finished_ = true;
    sync_folder_of(path_);
    return made;
  }

 private:
  void check() {
    progress_.check();
    const double now = Utc::monotonic_seconds();
    if (now < next_look_) return;
    next_look_ = now + 1;
    if (room_() < 0)
      fail(Error::Kind::write, "the disk has less free space than min_free, while ", path_, " was written");
  }

  // Until it ends; its exit status.
  int wait() {
    constexpr std::chrono::milliseconds look(50);
    constexpr double patience = 600; // what waits in its queues
    const double begin = Utc::monotonic_seconds();
    int status = 0;
    while (waitpid(child_, &status, WNOHANG) == 0) {
      check();
      if (Utc::monotonic_seconds() - begin > patience)
        fail(Error::Kind::bad_data, "the encoder does not end within ", patience, " seconds");
      std::this_thread::sleep_for(look);
    }
    child_ = -1;
    return status;
  }

  // What it has said, in a line.
  std::string reason() {
    std::string said(4096, '\0');
    fcntl(out_.read, F_SETFL, O_NONBLOCK);
    const ssize_t n = ::read(out_.read, said.data(), said.size());
    said.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
    std::replace(said.begin(), said.end(), '\n', ' ');
    return said.empty() ? "it was killed, perhaps for want of memory" : said;
  }

  const std::string path_, part_;
  const ExportRoom &room_;
  const ExportProgress &progress_;
  Pipe in_, out_;
  pid_t child_ = -1;
  double next_look_ = 0;
  bool finished_ = false;
};

} // namespace

std::unique_ptr<ExportOutput> export_render(std::string path, const RenderOrder &order,
                                            const ExportRoom &room, const ExportProgress &progress) {
  return std::make_unique<Render>(std::move(path), order, room, progress);
}

} // namespace vigil::monitor
