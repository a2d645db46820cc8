// SPDX-License-Identifier: LGPL-2.1-or-later
#include "engine_module.h"

#include "common/error.h"
#include "common/own_file.h"

#include <cstdint>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <fstream>
#include <link.h>
#include <mutex>
#include <string>
#include <unistd.h>

namespace vigil::monitor {
namespace {

constexpr OwnFile engine_file{"vigil-detector.module", "tools/vigil-monitor", "VIGIL_DETECTOR_MODULE", R_OK};

struct CloseLibrary {
  void operator()(void *library) const { dlclose(library); }
};

[[noreturn]] void cannot_use(const std::string &file, const std::string &reason, const char *remedy) {
  fail(Error::Kind::no_device, "the detector needs the module ", file, ", which ", reason, "; ", remedy,
       ", or remove the section detector");
}

// The loader's words begin with the file where that itself is meant.
std::string loader_words(const std::string &file) {
  const char *said = dlerror();
  std::string words = said ? said : "no reason is given";
  if (words.starts_with(file + ": ")) words.erase(0, file.size() + 2);
  return words;
}

// Whether a file of this machine's kind has all that it says is loaded: the loader ends the process where
// some of it is missing, as after a copy that broke off.
bool is_whole(const std::string &file) {
  std::ifstream in(file, std::ios::binary | std::ios::ate);
  const auto size = static_cast<std::uint64_t>(in.tellg());
  ElfW(Ehdr) head{};
  if (!in.seekg(0).read(reinterpret_cast<char *>(&head), sizeof head) ||
      std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0)
    return true; // the loader says it
  in.seekg(static_cast<std::streamoff>(head.e_phoff));
  ElfW(Phdr) part{};
  for (unsigned i = 0; i < head.e_phnum; i++) {
    if (!in.read(reinterpret_cast<char *>(&part), sizeof part)) return false;
    if (part.p_offset > size || part.p_filesz > size - part.p_offset) return false;
  }
  return true;
}

MakeNetworkEngine *open_module() {
  constexpr const char *install = "install the package vigil-monitor-detector (a build from source needs "
                                  "libopencv-dnn-dev and -Ddetector=enabled)";
  const std::string file = find_own_file(engine_file);
  if (file.empty()) cannot_use(installed_own_file(engine_file), "is missing or cannot be read", install);
  if (!is_whole(file)) cannot_use(file, "is cut off", install);
  std::unique_ptr<void, CloseLibrary> library(dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL));
  if (!library) cannot_use(file, "cannot be loaded: " + loader_words(file), install);
  const auto version =
      reinterpret_cast<NetworkEngineVersion *>(dlsym(library.get(), network_engine_version_symbol));
  const auto make = reinterpret_cast<MakeNetworkEngine *>(dlsym(library.get(), make_network_engine_symbol));
  if (!version || !make) cannot_use(file, "is no module of a detector", install);
  if (const int has = version(); has != network_engine_version)
    cannot_use(file, text("has version ", has, " of the interface instead of ", network_engine_version),
               "install vigil-monitor and vigil-monitor-detector of one version");
  library.release(); // stays open, as a library that is linked
  return make;
}

MakeNetworkEngine *opened() {
  static std::mutex lock;
  static MakeNetworkEngine *make = nullptr;
  const std::lock_guard guard(lock);
  if (!make) make = open_module();
  return make;
}

} // namespace

void need_engines() {
  opened();
}

std::unique_ptr<NetworkEngine> make_engine() {
  std::unique_ptr<NetworkEngine> engine(opened()());
  if (!engine) fail(Error::Kind::no_memory, "there is no memory for the detector; stop other programs");
  return engine;
}

} // namespace vigil::monitor
