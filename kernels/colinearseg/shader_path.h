// SPDX-License-Identifier: LGPL-2.1-or-later
// Which shaders do the work in OpenGL (gl.h). For those who only name it, in builds without OpenGL, too.
#pragma once

namespace vigil::colinearseg {

enum class Path { automatic, compute, fragment };
const char *name_of(Path);

} // namespace vigil::colinearseg
