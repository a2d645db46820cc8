// SPDX-License-Identifier: LGPL-2.1-or-later
// The demo of an element that filters: the frames are taken for clean, known noise is added to them, and the
// filtered ones are compared with the clean ones.
#include "demo.h"

#include "common/error.h"
#include "input.h"
#include "pictures.h"
#include "preset.h"
#include "tools/base/mapped.h"
#include "tools/base/progress.h"
#include "tools/vigil-eval/run.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <gst/video/video.h>
#include <random>

namespace vigil::demo {

using tools::link;
using tools::make_element;

namespace {

constexpr double noise_sigma = 20; // grey levels, as papers on denoising often take
constexpr GstClockTime patience = 180 * GST_SECOND;

// Normally distributed noise, the same in every run: a table that is read from another place for each row.
class Noise {
 public:
  Noise() : table_(1 << 20) {
    std::normal_distribution<double> normal(0, noise_sigma);
    for (int &v : table_) v = int(std::lround(normal(rng_)));
  }
  // Adds to R, G and B of RGBA pixels.
  void add(std::uint8_t *pixels, std::size_t count) {
    std::size_t at = rng_() % table_.size();
    for (std::size_t i = 0; i < 4 * count; i++) {
      if (i % 4 == 3) continue;
      pixels[i] = std::uint8_t(std::clamp(pixels[i] + table_[at], 0, 255));
      at = (at + 1) % table_.size();
    }
  }

 private:
  std::mt19937 rng_{1};
  std::vector<int> table_;
};

// Of a frame that must be there.
tools::MappedBuffer mapped(GstBuffer *b, GstMapFlags flags) {
  tools::MappedBuffer map(b, flags);
  if (!map) fail(Error::Kind::device, "a frame cannot be read");
  return map;
}

// The squared differences of R, G and B, summed up.
struct Error2 {
  double sum = 0, count = 0;
  void add(GstSample *one, GstSample *other) {
    const auto a = mapped(gst_sample_get_buffer(one), GST_MAP_READ),
               b = mapped(gst_sample_get_buffer(other), GST_MAP_READ);
    if (a.size() != b.size()) fail(Error::Kind::device, "the filter has changed the frame's size");
    std::uint64_t frame = 0;
    for (std::size_t i = 0; i < a.size(); i++)
      if (i % 4 != 3) frame += std::uint64_t((a.data()[i] - b.data()[i]) * (a.data()[i] - b.data()[i]));
    sum += double(frame);
    count += double(a.size() / 4 * 3);
  }
  double psnr() const { return 10 * std::log10(255. * 255. * count / sum); }
};

gst::SamplePtr with_noise(GstSample *clean, Noise &noise) {
  GstBuffer *copy = gst_buffer_copy_deep(gst_sample_get_buffer(clean));
  {
    const auto map = mapped(copy, GST_MAP_READWRITE);
    noise.add(map.data(), map.size() / 4);
  }
  gst::SamplePtr sample(gst_sample_new(copy, gst_sample_get_caps(clean), nullptr, nullptr));
  gst_buffer_unref(copy);
  return sample;
}

// Clean frames, one after the other.
class Input {
 public:
  explicit Input(const Options &o) {
    GstElement *source = nullptr;
    if (o.input.empty()) {
      source = pipeline_.add(make_element("scenetestsrc"));
      g_object_set(source, "noise", 0.f, "num-buffers", int(o.frames ? o.frames : scene_frames), nullptr);
    } else {
      source = add_input(pipeline_, o, limit_);
    }
    GstElement *convert = pipeline_.add(make_element("videoconvert"));
    GstElement *format = pipeline_.add(make_element("capsfilter"));
    sink_ = pipeline_.add(make_element("appsink"));
    gst::CapsPtr rgba(gst_caps_from_string("video/x-raw, format=(string)RGBA"));
    g_object_set(format, "caps", rgba.get(), nullptr);
    g_object_set(sink_, "sync", FALSE, "max-buffers", 4u, nullptr);
    link({source, convert, format, sink_});
    pipeline_.play();
  }
  // Null at the end.
  gst::SamplePtr next() {
    gst::SamplePtr sample(gst_app_sink_try_pull_sample(GST_APP_SINK(sink_), patience));
    pipeline_.work_off_messages();
    return sample;
  }

 private:
  Limit limit_;
  tools::Pipeline pipeline_;
  GstElement *sink_;
};

// The element, a frame in and a frame out.
class Filter {
 public:
  Filter(const Options &o, Stopwatch &watch) {
    source_ = pipeline_.add(make_element("appsrc"));
    sink_ = pipeline_.add(make_element("appsink"));
    const auto bin = make_bin(o.element.filter, o);
    gst::ObjectPtr<GstElement> watched(gst_bin_get_by_name(GST_BIN(bin.get()), "watch"));
    watch.watch(watched.get());
    g_object_set(source_, "format", GST_FORMAT_TIME, nullptr);
    g_object_set(sink_, "sync", FALSE, nullptr);
    link({source_, pipeline_.add(bin.get()), sink_});
    pipeline_.play();
  }
  gst::SamplePtr apply(GstSample *frame) {
    gst_app_src_push_sample(GST_APP_SRC(source_), frame);
    constexpr GstClockTime glance = 100 * GST_MSECOND;
    for (GstClockTime waited = 0; waited < patience; waited += glance) {
      gst::SamplePtr sample(gst_app_sink_try_pull_sample(GST_APP_SINK(sink_), glance));
      pipeline_.work_off_messages();
      if (sample) return sample;
    }
    fail(Error::Kind::device, "the filter gave no frame within ", patience / GST_SECOND, " s");
  }

 private:
  tools::Pipeline pipeline_;
  GstElement *source_, *sink_;
};

} // namespace

void run_filter(const Options &o, const std::atomic<bool> &stop) {
  clear_old_results(o.out);
  std::printf("%s on %s, with noise of sigma %g added to R, G and B\n", o.element.filter,
              o.input.empty() ? "the default scene of scenetestsrc without its own noise" : o.input.c_str(),
              noise_sigma);
  Stopwatch watch;
  Noise noise;
  Error2 before, after;
  std::uint64_t number = 0, pictures = 0;
  {
    Input input(o);
    Filter filter(o, watch);
    tools::Progress progress("frames", o.frames ? o.frames : o.input.empty() ? scene_frames : 0);
    gst::SamplePtr clean, noisy, filtered;
    const auto save = [&] {
      save_png(clean.get(), picture_name(o.out, "clean", number));
      save_png(noisy.get(), picture_name(o.out, "noisy", number));
      save_png(filtered.get(), picture_name(o.out, "filtered", number));
      pictures++;
    };
    while (!stop) {
      gst::SamplePtr next = input.next();
      if (!next) break;
      clean = std::move(next);
      noisy = with_noise(clean.get(), noise);
      filtered = filter.apply(noisy.get());
      before.add(clean.get(), noisy.get());
      after.add(clean.get(), filtered.get());
      if (shown(++number)) save();
      progress.step();
    }
    if (!number) fail(Error::Kind::bad_data, o.input, " gave no frames");
    if (!pictures) save();
  }
  std::printf("%llu frames; %s alone: %.2f ms a frame (median)\n", static_cast<unsigned long long>(number),
              o.element.name, watch.median_milliseconds());
  std::printf("PSNR %.2f dB before, %.2f dB after\n", before.psnr(), after.psnr());
  std::printf("results in %s: clean-*.png, noisy-*.png, filtered-*.png\n", o.out.c_str());
}

} // namespace vigil::demo
