// SPDX-License-Identifier: LGPL-2.1-or-later
// Bytes in storage buffers, which are arrays of words: not every device has types of 8 bits. `b` is such an
// array, `at` a byte offset in it. Comes before the files that use it.

#define BYTE(b, at) (b[(at) >> 2u] >> (((at) & 3u) * 8u) & 255u)

// Four bytes from any offset on, of which the last lies in the buffer.
#define WORD(b, at)                                                                                          \
  (((at) & 3u) == 0u ? b[(at) >> 2u]                                                                         \
                     : b[(at) >> 2u] >> (((at) & 3u) * 8u) | b[((at) >> 2u) + 1u] << (32u - ((at) & 3u) * 8u))

// Which of the four bytes of a word are 255, a bit each.
uint full_bytes(uint four) {
  uint bits = 0u;
  for (int i = 0; four != 0u && i < 4; i++)
    if ((four >> uint(8 * i) & 255u) == 255u) bits |= 1u << uint(i);
  return bits;
}

// Sets the bits of word `i` that are set in `bits` as in `value`. Others may write the word's other bits at the
// same time.
#define PUT_BITS(b, i, bits, value)                                                                          \
  {                                                                                                          \
    if ((bits) == 0xffffffffu) {                                                                             \
      b[i] = value;                                                                                          \
    } else if ((bits) != 0u) {                                                                               \
      atomicAnd(b[i], ~(bits));                                                                              \
      atomicOr(b[i], (value) & (bits));                                                                      \
    }                                                                                                        \
  }

#define PUT_BYTE(b, at, value)                                                                               \
  {                                                                                                          \
    uint put_at = (at), put_shift = (put_at & 3u) * 8u;                                                      \
    atomicAnd(b[put_at >> 2u], ~(255u << put_shift));                                                        \
    atomicOr(b[put_at >> 2u], uint(value) << put_shift);                                                     \
  }

// Formats, as PixelFormat has them.
#define GRAY8 0
#define RGBA 1
#define BGRA 2
#define NV12 3
#define I420 4

// Where byte `x` of row `y` of a plane is.
#define AT(offset, stride, x, y) uint(int(offset) + (y) * (stride) + (x))

uint luma_of(uint pixel, int format) {
  uint first = pixel & 255u, third = pixel >> 16u & 255u;
  uint r = format == RGBA ? first : third, b = format == RGBA ? third : first;
  return (77u * r + 150u * (pixel >> 8u & 255u) + 29u * b + 128u) >> 8u;
}
// The luma of pixel (x, y); `b`, `offset` and `stride` are those of plane 0.
#define LUMA(b, format, offset, stride, x, y)                                                                \
  (format == RGBA || format == BGRA ? luma_of(WORD(b, AT(offset, stride, 4 * (x), y)), format)               \
                                    : BYTE(b, AT(offset, stride, x, y)))
