// SPDX-License-Identifier: LGPL-2.1-or-later
#include "common/gl/functions.h"

#include "common/error.h"

#include <string>

namespace vigil {

GlFunctions load_gl(const GlLoader &loader) {
  GlFunctions f;
#define X(upper, name)                                                                                       \
  f.name = reinterpret_cast<PFNGL##upper##PROC>(loader("gl" #name));                                         \
  if (!f.name)                                                                                               \
    fail(Error::Kind::no_device,                                                                             \
         "the OpenGL driver has no gl" #name "; OpenGL 3.3 or OpenGL ES 3.0 is needed");
  VIGIL_GL_REQUIRED(X)
#undef X
#define X(upper, name)                                                                                       \
  f.name = reinterpret_cast<PFNGL##upper##PROC>(loader("gl" #name));                                         \
  if (!f.name) f.name = reinterpret_cast<PFNGL##upper##PROC>(loader("gl" #name "EXT"));
  VIGIL_GL_OPTIONAL(X)
#undef X
  return f;
}

} // namespace vigil
