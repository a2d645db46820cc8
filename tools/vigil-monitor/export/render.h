// SPDX-License-Identifier: LGPL-2.1-or-later
// The child process of export_render(): fragmented MP4 from the standard input, an MP4 file of H.264 out.
#pragma once

namespace vigil::monitor {

// argv: --render-export FILE START BURN_IN TIMELAPSE KEYS_ONLY SOUND PARENT, as export_render() writes them.
// Returns the exit status; why it failed is on the standard output.
int render_export(int argc, char **argv);

} // namespace vigil::monitor
