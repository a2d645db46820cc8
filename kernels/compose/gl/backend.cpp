// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/compose/compose.h"

#include "common/device_cast.h"
#include "common/gl/compute.h"
#include "kernels/compose/compose-shaders.h"
#include "kernels/compose/layers.h"

#include <vector>

namespace vigil::compose {
namespace {

using namespace shaders;

// The uniform block of plane.comp.
struct GlPlaneJob {
  std::int32_t width, height, row_bytes, rows, pixel_bytes, chroma;
  std::uint32_t frame_offset;
  std::int32_t frame_stride;
  std::uint32_t out_offset;
  std::int32_t out_stride;
  std::uint32_t mask_offset;
  std::int32_t mask_stride;
  Blend blend[3];
  std::uint32_t outline;
  std::int32_t outline_bytes, outlines;
};
static_assert(sizeof(Blend) == 16);

class GlComposer final : public Composer {
 public:
  explicit GlComposer(GlDevice &device)
      : device_(device), parts_(device, most_parts * sizeof(Rectangle)), queue_(device.make_queue()) {
    need_compute(device, 4);
    program();
  }

  void foreground(ConstImage frame, Plane<const std::uint8_t> mask, const Style &style, Image out,
                  Queue &) override {
    check_pictures(frame, mask, out);
    compose(frame, mask, foreground_layers(frame.format, style), {}, out);
  }
  void overlay(ConstImage frame, Plane<const std::uint8_t> mask, std::span<const DrawnBox> boxes,
               const Style &style, Image out, Queue &) override {
    check_pictures(frame, mask, out);
    compose(frame, mask, overlay_layers(frame.format, style),
            outlines_of(boxes, style, frame.width, frame.height), out);
  }

 private:
  static constexpr std::size_t most_parts = std::size_t{max_boxes} * Outline::parts;
  const GlProgram &program() const { return device_.compute_program({bytes_glsl, plane_comp}); }

  void compose(const ConstImage &frame, Plane<const std::uint8_t> mask, const Layers &layers,
               const Outlines &outlines, const Image &out) {
    const GlComputeGuard guard(device_);
    for (int i = 0; i < plane_count(frame.format); i++) {
      const Layer &layer = layers.plane[i];
      std::vector<Rectangle> parts;
      for (int k = 0; k < outlines.count * Outline::parts; k++) {
        const Rectangle part = outlines.outline[k / Outline::parts].part(k % Outline::parts);
        if (part.left < part.right && part.top < part.bottom)
          parts.push_back(layer.chroma ? Outline::touched(part) : part);
      }
      if (!parts.empty())
        device_.upload(parts_.as(), parts.data(), parts.size() * sizeof(Rectangle), *queue_);
      GlLaunch launch(device_, program());
      GlPlaneJob job{};
      job.width = frame.width;
      job.height = frame.height;
      job.row_bytes = std::int32_t(row_bytes(frame.format, i, frame.width));
      job.rows = plane_rows(i, frame.height);
      job.pixel_bytes = layer.pixel_bytes;
      job.chroma = layer.chroma;
      job.frame_offset = launch.read(0, frame.data[i]);
      job.frame_stride = std::int32_t(frame.stride[i]);
      job.mask_offset = launch.read(1, mask);
      job.mask_stride = std::int32_t(mask.stride);
      job.out_offset = launch.write(2, out.data[i]);
      job.out_stride = std::int32_t(out.stride[i]);
      launch.read(3, parts_);
      job.blend[0] = layer.blends.background;
      job.blend[1] = layer.blends.shadow;
      job.blend[2] = layer.blends.foreground;
      for (int k = 0; k < 4; k++) job.outline |= std::uint32_t{layer.outline[k]} << 8 * k;
      job.outline_bytes = layer.outline_bytes;
      job.outlines = std::int32_t(parts.size());
      launch.run(job, gl_groups((job.row_bytes + 2) / 4 + 1, 32), gl_groups(job.rows, 4));
    }
  }

  GlDevice &device_;
  DeviceBuffer parts_;
  std::unique_ptr<Queue> queue_;
};

} // namespace

std::unique_ptr<Composer> make_gl(Device &device) {
  return std::make_unique<GlComposer>(device_cast<GlDevice>(device));
}

} // namespace vigil::compose
