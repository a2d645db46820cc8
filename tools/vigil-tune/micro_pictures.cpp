// SPDX-License-Identifier: LGPL-2.1-or-later
// Kernels that do what filters do: neighbours from buffers and images, options of the compiler, several
// kernels at once, and the bilateral filter itself.
#include "bench.h"

#include "common/error.h"
#include "kernels/bilateral/opencl.h"
#include "pictures-cl.h"

#include <chrono>

namespace vigil::tune {

// Megapixels a second of the mean of 5x5 pixels. `rows` of results by each work-item; `step` pixels between
// what is read: with 0 it is the same pixel 25 times.
double Bench::from_buffer_speed(const std::string &options, int rows, int step) {
  const Size p = picture();
  ClKernel k =
      ClProgram(device_, {cl::pictures_cl}, text("-D ROWS=", rows, " ", options)).kernel("from_buffer");
  const ClRange2 local = device_.is_cpu() ? ClRange2{64, 1} : ClRange2{32, 8};
  const ClRange2 global{std::size_t(p.width), std::size_t((p.height + rows - 1) / rows)};
  return p.megapixels() /
         time([&] { k.launch(queue_, global, local, in(), out(), p.width, p.height, step); }, calls()) * 1e3;
}

// Of RGBA, 8 bits.
ClMemHandle Bench::make_image(cl_channel_type type) {
  if (device_.number_info(CL_DEVICE_IMAGE_SUPPORT) == 0)
    fail(Error::Kind::no_device, "the device has no images");
  const Size p = picture();
  const cl_image_format format{CL_RGBA, type};
  cl_image_desc desc{};
  desc.image_type = CL_MEM_OBJECT_IMAGE2D;
  desc.image_width = std::size_t(p.width);
  desc.image_height = std::size_t(p.height);
  cl_int code = CL_SUCCESS;
  ClMemHandle image(clCreateImage(device_.context(), CL_MEM_READ_WRITE, &format, &desc, nullptr, &code));
  cl_check(code, "making an image");
  return image;
}

double Bench::from_image_speed(const std::string &options, int step) {
  const Size p = picture();
  const bool unorm = options.find("UNORM") != options.npos;
  const ClMemHandle image = make_image(unorm ? CL_UNORM_INT8 : CL_UNSIGNED_INT8);
  ClKernel k = ClProgram(device_, {cl::pictures_cl}, text("-D IMAGES ", options)).kernel("from_image");
  const ClRange2 local = device_.is_cpu() ? ClRange2{64, 1} : ClRange2{32, 8};
  return p.megapixels() /
         time(
             [&] {
               k.launch(queue_, {std::size_t(p.width), std::size_t(p.height)}, local, image.get(), out(),
                        p.width, p.height, step);
             },
             calls()) *
         1e3;
}

// What a filter on frames in buffers pays before it can read an image.
double Bench::into_image_speed() {
  const Size p = picture();
  const ClMemHandle image = make_image(CL_UNSIGNED_INT8);
  ClKernel k = ClProgram(device_, {cl::pictures_cl}, "-D IMAGES").kernel("into_image");
  const ClRange2 local = device_.is_cpu() ? ClRange2{64, 1} : ClRange2{32, 8};
  return p.megapixels() /
         time(
             [&] {
               k.launch(queue_, {std::size_t(p.width), std::size_t(p.height)}, local, in(), image.get(),
                        p.width, p.height);
             },
             calls()) *
         1e3;
}

// Milliseconds of the thesis' histograms (6.3): of an image object or a buffer, `pixels` by each work-item.
double Bench::histogram_time(bool of_image, int pixels) {
  const Size p = picture();
  const ClMemHandle image = of_image ? make_image(CL_UNSIGNED_INT8) : ClMemHandle();
  ClKernel k = ClProgram(device_, {cl::pictures_cl}, text("-D PIXELS=", pixels, of_image ? " -D IMAGES" : ""))
                   .kernel("histogram");
  const int group = int(group_size()), each = group * pixels;
  const ClRange2 global{std::size_t((p.width + each - 1) / each * group), std::size_t(p.height)};
  return time(
      [&] {
        k.launch(queue_, global, {std::size_t(group), 1}, of_image ? image.get() : in(), out(), p.width,
                 p.height);
      },
      calls());
}

// What cannot be compiled is reported (PoCL 7.1 says that it has images, but cannot compile their reading).
void Bench::images() {
  constexpr const char *unit = "Mpixel/s";
  attempt("5x5 pixels from a buffer", unit, [&] { return from_buffer_speed("", 1, 1); });
  attempt("one pixel 25 times from a buffer", unit, [&] { return from_buffer_speed("", 1, 0); });
  attempt("5x5 pixels from an image", unit, [&] { return from_image_speed("", 1); });
  attempt("one pixel 25 times from an image", unit, [&] { return from_image_speed("", 0); });
  attempt("5x5 pixels from an image, normalised coordinates", unit,
          [&] { return from_image_speed("-D NORMALISED", 1); });
  attempt("5x5 pixels from an image, as floats (read_imagef)", unit,
          [&] { return from_image_speed("-D UNORM", 1); });
  attempt("one pixel 25 times from an image, as floats", unit,
          [&] { return from_image_speed("-D UNORM", 0); });
  attempt("5x5 pixels from an image, as floats, normalised", unit,
          [&] { return from_image_speed("-D UNORM -D NORMALISED", 1); });
  attempt("each pixel once from a buffer", unit, [&] { return from_buffer_speed("-D RADIUS=0", 1, 1); });
  attempt("each pixel once from an image", unit, [&] { return from_image_speed("-D RADIUS=0", 1); });
  attempt("a buffer copied into an image", unit, [&] { return into_image_speed(); });
  for (const int pixels : {1, 4})
    for (const bool image : {true, false})
      attempt(text("histogram of ", image ? "an image, " : "a buffer, ", pixels, " pixels a work-item"), "ms",
              [&] { return histogram_time(image, pixels); });
}

void Bench::shapes() {
  for (const int rows : {1, 2, 4, 8})
    for (const bool unrolled : {false, true})
      add(text("5x5 pixels, ", rows, rows > 1 ? " results, " : " result, ", unrolled ? "unrolled" : "loops"),
          from_buffer_speed(unrolled ? "-D UNROLL" : "", rows, 1), "Mpixel/s");
}

void Bench::build_options() {
  const std::size_t count = device_.is_cpu() ? 4096 : 1 << 18;
  for (const char *options :
       {"", "-cl-mad-enable", "-cl-no-signed-zeros", "-cl-denorms-are-zero", "-cl-single-precision-constant",
        "-cl-finite-math-only", "-cl-unsafe-math-optimizations", "-cl-fast-relaxed-math", "-cl-opt-disable"})
    attempt(*options ? options : "none", "G steps/s", [&] {
      ClKernel k = ClProgram(device_, {cl::pictures_cl}, options).kernel("weights");
      return double(count) * 64 / 1e6 /
             time(
                 [&] {
                   k.launch(queue_, {count, 1}, {group_size(), 1}, out(), 0.5f);
                 },
                 calls());
    });
}

// Kernels that fill a small part of the device, by the host's clock.
void Bench::concurrency() {
  constexpr int most = 8;
  std::vector<std::unique_ptr<ClQueue>> queues;
  for (int i = 0; i < most; i++) queues.push_back(std::make_unique<ClQueue>(device_));
  ClKernel k = ClProgram(device_, {cl::pictures_cl}).kernel("alone");
  const int turns = device_.is_cpu() ? 20000 : 200000;
  const auto milliseconds = [&](int kernels, int on) {
    std::vector<double> ms;
    for (int r = 0; r < 7; r++) {
      const auto start = std::chrono::steady_clock::now();
      for (int i = 0; i < kernels; i++) {
        ClQueue &q = *queues[std::size_t(i % on)];
        k.launch(q, {64, 1}, {64, 1}, out(), i * 64, turns);
        cl_check(clFlush(q.get()), "submitting");
      }
      for (int i = 0; i < on; i++) queues[std::size_t(i)]->wait();
      ms.push_back(
          std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
    }
    std::sort(ms.begin(), ms.end());
    return ms[ms.size() / 2];
  };
  milliseconds(most, most);
  add("1 kernel of one work-group", milliseconds(1, 1), "ms");
  add("8 kernels, one queue", milliseconds(most, 1), "ms");
  add("8 kernels, two queues", milliseconds(most, 2), "ms");
  add("8 kernels, eight queues", milliseconds(most, most), "ms");
}

// Bytes of the picture in and out over the time of the filter: the thesis' table 6.2.
void Bench::effective_bandwidth() {
  const Size p = device_.is_cpu() ? Size{640, 360} : Size{1280, 720};
  const auto bytes = std::size_t(4 * p.width * p.height);
  const auto image = [&](const DeviceBuffer &b) {
    return Image{PixelFormat::rgba, p.width, p.height, {b.as<std::uint8_t>()}, {4 * std::ptrdiff_t(p.width)}};
  };
  bilateral::Params params;
  params.algorithm = bilateral::Algorithm::exact;
  params.spatial_sigma = 2; // 9x9 pixels
  for (const auto weighting : {bilateral::Weighting::intensity, bilateral::Weighting::channels})
    for (const bilateral::Variant *v :
         {bilateral::find_variant("direct-precise"), &bilateral::default_variant(device_)}) {
      params.weighting = weighting;
      const auto filter = bilateral::make_opencl(device_, {PixelFormat::rgba, p.width, p.height}, *v);
      const double ms = time([&] { filter->apply(image(in_), image(out_), params, queue_); }, calls());
      add(text("bilateral 9x9, ", p.width, "x", p.height, ", weights by ", name_of(weighting), ", ", v->name),
          2 * gigabytes(bytes, ms), "GB/s");
    }
}

} // namespace vigil::tune
