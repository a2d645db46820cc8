// SPDX-License-Identifier: LGPL-2.1-or-later
// Libraries that the plugin can do without. It is not linked to libOpenCL, libgstgl and libgstcuda, since a
// plugin does not load where a library that it is linked to is missing, and then none of its elements is
// there, not even those that need no such library. Instead make_stubs.py makes a stub for each function of
// theirs, and the libraries are opened when the plugin is.
//
// A function of a library that is missing, or too old to have it, does nothing and answers as where there is
// no such device: FALSE, null or 0; in OpenCL CL_PLATFORM_NOT_FOUND_KHR. That is safe for the functions with
// which a use of the library begins, and the others are not reached without them.
#pragma once

namespace vigil::gst {

// Opens the libraries. To be called once, before any function of them, by the plugin's entry.
void load_optional_libraries();

} // namespace vigil::gst
