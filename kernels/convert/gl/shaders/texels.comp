// SPDX-License-Identifier: LGPL-2.1-or-later
// A texture of CHANNELS channels as rows of bytes: an invocation makes a word. PAIR: where two channels are found. WIDE: channels
// have 16 bits, whose upper 8 are the byte.
layout(local_size_x = 32, local_size_y = 4) in;

layout(std140, binding = 0) uniform Job {
  int width, height;
  uint to_offset;
  int to_stride;
};
layout(std430, binding = 0) writeonly buffer To { uint to[]; };
uniform sampler2D texels;

void main() {
  const int pixels = 4 / CHANNELS; // of a word
  int x = int(gl_GlobalInvocationID.x) * pixels, y = int(gl_GlobalInvocationID.y);
  if (x >= width || y >= height) return;
  vec4 bytes = vec4(0.0);
#if CHANNELS == 4
  bytes = texelFetch(texels, ivec2(x, y), 0);
#elif CHANNELS == 2
  bytes.xy = texelFetch(texels, ivec2(x, y), 0).PAIR;
  if (x + 1 < width) bytes.zw = texelFetch(texels, ivec2(x + 1, y), 0).PAIR;
#else
  for (int i = 0; i < 4; i++)
    if (x + i < width) bytes[i] = texelFetch(texels, ivec2(x + i, y), 0).r;
#endif
#if WIDE
  bytes = floor(floor(bytes * 65535.0 + 0.5) / 256.0) / 255.0;
#endif
  to[(int(to_offset) + y * to_stride) / 4 + int(gl_GlobalInvocationID.x)] = packUnorm4x8(bytes);
}
