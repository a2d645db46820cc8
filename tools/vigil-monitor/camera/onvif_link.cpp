// SPDX-License-Identifier: LGPL-2.1-or-later
#include "onvif_link.h"

#include "camera_pipeline.h"
#include "common/error.h"
#include "gst/video/gst_ptr.h"

#include <utility>

namespace vigil::monitor {

OnvifLink::OnvifLink(const CameraConfig &config, std::shared_ptr<CameraServices> services,
                     EventTracker &events, EventCauses &causes, std::function<CameraPipeline *()> pipeline)
    : config_(config), services_(std::move(services)), causes_(causes), pipeline_(std::move(pipeline)),
      events_of_device_(events) {}

OnvifLink::~OnvifLink() {
  stop();
}

template <class F>
auto OnvifLink::on_main(F f) {
  return [weak = weak_from_this(), services = services_, f](const auto &...arguments) {
    services->on_main([=] {
      if (const auto link = weak.lock()) f(*link, arguments...);
    });
  };
}

void OnvifLink::follow() {
  const std::string wanted = config_.enabled ? config_.onvif : "";
  if (address_ != wanted) stop();
  address_ = wanted;
  const auto log = [services = services_, name = config_.name](const std::string &text) {
    services->log(name + ": its ONVIF device: " + text);
  };
  if (!address_.empty() && !ptz_)
    ptz_ = std::make_shared<PtzHead>(
        address_, PtzHead::News{on_main([](OnvifLink &l) { l.services_->changed(l.config_.name); }), log});
  const bool listens = !address_.empty() && config_.onvif_events;
  if (listens && !pull_) {
    away_ = "it has not answered yet";
    const auto state = [](OnvifLink &l, const std::string &why) {
      if (!l.pull_ || why == l.away_) return;
      if (!why.empty()) l.services_->log(l.config_.name + ": its ONVIF device sends no events: " + why);
      l.away_ = why;
      if (!why.empty()) l.events_of_device_.away(l.services_->utc().now());
      l.services_->changed(l.config_.name);
    };
    pull_ = std::make_shared<PullPoint>(
        address_, PullPoint::News{on_main([](OnvifLink &l, const std::vector<DeviceNotice> &all) {
                                    if (!l.pull_) return;
                                    for (const DeviceNotice &n : all) l.events_of_device_.notice(n);
                                  }),
                                  on_main(state)});
  }
  if (!listens && pull_) {
    services_->in_background([p = std::exchange(pull_, nullptr)]() mutable { p.reset(); });
    events_of_device_.away(services_->utc().now());
  }
}

void OnvifLink::stop() {
  if (ptz_) ptz_->end();
  if (ptz_ || pull_)
    services_->in_background([a = std::exchange(ptz_, nullptr), b = std::exchange(pull_, nullptr)]() mutable {
      a.reset();
      b.reset();
    });
  events_of_device_.away(services_->utc().now());
  address_.clear();
}

ViewModels OnvifLink::models() const {
  return ViewModels(services_->file(folder(config_.name)));
}

void OnvifLink::connection_begins() const {
  if (turning_.quiet())
    if (CameraPipeline *p = pipeline_()) p->begin_turn();
}

std::function<void()> OnvifLink::turns(const std::string &preset) {
  CameraPipeline *p = pipeline_();
  std::function<void()> keep;
  const double now = Utc::monotonic_seconds();
  if (p && !config_.privacy.asked() && turning_.knows_view(now) && causes_.trouble().empty()) {
    const std::string from = turning_.at();
    GstElement *mog = p->element("cudamog");
    if (mog)
      keep = [models = models(), from, name = config_.name, services = services_,
              e = std::shared_ptr<GstElement>(GST_ELEMENT(gst_object_ref(mog)), gst_object_unref)] {
        models.make_room(from);
        gboolean kept = FALSE;
        g_signal_emit_by_name(e.get(), "save-model", models.path(from).c_str(), &kept);
        if (!kept) services->log(name + ": the model of the view that it leaves could not be kept");
      };
  }
  const bool rested = !turning_.quiet();
  turning_.order(now, preset);
  if (p) p->begin_turn();
  if (rested) causes_.begin_turn();
  return keep;
}

void OnvifLink::refused() {
  if (!turning_.refused()) return;
  if (CameraPipeline *p = pipeline_()) p->end_turn();
  causes_.end_turn(0);
}

void OnvifLink::learn() const {
  CameraPipeline *p = pipeline_();
  if (!p) return;
  const ViewModels kept = models();
  p->learn_view(turning_.at().empty() ? "" : kept.path(turning_.at()));
}

void OnvifLink::tick(bool online) {
  CameraPipeline *p = pipeline_();
  switch (turning_.tick(Utc::monotonic_seconds(), p && p->picture_still(), !p || !p->turning())) {
  case Turning::Step::learn:
    learn();
    break;
  case Turning::Step::over: {
    guint hold = 0;
    if (GstElement *mog = p ? p->element("cudamog") : nullptr)
      g_object_get(mog, "motion-hold", &hold, nullptr);
    causes_.end_turn(hold / 1000.0 + 1);
    services_->changed(config_.name);
    break;
  }
  case Turning::Step::none:
    break;
  }
  events_of_device_.tick(services_->utc().now(), online && p, turning_.quiet());
}

nlohmann::json OnvifLink::describe_ptz() const {
  const auto can = ptz_ ? ptz_->abilities() : std::nullopt;
  if (!can || !can->any()) return nullptr;
  return {{"pan_tilt", can->pan_tilt},
          {"zoom", can->zoom},
          {"home", can->home},
          {"presets", can->presets},
          {"turning", turning_.quiet()}};
}

nlohmann::json OnvifLink::describe_events() const {
  if (config_.onvif.empty()) return nullptr;
  const bool listens = pull_ != nullptr;
  return {{"enabled", config_.onvif_events},
          {"subscribed", listens && away_.empty()},
          {"reason", listens && !away_.empty() ? nlohmann::json(away_) : nlohmann::json()}};
}

} // namespace vigil::monitor
