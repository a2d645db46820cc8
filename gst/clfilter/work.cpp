// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/clfilter/work.h"

#include "gst/errors.h"
#include "gst/video/video.h"
#include "kernels/filter/tune.h"

#include <optional>

namespace vigil::gst::clfilter {
namespace {

class Work final : public ClWork {
 public:
  Work(GstElement *element, ClDevice &device, SharedSettings &settings)
      : element_(element), device_(device), settings_(settings), tune_(settings.snapshot().tune),
        text_(settings.snapshot().chain), chain_(filter::parse(text_)) {}

  void set_format(const GstVideoInfo &info) override {
    const PixelFormat format = pixel_format(info);
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

  ClUse next_use() override {
    if (std::string wanted = settings_.snapshot().chain; wanted != text_) change_chain(std::move(wanted));
    return chain_.empty() ? ClUse::none : ClUse::make;
  }
  void run(const ConstImage &in, const Image &out, Result *, Queue &queue) override {
    filter_->apply(in, out, queue);
  }

  void publish(BufferPtr &, const FrameTime &, ClUse, Result *) override {
    if (!warning_) return;
    post_warning(element_, *warning_);
    warning_.reset();
  }

  void add_stats(GstStructure *s) const override {
    gst_structure_set(s, "kernels", G_TYPE_UINT, guint(filter_ && !chain_.empty() ? filter_->passes() : 0),
                      "builds", G_TYPE_UINT, builds_, nullptr);
    add_tuning(s, filter_ ? filter_->shape().name() : "", tuning_);
  }

 private:
  void make_filter(const filter::Chain &chain) {
    const filter::Tuned tuned = filter::tune(device_, chain, *format_, tune_);
    tuning_ = tuned.result;
    filter_ =
        std::make_unique<filter::ClFilter>(device_, chain, *format_, filter::ClOptions{.shape = tuned.shape});
    builds_++;
  }

  // In mid-stream there is no time for a search: a new chain takes the shape of the one before.
  void change_chain(std::string wanted) {
    try {
      filter::Chain chain = filter::parse(wanted);
      if (!chain.empty()) {
        filter::check_format(chain, *format_);
        if (filter_) {
          builds_ += filter_->set_chain(chain);
        } else {
          filter_ = std::make_unique<filter::ClFilter>(device_, chain, *format_);
          builds_++;
        }
      }
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
  SharedSettings &settings_;
  const tuning::Mode tune_;
  std::string text_;    // of chain_
  filter::Chain chain_; // what frames go through
  std::optional<PixelFormat> format_;
  std::unique_ptr<filter::ClFilter> filter_; // null while there was no stage yet
  std::optional<Error> warning_;             // posted when the lock around the calls is not held
  guint builds_ = 0;
  tuning::Result tuning_;
};

} // namespace

std::unique_ptr<ClWork> make_work(GstElement *element, ClDevice &device, SharedSettings &settings) {
  return std::make_unique<Work>(element, device, settings);
}

} // namespace vigil::gst::clfilter
