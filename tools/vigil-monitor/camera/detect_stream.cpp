// SPDX-License-Identifier: LGPL-2.1-or-later
#include "detect_stream.h"

#include "common/error.h"
#include "h264_encoder.h"
#include "onvif_link.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

namespace vigil::monitor {

DetectStream::DetectStream(const CameraConfig &config, std::shared_ptr<CameraServices> services,
                           std::shared_ptr<CameraFeed> feed, StoredStream &stored, Calls calls)
    : config_(config), services_(std::move(services)), feed_(std::move(feed)), stored_(stored),
      calls_(std::move(calls)),
      masks_(std::make_shared<MaskFile>(
          config_.name, [s = services_](const std::string &below) { return s->file(below); })),
      connection_(*services_), state_(config_.name, *services_),
      keeper_(connection_, state_, {[this] { build(); }, [this] { take_down(); }, calls_.log}),
      uncovered_(config_, services_) {
  set_masks();
}

void DetectStream::start() {
  if (!config_.enabled) return state_.go(CameraState::Kind::disabled);
  state_.set_outage_label(config_.records_apart() ? "detect-offline" : "camera-offline");
  keeper_.start();
}

void DetectStream::stopped(const std::string &why) {
  if (!state_.is(CameraState::Kind::disabled)) state_.go(CameraState::Kind::offline, why);
  state_.stopped();
  services_->in_background([m = std::exchange(masks_, nullptr)]() mutable { m.reset(); }); // it removes files
}

void DetectStream::renew(bool same_place) {
  if (!same_place) place_.reset();
  state_.forget();
  connection_.renew();
}

PipelineEvents DetectStream::pipeline_events() {
  PipelineEvents e = calls_.events();
  e.failed = [this](const std::string &why) { keeper_.fail(why); };
  e.ended = [this](const std::string &why) { keeper_.end(why); };
  e.warning = calls_.warn;
  if (live_) {
    e.record_caps = [live = live_](GstCaps *caps) { live->caps(caps); };
    e.record_frame = [live = live_](GstBuffer *b, double time) { live->frame(b, time); };
  } else {
    stored_.connect(e);
  }
  uncovered_.connect(e);
  if (config_.analysed || config_.privacy.asked()) return e; // tiles are of covered pictures
  key_pictures_.connect(e, feed_->plan,
                        {[picture = e.picture, services = services_](double captured, const Bytes &jpeg) {
                           const double ago = Utc::monotonic_seconds() - captured;
                           picture(View::plain, services->utc().now() - ago, jpeg);
                         },
                         calls_.warn_soon()});
  return e;
}

void DetectStream::build() {
  if (config_.records_apart())
    live_ = std::make_shared<Recorder>(0, services_->clips(), calls_.news());
  else
    stored_.connection_begins(calls_.news());
  uncovered_.connection_begins();
  detector_ = config_.detector ? services_->detector(*config_.detector) : nullptr;
  feed_->connected = connection_.began();
  calls_.begins();
  const std::string model = model_file();
  connection_.take(std::make_unique<CameraPipeline>(config_, model, masks_, pipeline_events(),
                                                    services_->contexts(), services_->utc(), feed_->plan,
                                                    detector_));
  demand(demand_);
  calls_.built();
  if (GstElement *e = element("tracklabel"); e && place_) g_object_set(e, "place", place_.get(), nullptr);
  pipeline()->play(); // why it fails, if it does, comes by the bus
}

std::string DetectStream::model_file() {
  if (!config_.privacy.asked()) return services_->file("models/" + config_.name + ".mog");
  services_->in_background([gone = models_gone()]() mutable { gone.reset(); });
  if (const char *encoder = h264_encoder())
    calls_.log(text("what is private", config_.privacy.silhouettes ? ", and all that moves," : "",
                    " is covered, and ", encoder, " encodes the pictures"));
  return "";
}

// Files of models hold a picture of the background. Its destructor removes them.
std::shared_ptr<const void> DetectStream::models_gone() const {
  struct Models {
    std::string file, views;
    std::shared_ptr<Recorder> needed;
    ~Models() {
      std::error_code none;
      for (const char *kind : {"", ".bak"}) std::filesystem::remove(file + kind, none);
      ViewModels::remove_all(views);
    }
  };
  return std::shared_ptr<const void>(new Models{services_->file("models/" + config_.name + ".mog"),
                                                services_->file(OnvifLink::folder(config_.name)),
                                                recorder()});
}

void DetectStream::take_down() {
  if (GstElement *e = element("tracklabel")) {
    GstStructure *place = nullptr;
    g_object_get(e, "place", &place, nullptr);
    place_.reset(place);
  }
  key_pictures_.connection_ends();
  calls_.ends();
  if (live_)
    live_->reset();
  else
    stored_.reset();
  if (pipeline() && !live_) stored_.broke_off(gap_reason::camera_away);
  // The old pipeline writes its model as it goes down.
  connection_.take_down(config_.privacy.asked() ? models_gone() : recorder());
  live_.reset();
  uncovered_.reset();
}

void DetectStream::demand(Hub::Demand d) {
  demand_ = d;
  feed_->plan->demand(d.views);
  const int height = std::max(d.height, config_.live_height);
  key_pictures_.set_height(height);
  if (pipeline()) pipeline()->set_tile_height(height);
}

} // namespace vigil::monitor
