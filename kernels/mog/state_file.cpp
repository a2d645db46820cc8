// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/mog/state_file.h"

#include "common/bytes.h"
#include "common/error.h"
#include "common/file.h"

#include <bit>
#include <cstring>

namespace vigil::mog {
namespace {

constexpr char magic[8] = {'V', 'I', 'G', 'I', 'L', 'M', 'O', 'G'};
constexpr std::uint32_t plain = 1, with_pictures = 2; // versions
constexpr std::size_t crc_at = 12, crc_from = 16, header_bytes = 40;
constexpr std::uint32_t max_side = 1 << 16; // pixels; no frame is larger

std::uint32_t crc_of(std::span<const std::uint8_t> bytes) {
  return checksum(bytes.subspan(crc_from));
}

// The bits of the components of pixel i that are in use.
std::uint8_t used_components(const State &s, std::size_t i, std::size_t n) {
  if (s.config.method == Method::zivkovic) return static_cast<std::uint8_t>((1u << s.active[i]) - 1);
  unsigned bits = 0;
  for (int k = 0; k < s.config.components; k++)
    if (s.weight[k * n + i] > 0) bits |= 1u << k;
  return static_cast<std::uint8_t>(bits);
}

// Calls fn(i, k) for the components in use, in the order of the file.
template <class Fn>
void for_each_used(std::span<const std::uint8_t> used, int components, Fn fn) {
  for (std::size_t i = 0; i < used.size(); i++)
    for (int k = 0; k < components; k++)
      if (used[i] >> k & 1) fn(i, k);
}

struct Header {
  Config config;
  Samples samples{};
  std::uint64_t frames = 0;
  std::size_t pictures = 0;
  PixelFormat format{};
  std::size_t picture_bytes() const {
    return pictures * mog::picture_bytes(format, config.width, config.height);
  }
};

Header parse_header(std::span<const std::uint8_t> bytes) {
  using enum Error::Kind;
  if (bytes.size() < sizeof magic || std::memcmp(bytes.data(), magic, sizeof magic) != 0)
    fail(bad_data, "this is not a saved model: it does not begin with VIGILMOG");
  if (bytes.size() < header_bytes)
    fail(bad_data, "the saved model is cut off: ", bytes.size(), " bytes are less than its header of ",
         header_bytes);
  ByteReader in(bytes, sizeof magic);
  const auto version = in.number<std::uint32_t>();
  if (version != plain && version != with_pictures)
    fail(bad_data, "the saved model is of version ", version, "; this program reads versions ", plain,
         " and ", with_pictures);
  (void)in.number<std::uint32_t>(); // the CRC is checked when the size is known to be right
  const auto width = in.number<std::uint32_t>(), height = in.number<std::uint32_t>();
  const int channels = in.number<std::uint8_t>(), method = in.number<std::uint8_t>();
  const int components = in.number<std::uint8_t>(), samples = in.number<std::uint8_t>();
  Header h;
  h.frames = in.number<std::uint64_t>();
  h.pictures = in.number<std::uint8_t>();
  const int format = in.number<std::uint8_t>();
  const bool pictures_fit =
      version == plain ? h.pictures == 0 && format == 0
                       : h.pictures >= 1 && h.pictures <= most_pictures && format <= int(PixelFormat::i420);
  if (width < 1 || height < 1 || width > max_side || height > max_side)
    fail(bad_data, "the saved model is damaged: its size is ", width, "x", height, " pixels");
  if ((channels != 1 && channels != 3) || method > 1 || components < 1 || components > max_components ||
      samples > int(Samples::yvu) || (channels == 1) != (samples == int(Samples::luma)) ||
      (method == int(Method::mog) && channels != 1) || !pictures_fit || in.number<std::uint16_t>() != 0)
    fail(bad_data, "the saved model is damaged: its header holds impossible values");
  h.config = {.width = int(width),
              .height = int(height),
              .channels = channels,
              .method = Method(method),
              .components = components};
  h.samples = Samples(samples);
  h.format = PixelFormat(format);
  return h;
}

std::size_t largest_size(const Header &h) {
  const Config &c = h.config;
  const std::size_t n = std::size_t(c.width) * c.height;
  return header_bytes + n + n * c.components * (2 + c.channels) * sizeof(float) + h.picture_bytes();
}

} // namespace

std::size_t picture_bytes(PixelFormat f, int width, int height) {
  std::size_t bytes = 0;
  for (int i = 0; i < plane_count(f); i++)
    bytes += std::size_t(row_bytes(f, i, width)) * std::size_t(plane_rows(i, height));
  return bytes;
}

Samples samples_of(PixelFormat f, int channels) {
  if (channels == 1) return Samples::luma;
  return f == PixelFormat::rgba ? Samples::rgb : f == PixelFormat::bgra ? Samples::bgr : Samples::yuv;
}

const char *name_of(Samples s) {
  constexpr const char *names[] = {"luma", "R G B", "B G R", "Y U V", "Y V U"};
  return names[int(s)];
}

std::vector<std::uint8_t> serialize(const SavedModel &model) {
  const State &s = model.state;
  const std::size_t n = s.active.size();
  std::vector<std::uint8_t> used(n);
  std::size_t values = 0;
  for (std::size_t i = 0; i < n; i++) {
    used[i] = used_components(s, i, n);
    values += std::popcount(used[i]);
  }
  std::vector<std::uint8_t> out;
  const Pictures &pictures = model.lights;
  const std::size_t each = picture_bytes(pictures.format, s.config.width, s.config.height);
  out.reserve(header_bytes + n + values * (2 + s.config.channels) * sizeof(float) +
              pictures.bytes.size() * each);
  ByteWriter w(out);
  for (const char c : magic) w.number(static_cast<std::uint8_t>(c));
  w.number(pictures.bytes.empty() ? plain : with_pictures);
  w.number(std::uint32_t{0});
  w.number(static_cast<std::uint32_t>(s.config.width));
  w.number(static_cast<std::uint32_t>(s.config.height));
  w.number(static_cast<std::uint8_t>(s.config.channels));
  w.number(static_cast<std::uint8_t>(s.config.method));
  w.number(static_cast<std::uint8_t>(s.config.components));
  w.number(static_cast<std::uint8_t>(model.samples));
  w.number(s.frames);
  w.number(static_cast<std::uint8_t>(pictures.bytes.size()));
  w.number(pictures.bytes.empty() ? std::uint8_t{0} : static_cast<std::uint8_t>(pictures.format));
  w.number(std::uint16_t{0});
  out.insert(out.end(), used.begin(), used.end());
  const int channels = s.config.channels;
  for_each_used(used, s.config.components, [&](std::size_t i, int k) {
    w.real(s.weight[k * n + i]);
    w.real(s.variance[k * n + i]);
    for (int c = 0; c < channels; c++) w.real(s.mean[(k * channels + c) * n + i]);
  });
  for (const std::vector<std::uint8_t> &p : pictures.bytes) out.insert(out.end(), p.begin(), p.end());
  const std::uint32_t crc = crc_of(out);
  for (int i = 0; i < 4; i++) out[crc_at + i] = static_cast<std::uint8_t>(crc >> (8 * i));
  return out;
}

SavedModel parse(std::span<const std::uint8_t> bytes) {
  using enum Error::Kind;
  const Header h = parse_header(bytes);
  const std::size_t n = std::size_t(h.config.width) * h.config.height;
  const auto cut_off = [&](std::size_t want) {
    fail(bad_data, "the saved model is cut off or damaged: a model of ", h.config.width, "x", h.config.height,
         " pixels has ", want, " bytes or more, this one ", bytes.size());
  };
  if (bytes.size() - header_bytes < n) cut_off(header_bytes + n);
  const auto used = bytes.subspan(header_bytes, n);
  const int channels = h.config.channels, components = h.config.components;
  std::size_t values = 0;
  for (const std::uint8_t bits : used) {
    const bool sorted = h.config.method == Method::mog || !(bits & (bits + 1));
    if (bits >> components || !sorted)
      fail(bad_data, "the saved model is damaged: a pixel uses components that it cannot have");
    values += std::popcount(bits);
  }
  const std::size_t pictures_at = header_bytes + n + values * (2 + channels) * sizeof(float);
  const std::size_t want = pictures_at + h.picture_bytes();
  if (bytes.size() < want) cut_off(want);
  if (bytes.size() > want)
    fail(bad_data, "the saved model is damaged: ", bytes.size() - want, " bytes follow its end");
  if (ByteReader(bytes, crc_at).number<std::uint32_t>() != crc_of(bytes))
    fail(bad_data, "the saved model is damaged: its checksum is wrong");

  SavedModel model{empty_state(h.config), h.samples, {h.format, {}}};
  for (std::size_t i = 0; i < h.pictures; i++) {
    const auto p = bytes.subspan(pictures_at + i * (h.picture_bytes() / h.pictures));
    const auto end = p.begin() + std::ptrdiff_t(h.picture_bytes() / h.pictures);
    model.lights.bytes.emplace_back(p.begin(), end);
  }
  State &s = model.state;
  s.frames = h.frames;
  for (std::size_t i = 0; i < n; i++) s.active[i] = static_cast<std::uint8_t>(std::popcount(used[i]));
  ByteReader in(bytes, header_bytes + n);
  for_each_used(used, components, [&](std::size_t i, int k) {
    s.weight[k * n + i] = in.real();
    s.variance[k * n + i] = in.real();
    for (int c = 0; c < channels; c++) s.mean[(k * channels + c) * n + i] = in.real();
  });
  check_fits(s, h.config);
  return model;
}

void write_file(const std::string &path, const SavedModel &model) {
  write_file_atomically(path, serialize(model));
}

SavedModel read_file(const std::string &path) {
  try {
    return parse(
        read_plain_file(path, "the saved model", header_bytes,
                        [](std::span<const std::uint8_t> head) { return largest_size(parse_header(head)); }));
  } catch (const Error &e) {
    if (e.kind() == Error::Kind::bad_data) fail(e.kind(), path, ": ", e.what());
    throw;
  }
}

void check_fits(const SavedModel &model, const Config &config, Samples samples) {
  check_fits(model.state, config);
  if (model.samples != samples)
    fail(Error::Kind::bad_data, "the saved model's samples are ", name_of(model.samples), ", but ",
         name_of(samples), " is needed");
}

} // namespace vigil::mog
