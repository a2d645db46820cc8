// SPDX-License-Identifier: LGPL-2.1-or-later
// For files that Highway compiles once for each instruction set: 64 bytes of a mask to and from one bit each;
// byte i is bit i. Include it after highway.h, like Highway's own -inl.h files.
#if defined(VIGIL_COMMON_CPU_MASK_BITS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef VIGIL_COMMON_CPU_MASK_BITS_INL_H
#undef VIGIL_COMMON_CPU_MASK_BITS_INL_H
#else
#define VIGIL_COMMON_CPU_MASK_BITS_INL_H
#endif

#include <bit>
#include <cstdint>
#include <cstring>
#include <hwy/highway.h>
#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace vigil::HWY_NAMESPACE {

static_assert(std::endian::native == std::endian::little, "bits are stored byte by byte and read by words");
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR // vectors of one byte, whose bits would each take a byte

HWY_INLINE std::uint64_t full_bits(const std::uint8_t *p) {
  std::uint64_t bits = 0;
  for (int i = 0; i < 64; i++) bits |= std::uint64_t{p[i] == 255} << i;
  return bits;
}
HWY_INLINE std::uint64_t some_bits(const std::uint8_t *p) {
  std::uint64_t bits = 0;
  for (int i = 0; i < 64; i++) bits |= std::uint64_t{p[i] != 0} << i;
  return bits;
}
HWY_INLINE std::uint64_t digit_bits(const std::uint8_t *p, int digit) {
  std::uint64_t bits = 0;
  for (int i = 0; i < 64; i++) bits |= std::uint64_t{p[i] >> digit & 1u} << i;
  return bits;
}
HWY_INLINE void put_bits(std::uint64_t full, std::uint64_t watched, std::uint8_t *p) {
  for (int i = 0; i < 64; i++) p[i] = watched >> i & 1 ? full >> i & 1 ? 255 : p[i] == 255 ? 0 : p[i] : 0;
}

#else

using MaskBytes = hn::CappedTag<std::uint8_t, 64>;

// Bit i of the result is test(bytes) of byte i.
template <class Test>
HWY_INLINE std::uint64_t bits_where(const std::uint8_t *p, Test test) {
  const MaskBytes d;
  constexpr std::size_t lanes = hn::MaxLanes(d);
  using Part = std::conditional_t<lanes == 64, std::uint64_t,
                                  std::conditional_t<lanes == 32, std::uint32_t, std::uint16_t>>;
  static_assert(sizeof(Part) * 8 == lanes);
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < 64; i += lanes) {
    Part part;
    hn::StoreMaskBits(d, test(hn::LoadU(d, p + i)), reinterpret_cast<std::uint8_t *>(&part));
    bits |= std::uint64_t{part} << i;
  }
  return bits;
}
// The bytes that are 255; those that are not 0.
HWY_INLINE std::uint64_t full_bits(const std::uint8_t *p) {
  return bits_where(p, [](auto v) HWY_ATTR { return hn::Eq(v, hn::Set(MaskBytes(), 255)); });
}
HWY_INLINE std::uint64_t some_bits(const std::uint8_t *p) {
  return bits_where(p, [](auto v) HWY_ATTR { return hn::Ne(v, hn::Zero(MaskBytes())); });
}
// The binary digit 0..7 of each byte.
HWY_INLINE std::uint64_t digit_bits(const std::uint8_t *p, int digit) {
  const auto one = hn::Set(MaskBytes(), static_cast<std::uint8_t>(1 << digit));
  return bits_where(p, [one](auto v) HWY_ATTR { return hn::TestBit(v, one); });
}
// Makes the bytes of `full` 255 and the others, where they were 255, 0; and all that are not `watched` 0.
HWY_INLINE void put_bits(std::uint64_t full, std::uint64_t watched, std::uint8_t *p) {
  const MaskBytes d;
  const auto most = hn::Set(d, 255);
  std::uint8_t f[16] = {}, w[16] = {}; // eight bytes are read from wherever a vector's bits begin
  std::memcpy(f, &full, 8);
  std::memcpy(w, &watched, 8);
  for (std::size_t i = 0; i < 64; i += hn::Lanes(d)) {
    const auto old = hn::LoadU(d, p + i);
    const auto rest = hn::IfThenZeroElse(hn::Eq(old, most), old);
    const auto v = hn::IfThenElse(hn::LoadMaskBits(d, f + i / 8), most, rest);
    hn::StoreU(hn::IfThenElseZero(hn::LoadMaskBits(d, w + i / 8), v), d, p + i);
  }
}

#endif

} // namespace vigil::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
