// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/dynload/dynload.h"

#include "gst/dynload/optional-libraries.h"

#include <cstring>
#include <dlfcn.h>
#include <gst/gst.h>

// From make_stubs.py: the slots of a library's functions; their names, each ending with a zero, with an empty
// one after the last; the library's name; and what answers in the place of a function that is not there.
#define STUBS(name)                                                                                          \
  extern "C" void *vigil_##name##_mappings[];                                                                \
  extern "C" const char vigil_##name##_names[], vigil_##name##_soname[];                                     \
  extern "C" void vigil_##name##_absent();
VIGIL_OPTIONAL_LIBRARIES(STUBS)

namespace vigil::gst {
namespace {

// Not used where the plugin is built without any of these libraries.
[[maybe_unused]] void load(const char *soname, const char *names, void **slots, void (*absent)()) {
  void *library = dlopen(soname, RTLD_NOW | RTLD_LOCAL); // stays open, as a library that is linked
  if (!library) GST_INFO("%s is not there, and nothing that needs it works: %s", soname, dlerror());
  for (const char *name = names; *name; name += std::strlen(name) + 1, slots++) {
    *slots = library ? dlsym(library, name) : nullptr;
    if (!*slots) *slots = reinterpret_cast<void *>(absent);
  }
}

} // namespace

void load_optional_libraries() {
#define LOAD(name)                                                                                           \
  load(vigil_##name##_soname, vigil_##name##_names, vigil_##name##_mappings, vigil_##name##_absent);
  VIGIL_OPTIONAL_LIBRARIES(LOAD)
}

} // namespace vigil::gst
