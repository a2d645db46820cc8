// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/clfilter/work.h"

#include "gst/errors.h"
#include "gst/frames/formats.h"
#include "kernels/filter/tune.h"

#include <optional>

namespace vigil::gst::clfilter {
namespace {

class FilterWork final : public Work {
 public:
  FilterWork(GstElement *element, ClDevice &device, SharedSettings<Settings> &settings, FilterStats &stats)
      : element_(element), device_(device), settings_(settings), stats_(stats),
        tune_(settings.snapshot().tune), text_(settings.snapshot().chain), chain_(filter::parse(text_)) {}

  void set_format(const FrameKind &in, const FrameKind &) override {
    const PixelFormat format = pixel_format(in.info);
    if (format_ && *format_ == format) return; // kernels take any size
    filter_.reset();
    format_ = format;
    try {
      if (!chain_.empty()) make_filter(chain_);
    } catch (...) {
      format_.reset(); // caps come again when they were refused, and are to be refused again
      throw;
    }
  }

  Plan plan(const FrameTime &, Result *) override {
    if (settings_.read([&](const Settings &s) { return s.chain != text_; }))
      change_chain(settings_.snapshot().chain);
    return {chain_.empty() ? Use::none : Use::make};
  }
  void run(std::span<Job *const> jobs, Queue &queue) override {
    for (Job *job : jobs) filter_->apply(job->in, job->out, queue);
  }
  void publish(BufferPtr &, const Job &) override {
    if (!warning_) return;
    post_warning(element_, *warning_);
    warning_.reset();
  }

 private:
  void make_filter(const filter::Chain &chain) {
    const filter::Tuned tuned = filter::tune(device_, chain, *format_, tune_);
    filter_ =
        std::make_unique<filter::ClFilter>(device_, chain, *format_, filter::ClOptions{.shape = tuned.shape});
    stats_.builds++;
    tell(chain);
    stats_.tuning.set(filter_->shape().name(), tuned.result);
  }
  void tell(const filter::Chain &chain) {
    stats_.kernels = guint(filter_ && !chain.empty() ? filter_->passes() : 0);
  }

  // In mid-stream there is no time for a search: a new chain takes the shape of the one before.
  void change_chain(std::string wanted) {
    try {
      filter::Chain chain = filter::parse(wanted);
      if (!chain.empty()) {
        filter::check_format(chain, *format_);
        if (filter_) {
          stats_.builds += filter_->set_chain(chain);
        } else {
          filter_ = std::make_unique<filter::ClFilter>(device_, chain, *format_);
          stats_.builds++;
          stats_.tuning.set(filter_->shape().name(), {});
        }
      }
      tell(chain);
      chain_ = std::move(chain);
      text_ = std::move(wanted);
    } catch (const Error &e) {
      warning_.emplace(e.kind(), text(e.what(), "; the chain stays \"", text_, "\""));
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
  std::string text_;    // of chain_
  filter::Chain chain_; // what frames go through
  std::optional<PixelFormat> format_;
  std::unique_ptr<filter::ClFilter> filter_; // null while there was no stage yet
  std::optional<Error> warning_;             // posted when the lock around the calls is not held
};

} // namespace

std::unique_ptr<Work> make_work(GstElement *element, ClDevice &device, SharedSettings<Settings> &settings,
                                FilterStats &stats) {
  return std::make_unique<FilterWork>(element, device, settings, stats);
}

} // namespace vigil::gst::clfilter
