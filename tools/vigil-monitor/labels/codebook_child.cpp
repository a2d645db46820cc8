// SPDX-License-Identifier: LGPL-2.1-or-later
#include "codebook_child.h"

#include "../printable.h"
#include "common/error.h"
#include "common/file.h"
#include "common/own_file.h"

#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>

extern char **environ;

namespace vigil::monitor {
namespace {

constexpr OwnFile trainer{"vigil-train", "../vigil-train", "VIGIL_TRAIN", X_OK};

// A folder of pictures that goes with all that is in it.
class PictureFolder {
 public:
  explicit PictureFolder(std::string path) : path_(std::move(path)) {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
    if (mkdir(path_.c_str(), 0700))
      fail(Error::Kind::write, "cannot make the folder ", path_, ": ", std::strerror(errno));
  }
  ~PictureFolder() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  PictureFolder(const PictureFolder &) = delete;
  PictureFolder &operator=(const PictureFolder &) = delete;

  // One file, which is read in a tenth of the time that a file for each picture takes: YUV4MPEG2, grey.
  std::string write(std::span<const label::Picture> pictures) const {
    const std::string path = path_ + "/pictures.y4m";
    const std::string grey(label::picture_bytes / 2, '\x80'); // U and V
    std::ofstream out(path, std::ios::binary);
    out << "YUV4MPEG2 W" << label::picture_side << " H" << label::picture_side << " F1:1 Ip A1:1 C420\n";
    for (const label::Picture &p : pictures) {
      out << "FRAME\n";
      out.write(reinterpret_cast<const char *>(p.data()), static_cast<std::streamsize>(p.size()));
      out << grey;
    }
    if (!out.flush()) fail(Error::Kind::write, "cannot write ", path, ": is the disk full?");
    return path;
  }

 private:
  const std::string path_;
};

// A process, with all that it starts, that does not outlive this object.
class LimitedChild {
 public:
  LimitedChild(std::vector<std::string> words, const std::string &said) {
    // ulimit: seconds of processor time, KiB of memory. A sanitizer needs all addresses. OpenBLAS takes
    // memory for a thread of each processor when it is loaded: of many processors more than that.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    constexpr const char *limits = R"(ulimit -t 900; exec nice -n 19 "$@")";
#else
    constexpr const char *limits =
        R"(ulimit -t 900; ulimit -v 4194304; export OPENBLAS_NUM_THREADS=1; exec nice -n 19 "$@")";
#endif
    words.insert(words.begin(), {"sh", "-c", limits, "sh"});
    std::vector<char *> argv;
    for (std::string &w : words) argv.push_back(w.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, said.c_str(), O_WRONLY | O_CREAT, 0600);
    posix_spawnattr_t how;
    posix_spawnattr_init(&how);
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&how, 0);
    const int error = posix_spawn(&child_, "/bin/sh", &files, &how, argv.data(), environ);
    posix_spawnattr_destroy(&how);
    posix_spawn_file_actions_destroy(&files);
    if (error != 0) fail(Error::Kind::io, "cannot start vigil-train: ", std::strerror(error));
  }
  ~LimitedChild() {
    if (child_ <= 0) return;
    kill(-child_, SIGKILL);
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
  }
  LimitedChild(const LimitedChild &) = delete;
  LimitedChild &operator=(const LimitedChild &) = delete;

  // Its exit status. Throws Error::bad_data when it takes too long, or the program ends.
  int wait(const std::atomic<bool> &ending) {
    constexpr std::chrono::milliseconds look(100);
    constexpr std::chrono::minutes patience(30);
    const auto begun = std::chrono::steady_clock::now();
    int status = 0;
    while (waitpid(child_, &status, WNOHANG) == 0) {
      if (ending) fail(Error::Kind::bad_data, "the program ends");
      if (std::chrono::steady_clock::now() - begun > patience)
        fail(Error::Kind::bad_data, "vigil-train does not end within ", patience.count(), " minutes");
      std::this_thread::sleep_for(look);
    }
    child_ = -1;
    return status;
  }

 private:
  pid_t child_ = -1;
};

// The last line of what it said.
std::string last_words(const std::string &file) {
  constexpr std::size_t most = 65536;
  std::string said = read_text_file(file, "the words of vigil-train", most);
  while (!said.empty() && said.back() == '\n') said.pop_back();
  said = said.substr(said.rfind('\n') + 1);
  return said.empty() ? "it was killed, perhaps for want of memory" : printable(said, most_said);
}

} // namespace

std::vector<std::uint8_t> make_codebook(std::span<const label::Picture> pictures, const std::string &folder,
                                        const std::atomic<bool> &ending) {
  const std::string program = find_own_file(trainer);
  if (program.empty() || access(program.c_str(), X_OK) != 0)
    fail(Error::Kind::no_device, "there is no vigil-train; install the package vigil-tools");
  const PictureFolder folder_of_pictures(folder);
  const std::string model = folder + "/codebook.model", said = folder + "/said";
  // As in docs/measurements/log/2026-11/labels.md.
  std::vector<std::string> words = {program, "codebook", "-o", model, "--backend", "cpu", "--threads", "1"};
  for (const char *word :
       {"--seed", "1", "--projected", "24", "--components", "16", "--scales", "4", "--largest-scale", "1"})
    words.emplace_back(word);
  words.push_back(folder_of_pictures.write(pictures));
  LimitedChild child(std::move(words), said);
  if (child.wait(ending) != 0) fail(Error::Kind::bad_data, "vigil-train failed: ", last_words(said));
  static constexpr std::size_t largest = std::size_t{16} << 20;
  return read_plain_file(model, "the new codebook", 0, [](auto) { return largest; });
}

} // namespace vigil::monitor
