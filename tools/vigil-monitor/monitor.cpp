// SPDX-License-Identifier: LGPL-2.1-or-later
#include "monitor.h"

#include "camera/source.h"
#include "camera/stream_look.h"
#include "common/error.h"
#include "counted.h"
#include "log.h"
#include "monitor_services.h"
#include "process.h"
#include "recording/recorded.h"
#include "recording/recovery.h"

#include <algorithm>
#include <utility>

namespace vigil::monitor {
namespace {

std::shared_ptr<ColdFolder> cold_folder(const ColdConfig &c) {
  return c.path.empty() ? nullptr : std::make_shared<ColdFolder>(c.path, log_line);
}

} // namespace

Monitor::Monitor(Config config, std::string file)
    : storage_(config.storage.path, log_line, cold_folder(config.storage.cold)),
      announcer_(utc_, [this] { MainLoop::post([this] { cameras_.demand(); }); }),
      events_(storage_, queue_, announcer_, utc_), statistics_(storage_, queue_), media_(storage_),
      retention_(storage_, events_, announcer_, media_, utc_, config.storage),
      exports_(storage_.file("exports"), export_source(), log_line),
      services_(std::make_shared<Services>(*this)),
      cameras_(std::move(config), std::move(file), storage_, queue_, announcer_, services_) {
  storage_.retention().set_days(cameras_.config().cameras, cameras_.config().record.retain_days);
  auto recovery = std::make_shared<RecordingRecovery>(storage_.recordings(), storage_.path(), log_line);
  recovery->close_open(); // first: clips of events may be parts of what it closes
  events_.add_ends(storage_.reconcile(utc_.now()));
  media_.begin(std::move(recovery), [this](std::vector<Departure> gone) {
    queue_.add_needed([this, gone = std::move(gone)] { retention_.deleted_cold(gone); });
  });
}

Monitor::~Monitor() {
  stop();
  queue_.stop(); // where start() was never called
}

ExportSource Monitor::export_source() {
  return {[this](const std::string &camera, std::int64_t from, std::int64_t to) {
            return recorded_segments(storage_.reader(), open_segments(), camera, from, to, true);
          },
          [places = storage_.places()](const Segment &s) { return places.file(s); },
          [this] { return retention_.room_for_exports(); }};
}

void Monitor::start() {
  exports_.start();
  events_.begin();
  cameras_.start();
  loop_.start([this] { tick(); });
}

bool Monitor::stop() {
  if (!loop_.stop()) return true;
  announcer_.close();
  exports_.stop();
  cameras_.stop();
  const bool whole = media_.end();
  MainLoop::run_pending(); // what other threads have left for it
  queue_.add_needed([this] { statistics_.save_motion(); });
  constexpr std::chrono::seconds patience(6);
  const bool ended = reaper_.wait(patience);
  if (!ended) log_line("a camera's connection does not end; the program leaves without waiting for it");
  queue_.stop();
  if (const std::size_t n = events_.unstored(); n > 0)
    log_line(vigil::text(n, " news of events were never stored"));
  cameras_.clear();
  return ended && whole;
}

void Monitor::tick() {
  cameras_.tick();
  if (const double change = utc_.re_anchor(); change != 0) {
    log_line(vigil::text("the system's clock was set by ", counted(change, "second")));
    cameras_.clock_set(change);
  }
  media_.tick();
  if (auto unused = services_->detectors.take_unused(); !unused.empty())
    reaper_.add([unused = std::move(unused)]() mutable { unused.clear(); });
  constexpr unsigned fresh = 2, often = 10, a_minute = 60; // seconds
  if (loop_.is_second(fresh) && announcer_.hub().viewers() > 0) announce_recorded();
  queue_.tick();
  if (loop_.is_second(a_minute)) {
    const Config &c = cameras_.config();
    queue_.add([this, cameras = c.cameras, days = c.record.retain_days, limits = c.storage] {
      retention_.run(cameras, days, limits, exports_);
    });
  }
  if (loop_.is_second(often)) {
    queue_.add(give_back_memory);
    queue_.add([this] { statistics_.save_crossings(); }); // what the disk has refused
  }
  if (loop_.is_second(unsigned(MotionHistory::often))) queue_.add([this] { statistics_.save_motion(); });
  if (loop_.is_second(often)) cameras_.retry();
  events_.retry();
}

// How far each camera's recording reaches by now: a timeline that is open goes on by it.
void Monitor::announce_recorded() {
  for (const auto &camera : cameras_.all()) {
    const std::string &name = camera->config().name;
    std::int64_t end = 0;
    constexpr double lately = 10;
    for (const Segment &s : open_segments().of(name, micros(utc_.now() - lately), INT64_MAX))
      end = std::max(end, s.end());
    if (end > 0) announcer_.to_viewers(name, {{"kind", "recorded"}, {"camera", name}, {"end", seconds(end)}});
  }
}

std::shared_ptr<StreamLook> Monitor::look_at(const std::string &source) {
  CameraConfig config;
  config.name = "look";
  config.source = source;
  check_source(config);
  auto look = std::make_unique<StreamLook>(config, std::make_shared<StreamObserver>(Utc::monotonic_seconds()),
                                           services_->contexts(), utc_);
  look->play();
  // It is muted here, where its messages come, and goes down elsewhere: that may take long.
  return {look.release(), [this](StreamLook *over) {
            MainLoop::post([this, over] {
              over->mute();
              reaper_.add([over] { delete over; });
            });
          }};
}

} // namespace vigil::monitor
