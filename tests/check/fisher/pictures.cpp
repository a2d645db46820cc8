// SPDX-License-Identifier: LGPL-2.1-or-later
// Pictures that go through together, with and without weights: against the reference, and the same bits as
// one by one; weights by masks against a sum over each pixel; what is refused; times.
#include "kernels/fisher/mask_weights.h"
#include "tests/check/checker.h"
#include "tests/check/fisher/input.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace vigil::fisher {
namespace {

using check::Checker;

// Pictures one behind the other, with a gap, in both memories.
struct Row {
  Row(Checker &c, PixelFormat format, int width, int height, int count)
      : bytes(std::size_t(count) * std::size_t(apart_for(format, width, height))),
        memory(c.device, bytes.size()) {
    pictures.first.format = format;
    pictures.first.width = width;
    pictures.first.height = height;
    pictures.first.stride[0] = row_bytes(format, 0, width);
    pictures.apart = apart_for(format, width, height);
    pictures.count = count;
    for (int i = 0; i < count; i++) {
      Image to;
      to.format = format;
      to.width = width;
      to.height = height;
      to.stride[0] = pictures.first.stride[0];
      to.data[0] = bytes.data() + pictures.apart * i;
      paint(c, to, contents[i % 3]);
    }
    c.device.upload(memory.as(), bytes.data(), bytes.size(), c.queue());
    c.queue().wait();
    pictures.first.data[0] = memory.as<std::uint8_t>();
  }
  static std::ptrdiff_t apart_for(PixelFormat format, int width, int height) {
    return std::ptrdiff_t(row_bytes(format, 0, width)) * height + 12;
  }
  ConstImage host(int i) const {
    ConstImage p = pictures.picture(i);
    p.data[0] = bytes.data() + pictures.apart * i;
    return p;
  }
  Pictures pictures;
  std::vector<std::uint8_t> bytes;
  DeviceBuffer memory;
};

// The weights of each descriptor: 0, 1 and what is between.
Floats draw_weights(Checker &c, std::size_t count) {
  std::uniform_real_distribution<float> any(-0.2F, 1.2F);
  Floats w(count);
  for (float &v : w) v = std::clamp(any(c.rng), 0.F, 1.F);
  return w;
}

struct Setting {
  int width, height, count, projected, components;
  PixelFormat format = PixelFormat::gray8;
};

struct Coders {
  Coders(Checker &c, const Setting &s, const SiftParams &p, const DrawnModel &m, int together)
      : checker(c), extractor(make(c.device, s.width, s.height, p, together)),
        encoder(make(c.device, m.codebook, {}, (extractor->layout().descriptors + 63) / 64 * 64 * together)) {
  }
  std::size_t descriptors() const { return std::size_t(extractor->layout().descriptors); }
  // `weights` empty: null.
  Floats all(Pictures pictures, const Floats &weights) const {
    const std::size_t length = std::size_t(encoder->vector_length()) * std::size_t(pictures.count);
    const DeviceBuffer to(checker.device, length * sizeof(float) + 1),
        sent(checker.device, weights.size() * sizeof(float) + 1);
    checker.device.fill(to.as(), 0xff, length * sizeof(float), checker.queue());
    if (!weights.empty()) {
      checker.device.upload(sent.as(), weights.data(), weights.size() * sizeof(float), checker.queue());
      pictures.weights = sent.as<float>();
    }
    encoder->encode_pictures(*extractor, pictures, to.as<float>(), checker.queue());
    return fetched(to, length);
  }
  Floats frame(const ConstImage &picture) const {
    const auto length = std::size_t(encoder->vector_length());
    const DeviceBuffer to(checker.device, length * sizeof(float));
    encoder->encode_frame(*extractor, picture, to.as<float>(), nullptr, checker.queue());
    return fetched(to, length);
  }
  Floats fetched(const DeviceBuffer &from, std::size_t length) const {
    Floats v(length);
    if (length > 0) checker.device.download(v.data(), from.as(), length * sizeof(float), checker.queue());
    checker.queue().wait();
    return v;
  }
  Checker &checker;
  std::unique_ptr<Extractor> extractor;
  std::unique_ptr<Encoder> encoder;
};

Floats part(const Floats &of, std::size_t i, std::size_t length) {
  const auto from = of.begin() + std::ptrdiff_t(i * length);
  return {from, from + std::ptrdiff_t(length)};
}

void compare(Checker &c, const Setting &s, const SiftParams &p) {
  const DrawnModel m = draw_model(c, s.projected, s.components, 0);
  const Row row(c, s.format, s.width, s.height, s.count);
  const Coders together(c, s, p, m, std::min(s.count, max_pictures)), single(c, s, p, m, 1);
  const std::size_t each = together.descriptors(), length = std::size_t(m.codebook.vector_length());
  const std::string what =
      text(s.count, " pictures of ", s.width, "x", s.height, ", ", s.projected, " x ", s.components);
  const Floats plain = together.all(row.pictures, {}), weights = draw_weights(c, each * std::size_t(s.count)),
               weighted = together.all(row.pictures, weights);
  c.expect(together.all(row.pictures, Floats(weights.size(), 1.F)) == plain,
           what + ": weights of 1 make a difference");
  c.expect(together.all(row.pictures, weights) == weighted, what + ": other bits the second time");
  c.expect(single.all(row.pictures, weights) == weighted, what + ": other bits one by one, weighted");
  for (int i = 0; i < s.count; i++)
    c.expect(single.frame(row.pictures.picture(i)) == part(plain, std::size_t(i), length),
             text(what, ": other bits of picture ", i, " by itself"));
  const auto host = open_cpu(1);
  const auto queue = host->make_queue();
  const auto extractor = make_reference(s.width, s.height, p);
  const auto encoder = make_reference(m.codebook, {}, int(each));
  for (const int i : {0, s.count / 2, s.count - 1}) { // the naive loops take long
    Pictures one;
    one.first = row.host(i);
    const Floats own = part(weights, std::size_t(i), each);
    Floats want(length);
    encoder->encode_pictures(*extractor, one, want.data(), *queue);
    c.near_vectors(text(what, ", picture ", i), want, part(plain, std::size_t(i), length), 1e-3);
    one.weights = own.data();
    encoder->encode_pictures(*extractor, one, want.data(), *queue);
    c.near_vectors(text(what, ", picture ", i, ", weighted"), want, part(weighted, std::size_t(i), length),
                   1e-3);
  }
}

void run_pictures(Checker &c) {
  const SiftParams four{.scales = 4, .largest_scale = 1};
  compare(c, {64, 64, 70, 24, 16}, four); // more than go together
  compare(c, {64, 64, 1, 24, 16}, four);
  compare(c, {64, 64, 5, 80, 256}, {});
  compare(c, {33, 20, 3, 17, 300, PixelFormat::rgba}, {}); // more than tensor cores take
  compare(c, {9, 9, 9, 10, 5}, {});
  compare(c, {200, 150, 2, 20, 16}, {}); // several parts of each
  const DrawnModel m = draw_model(c, 10, 5, 0);
  const Coders coders(c, {64, 64, 2, 10, 5}, four, m, 2);
  const Row row(c, PixelFormat::gray8, 64, 64, 2);
  Pictures none = row.pictures;
  none.count = 0;
  c.expect(coders.all(none, {}).empty(), "no picture is nothing");
  Pictures fewer = none;
  fewer.count = -1;
  const DeviceBuffer to(c.device, 2 * sizeof(float) * std::size_t(m.codebook.vector_length()));
  const auto refused = [&](const std::string &what, const Pictures &p, Encoder &encoder) {
    c.refused(what, [&] { encoder.encode_pictures(*coders.extractor, p, to.as<float>(), c.queue()); });
  };
  refused("-1 pictures", fewer, *coders.encoder);
  refused("a capacity of one descriptor", row.pictures, *make(c.device, m.codebook, {}, 1));
  Pictures other = row.pictures;
  other.first.width = 32;
  refused("pictures of another size", other, *coders.encoder);
  if (c.device.backend() == Backend::cuda)
    for (const int count : {0, -1, max_pictures + 1})
      c.refused(text("an extractor for ", count, " pictures"), [&] { make(c.device, 64, 64, four, count); });
  if (!c.benching()) return;
  for (const auto &[projected, components] : {std::pair{24, 16}, {80, 256}})
    for (const int count : {1, 4, 16, 64}) {
      const DrawnModel drawn = draw_model(c, projected, components, 0);
      const Setting s{64, 64, count, projected, components};
      const Coders timed(c, s, four, drawn, count);
      const Row pictures(c, s.format, s.width, s.height, count);
      const DeviceBuffer vectors(c.device, sizeof(float) * std::size_t(count) *
                                               std::size_t(drawn.codebook.vector_length()));
      c.time(text(count, " pictures of 64x64, ", projected, " x ", components), 64. * 64 * count, [&] {
        timed.encoder->encode_pictures(*timed.extractor, pictures.pictures, vectors.as<float>(), c.queue());
      });
    }
}

void run_mask_weights(Checker &c) {
  for (const auto &[width, height] : {std::pair{64, 64}, {61, 40}, {9, 9}})
    for (int n = 0; n < 4; n++) {
      const SiftParams p = n == 0 ? SiftParams() : draw(c, width, height);
      const Layout layout = layout_for(width, height, p);
      const auto count = std::size_t(layout.descriptors);
      const std::vector<std::uint8_t> mask = n == 1 ? std::vector<std::uint8_t>(std::size_t(width * height))
                                             : n == 2
                                                 ? std::vector<std::uint8_t>(std::size_t(width * height), 255)
                                                 : c.noise(std::size_t(width * height));
      const float background = n == 3 ? 0.F : 0.3F;
      Floats got(count, NAN);
      mask_weights(layout, p, {mask.data(), width, height, width}, background, got);
      std::size_t i = 0;
      for (const ScaleLayout &s : layout.scales)
        for (int r = 0; r < s.rows; r++)
          for (int column = 0; column < s.columns; column++) {
            const double across = double(width) / s.width, down = double(height) / s.height;
            const double x = column * p.step + 1.5 * p.bin_size + 0.5,
                         y = r * p.step + 1.5 * p.bin_size + 0.5;
            double sum = 0, pixels = 0;
            for (int v = 0; v < height; v++)
              for (int u = 0; u < width; u++) {
                // A pixel counts where it and the square have more than a border in common.
                if (u + 1 <= (x - 2. * p.bin_size) * across || u >= (x + 2. * p.bin_size) * across ||
                    v + 1 <= (y - 2. * p.bin_size) * down || v >= (y + 2. * p.bin_size) * down)
                  continue;
                sum += mask[std::size_t(v * width + u)];
                pixels++;
              }
            const double want = background + (1 - background) * sum / pixels / 255;
            if (!(std::abs(got[i] - want) <= 1e-5))
              c.fail(text(width, "x", height, ", descriptor ", i, ": weight ", got[i], ", not ", want));
            i++;
          }
    }
}

check::Register pictures_case{{"fisher/pictures", run_pictures, {Backend::cpu, Backend::cuda}}};
check::Register weights_case{{"fisher/mask-weights", run_mask_weights, {Backend::cpu}}};

} // namespace
} // namespace vigil::fisher
