// SPDX-License-Identifier: LGPL-2.1-or-later
// The second, larger and slower folder for older recordings (storage: {cold: ...}): whether it can be used
// now. It may be away, be another one than before, or not answer. All methods may be called from any thread;
// use() alone waits for the folder.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <string>

namespace vigil::monitor {

class ColdFolder {
 public:
  using Log = std::function<void(const std::string &)>;
  ColdFolder(std::string path, Log log) : path_(std::move(path)), log_(std::move(log)) {}

  const std::string &path() const { return path_; }
  std::string file(const std::string &below) const { return path_ + "/" + below; }
  // Empty: it works. Else what is wrong, as "is not there" or "is full".
  std::string problem() const;
  // Throws Error::io where nothing can be read from it.
  void check() const;

  // Looks whether it is there. `used`: something of ours is in it, so that a folder without our mark is
  // another one. True when it works.
  bool use(bool used);
  // It takes nothing more, but can be read; said once. Empty: it takes something.
  void takes_nothing(const std::string &why);
  // Around whatever waits for the folder; calls of it tell how it goes on.
  class Work {
   public:
    explicit Work(ColdFolder &f) : folder_(f) { goes_on(); }
    ~Work() { folder_.busy_since_ = 0; }
    Work(const Work &) = delete;
    Work &operator=(const Work &) = delete;
    void goes_on();

   private:
    ColdFolder &folder_;
  };
  void tick(); // once a second: says it once when the folder does not answer

 private:
  void become(const std::string &problem);
  std::string unreadable() const;
  double waits() const; // seconds, of work that does not go on
  const std::string path_;
  const Log log_;
  mutable std::mutex lock_;
  std::string problem_;                // at the last look
  bool said_ = false;                  // of it
  std::string full_;                   // why it takes nothing more
  std::atomic<double> busy_since_ = 0; // monotonic; 0: nothing waits for it
};

} // namespace vigil::monitor
