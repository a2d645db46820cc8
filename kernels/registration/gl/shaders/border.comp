// SPDX-License-Identifier: LGPL-2.1-or-later
// The room around a plane: a thread has one byte of it.
layout(local_size_x = 32, local_size_y = 4) in;

layout(std140, binding = 0) uniform Job {
  int width, height, pixel_bytes, room; // of the plane, in its own pixels
  uint offset;
  int stride;
};
layout(std430, binding = 0) buffer Plane { uint plane[]; };

void main() {
  int i = int(gl_GlobalInvocationID.x), y = int(gl_GlobalInvocationID.y) - room;
  int x = i / pixel_bytes - room, part = i % pixel_bytes;
  if (x >= width + room || y >= height + room) return;
  if (x >= 0 && x < width && y >= 0 && y < height) return;
  uint from = AT(offset, stride, clamp(x, 0, width - 1) * pixel_bytes + part, clamp(y, 0, height - 1));
  uint v = BYTE(plane, from);
  PUT_BYTE(plane, AT(offset, stride, x * pixel_bytes + part, y), v);
}
