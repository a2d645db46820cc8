// SPDX-License-Identifier: LGPL-2.1-or-later
// Tries the stages on a device before frames come. Drivers of OpenGL are many, and few were at hand: what a
// driver lacks, what it does not compile and what it computes otherwise is known at the start by this.
#pragma once

#include "common/device.h"

namespace vigil::gst::cudamog {

// A small scene goes through all stages on this device and on the CPU. Throws where the device cannot do the
// work, and Error::device where more than one in a thousand pixels of the masks differ.
void try_out(Device &);

} // namespace vigil::gst::cudamog
