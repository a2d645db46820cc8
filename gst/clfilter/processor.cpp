// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/clfilter/processor.h"

#include "gst/errors.h"
#include "gst/video/formats.h"
#include "kernels/filter/chain.h"
#include "kernels/filter/user.h"

#include <optional>
#include <vector>

namespace vigil::gst::clfilter {
namespace {

filter::Coding coding_of(const GstVideoInfo &info) {
  if (!GST_VIDEO_INFO_IS_YUV(&info)) return {};
  const auto [kr, kb] = luma_weights(info);
  return {kr, kb, info.colorimetry.range == GST_VIDEO_COLOR_RANGE_0_255};
}

class FilterProcessor final : public FrameProcessor {
 public:
  FilterProcessor(GstElement *element, ClDevice &device, SharedSettings<Settings> &settings,
                  FilterStats &stats)
      : element_(element), device_(device), settings_(settings), stats_(stats),
        tune_(settings.snapshot().tune), text_(settings.snapshot().chain), wanted_(filter::parse(text_)) {}

  void set_format(const FrameKind &in, const FrameKind &) override {
    const Frames frames{pixel_format(in.info), in.info.width, in.info.height, coding_of(in.info)};
    // Kernels take any size, but those of the user's are tried on the size that frames have.
    if (frames_ && frames_->format == frames.format && frames_->coding == frames.coding &&
        (!filter::has_kernels(wanted_) ||
         (frames_->width == frames.width && frames_->height == frames.height)))
      return;
    filter_.reset();
    frames_ = frames;
    try {
      chain_ = usable(wanted_);
      if (!chain_.empty()) make_filter();
      report();
    } catch (...) {
      frames_.reset(); // caps come again when they were refused, and are to be refused again
      throw;
    }
  }

  Plan plan(const FrameTime &, PerFrameData *) override {
    if (settings_.read([&](const Settings &s) { return s.chain != text_; }))
      change_chain(settings_.snapshot().chain);
    return {chain_.empty() ? Use::none : Use::produce};
  }
  void run(std::span<FrameTask *const> tasks, Queue &queue) override {
    for (FrameTask *task : tasks) filter_->apply(task->in, task->out, queue);
  }
  void flushed() override {
    if (filter_) filter_->forget();
  }
  void publish(BufferPtr &, const FrameTask &) override {
    for (const Error &e : warnings_) post_warning(element_, e);
    warnings_.clear();
  }

 private:
  struct Frames {
    PixelFormat format;
    int width, height;
    filter::Coding coding; // of p010
  };
  // A kernel of the user's that is refused, and the settings say that this is an error.
  struct Refused : Error {
    using Error::Error;
  };

  // The chain without the kernels of the user's that are refused, each with a warning.
  filter::Chain usable(filter::Chain wanted) {
    filter::Chain chain;
    for (const filter::Stage &s : wanted) {
      filter::Chain one{s};
      try {
        filter::load_kernels(one);
        if (filter::has_kernels(one))
          filter::try_kernel(device_, one[0], filter::worked_on(frames_->format), frames_->width,
                             frames_->height);
      } catch (const Error &e) {
        if (settings_.read([](const Settings &t) { return t.bad_kernel == BadKernel::error; }))
          throw Refused(e.kind(), e.what());
        warnings_.emplace_back(e.kind(), text(e.what(), "\nThe chain works without this stage."));
        continue;
      }
      chain.push_back(one[0]);
    }
    return chain;
  }
  void make_filter() {
    filter_ = std::make_unique<filter::ClChain>(device_, chain_, frames_->format, tune_, frames_->width,
                                                frames_->height, frames_->coding);
    stats_.builds++;
    stats_.tuning.set(filter_->variant(), filter_->tuning());
    GST_INFO_OBJECT(element_, "kernels built for the chain %s at %dx%d", text_.c_str(), frames_->width,
                    frames_->height);
  }
  void report() { stats_.kernels = guint(filter_ && !chain_.empty() ? filter_->passes() : 0); }

  // In mid-stream there is no time for a search: a new chain takes the shape of the one before.
  void change_chain(std::string wanted) {
    try {
      filter::Chain parsed = filter::parse(wanted);
      filter::Chain chain = usable(parsed);
      if (!chain.empty()) {
        if (filter_) {
          stats_.builds += filter_->set_chain(chain);
        } else {
          filter_ = std::make_unique<filter::ClChain>(device_, chain, frames_->format, tuning::Mode::off, 0,
                                                      0, frames_->coding);
          stats_.builds++;
        }
        stats_.tuning.set(filter_->variant(), filter_->tuning());
      }
      wanted_ = std::move(parsed);
      chain_ = std::move(chain);
      text_ = std::move(wanted);
      report();
    } catch (const Refused &) {
      throw;
    } catch (const Error &e) {
      warnings_.emplace_back(e.kind(), text(e.what(), "; the chain stays \"", text_, "\""));
      settings_.change([&](Settings &s) {
        if (s.chain == wanted) s.chain = text_;
      });
    }
  }

  GstElement *element_;
  ClDevice &device_;
  SharedSettings<Settings> &settings_;
  FilterStats &stats_;
  const tuning::Mode tune_;
  std::string text_;     // of wanted_
  filter::Chain wanted_; // as it was set
  filter::Chain chain_;  // what frames go through
  std::optional<Frames> frames_;
  std::unique_ptr<filter::ClChain> filter_; // null while there was no stage yet
  std::vector<Error> warnings_;             // posted when the lock around the calls is not held
};

} // namespace

std::unique_ptr<FrameProcessor> make_processor(GstElement *element, ClDevice &device,
                                               SharedSettings<Settings> &settings, FilterStats &stats) {
  return std::make_unique<FilterProcessor>(element, device, settings, stats);
}

} // namespace vigil::gst::clfilter
