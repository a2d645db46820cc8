// SPDX-License-Identifier: LGPL-2.1-or-later
#include "monitor.h"

#include "camera/properties.h"
#include "camera/source.h"
#include "camera/stream_look.h"
#include "common/error.h"
#include "common/guarded.h"
#include "config/secrets.h"
#include "config/text.h"
#include "counted.h"
#include "monitor_services.h"
#include "printable.h"
#include "process.h"
#include "recording/recorded.h"
#include "recording/recovery.h"
#include "tools/base/gst_ptr.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <glib.h>
#include <iterator>
#include <set>
#include <utility>

namespace vigil::monitor {
namespace {

constexpr std::size_t most_tasks = 4096;
constexpr double longest_event = 2 * 86400; // seconds: loitering may take a day

std::shared_ptr<ColdFolder> cold_folder(const ColdConfig &c) {
  return c.path.empty() ? nullptr : std::make_shared<ColdFolder>(c.path, log_line);
}

gboolean run_task(gpointer user) {
  (*static_cast<std::function<void()> *>(user))();
  return G_SOURCE_REMOVE;
}
void delete_task(gpointer user) {
  delete static_cast<std::function<void()> *>(user);
}

} // namespace

Monitor::Monitor(Config config, std::string file)
    : config_(std::move(config)), file_(std::move(file)),
      storage_(std::make_unique<Storage>(config_.storage.path, log_line, cold_folder(config_.storage.cold))),
      writer_(most_tasks, log_line),
      recordings_(std::make_shared<RecordingDisk>(storage_->recordings(), storage_->places(),
                                                  storage_->path(), log_line)),
      min_free_(static_cast<std::int64_t>(config_.storage.min_free)),
      exports_(storage_->file("exports"), export_source(), log_line), detectors_(log_line),
      services_(std::make_shared<Services>(*this)) {
  overrides_ = overrides_file_.load();
  join_added(config_);
  storage_->set_retention(config_.cameras, config_.record.retain_days);
  clock_ = ClockTrust(storage_->events().trusted_time());
  const auto recovery =
      std::make_shared<RecordingRecovery>(storage_->recordings(), storage_->path(), log_line);
  recovery->close_open(); // first: clips of events may be parts of what it closes
  // Receivers of their beginning receive their end.
  for (const Event &event : storage_->reconcile(utc_.now())) waiting_.push_back({"end", event});
  if (storage_->places().cold())
    cold_ = std::make_shared<ColdMover>(
        storage_->recordings(), storage_->places(), storage_->path(), log_line,
        [this](std::vector<Departure> gone) { deleted_cold(std::move(gone)); },
        [s = storage_.get()] { s->recordings_compared(); });
  recordings_->add_needed([cold = cold_, recovery, s = storage_.get()] {
    const bool all = recovery->compare();
    if (cold)
      cold->start();
    else if (all)
      s->recordings_compared();
  });
}

Monitor::~Monitor() {
  stop();
  if (cold_) cold_->stop(std::chrono::seconds(0)); // where start() was never called
}

void Monitor::on_main(std::function<void()> f) {
  // Idle, not invoke: what comes from the main thread itself waits for its turn too.
  g_idle_add_full(G_PRIORITY_DEFAULT, guarded<run_task>, new std::function<void()>(std::move(f)),
                  guarded<delete_task>);
}

ExportSource Monitor::export_source() {
  return {[this](const std::string &camera, std::int64_t from, std::int64_t to) {
            return recorded_segments(storage_->reader(), open_segments(), camera, from, to, true);
          },
          [places = storage_->places()](const Segment &s) { return places.file(s); },
          [this] {
            std::error_code error;
            const auto space = std::filesystem::space(storage_->path(), error);
            return error ? INT64_MAX : static_cast<std::int64_t>(space.available) - min_free_ / 2;
          }};
}

void Monitor::start() {
  exports_.start();
  writer_.add([this] { put_waiting(); }); // ends of events from before the start
  for (const std::string &name : config_.order) {
    cameras_[name] = std::make_shared<Camera>(overrides_.applied(config_.cameras.at(name)), services_);
    guard(name, [&] { cameras_[name]->start(); });
  }
  keep_titles();
  timer_ = g_timeout_add(1000, guarded<on_timer, G_SOURCE_CONTINUE>, this);
}

int Monitor::on_timer(void *monitor) {
  static_cast<Monitor *>(monitor)->tick();
  return G_SOURCE_CONTINUE;
}

bool Monitor::stop() {
  if (!timer_) return true;
  g_source_remove(timer_);
  timer_ = 0;
  hub_.text("", utc_.now(), {{"kind", "bye"}});
  hub_.close();
  exports_.stop();
  for (auto &[name, camera] : cameras_) guard(name, [&] { camera->stop("the program stops"); });
  constexpr std::chrono::seconds patience(6), disks(20);
  const bool clips = clips_->wait(disks); // each then tells the main loop
  if (!clips)
    log_line(vigil::text(counted(clips_->clips(), "clip"), " still ",
                         word_for(clips_->clips(), "waits", "wait"),
                         " for the disk; the program leaves without waiting, and closes ",
                         word_for(clips_->clips(), "it", "them"), " when it starts again"));
  const auto run_main = [] { // what other threads have left for it
    while (g_main_context_iteration(nullptr, FALSE)) {
    }
  };
  run_main(); // clips that are parts of the recording ask the disk's thread
  const bool recorded = recordings_->wait(clips ? disks : std::chrono::seconds(0));
  if (!recorded)
    log_line("the disk has not taken the recordings' last seconds; the program leaves without waiting");
  const bool moved = !cold_ || cold_->stop(std::chrono::seconds(5));
  if (!moved) log_line("the second folder does not answer; the program leaves without waiting for it");
  const bool whole = clips && recorded && moved;
  run_main();
  writer_.add_needed([this] { save_motion(); });
  const bool ended = reaper_.wait(patience);
  if (!ended) log_line("a camera's connection does not end; the program leaves without waiting for it");
  writer_.stop();
  if (!waiting_.empty()) log_line(vigil::text(waiting_.size(), " news of events were never stored"));
  cameras_.clear();
  leaving_.clear();
  return ended && whole;
}

void Monitor::tick() {
  last_turn_ = Utc::monotonic_seconds();
  for (const auto &[name, camera] : cameras_) guard(name, [&] { camera->tick(); });
  std::erase_if(leaving_, [](const auto &camera) { return !camera->awaits_clips(); });
  if (const double change = utc_.re_anchor(); change != 0) {
    log_line(vigil::text("the system's clock was set by ", counted(change, "second")));
    for (const auto &[name, camera] : cameras_) guard(name, [&] { camera->clock_set(change); });
  }
  recordings_->tick();
  if (cold_) storage_->places().cold()->tick();
  if (auto unused = detectors_.take_unused(); !unused.empty())
    reaper_.add([unused = std::move(unused)]() mutable { unused.clear(); });
  constexpr unsigned fresh = 2;
  if (ticks_ % fresh == 0 && hub_.viewers() > 0) announce_recorded();
  if (queue_.worked(Utc::monotonic_seconds())) log_line("the disk takes everything again");
  constexpr unsigned a_minute = 60, often = 10;
  if (ticks_ % a_minute == 0)
    writer_.add([this, cameras = config_.cameras, days = config_.record.retain_days,
                 limits = config_.storage] { retention(cameras, days, limits); });
  if (ticks_ % often == 0) writer_.add(give_back_memory);
  if (ticks_ % often == 0) writer_.add([this] { save_crossings(); }); // what the disk has refused
  if (ticks_ % MotionHistory::often == 0) writer_.add([this] { save_motion(); });
  {
    const std::lock_guard guard(unsaved_lock_);
    if (unsaved_ && ticks_ % often == 0) writer_.add([this] { write_overrides(); });
  }
  ticks_++;
  if (!writable_) writer_.add([this] { put_waiting(); });
}

// How far each camera's recording reaches by now: a timeline that is open goes on by it.
void Monitor::announce_recorded() {
  for (const auto &[name, camera] : cameras_) {
    std::int64_t end = 0;
    constexpr double lately = 10;
    for (const Segment &s : open_segments().of(name, micros(utc_.now() - lately), INT64_MAX))
      end = std::max(end, s.end());
    if (end > 0) hub_.text(name, utc_.now(), {{"kind", "recorded"}, {"camera", name}, {"end", seconds(end)}});
  }
}

void Monitor::save(const char *type, const Event &e) {
  const auto announce = [this](const char *what, const Event &event) {
    hub_.text(event.camera, utc_.now(), {{"kind", "event"}, {"type", what}, {"event", to_json(event)}});
  };
  const bool first = !std::strcmp(type, "new");
  if (first) announce(type, e); // at once; the others when their files are there
  const bool taken =
      writer_.add_needed([this, type = std::string(type), e = Event(e), first, announce]() mutable {
        if (!first && deleted_.has(e.id)) { // what was written of it since goes, too
          storage_->remove(e);
          return;
        }
        // A picture is announced when it is there, which it is not when the disk was full.
        std::error_code error;
        e.has_snapshot = std::filesystem::exists(storage_->file(thumb_path(e)), error);
        if (labels_of && !first) e.labels = labels_of(e.id);
        wait(type, e);
        put_waiting();
        if (!first) announce(type.c_str(), e);
      });
  if (!taken) lost("news of events");
}

void Monitor::relabelled(const std::string &id, const EventLabels &labels) {
  const auto event = event_of_id(id);
  hub_.text(event ? event->camera : "", utc_.now(),
            {{"kind", "labels"}, {"id", id}, {"labels", to_json(labels)}});
  // All old events are guessed again when something was learnt: nobody wants a message of them.
  constexpr double young = 60;
  if (!event || utc_.now() - event->start_time > longest_event) return;
  writer_.add([this, id, labels] {
    const auto waits =
        std::find_if(waiting_.rbegin(), waiting_.rend(), [&](const Waiting &w) { return w.event.id == id; });
    if (waits != waiting_.rend()) {
      waits->event.labels = labels;
      return;
    }
    auto e = storage_->events().get(id);
    if (!e || (e->end_time && utc_.now() - *e->end_time > young)) return;
    e->labels = labels;
    wait("update", std::move(*e));
    put_waiting();
  });
}

void Monitor::wait(std::string type, Event e) {
  constexpr std::size_t most_waiting = 10000;
  // Each of an event's news says all of it: one update that waits is enough.
  const auto last =
      std::find_if(waiting_.rbegin(), waiting_.rend(), [&](const Waiting &w) { return w.event.id == e.id; });
  if (last != waiting_.rend() && type == "update" && last->type == "update") {
    last->event = std::move(e);
    return;
  }
  waiting_.push_back({std::move(type), std::move(e)});
  if (waiting_.size() <= most_waiting) return;
  if (news_.failed(Utc::monotonic_seconds()))
    log_line(vigil::text("more than ", most_waiting,
                         " news of events wait for the disk: the oldest are lost, the ",
                         waiting_.front().type, " of event ", waiting_.front().event.id, " first"));
  waiting_.pop_front();
}

void Monitor::lost(const char *what) {
  if (queue_.failed(Utc::monotonic_seconds()))
    log_line(vigil::text("the disk is so slow that ", what, " are lost: ", writer_.length(),
                         " things wait for it already"));
}

void Monitor::save_crossings() {
  if (crossings_.empty()) return;
  try {
    storage_->events().add_crossings(crossings_);
    crossings_.clear();
    counts_.worked(Utc::monotonic_seconds());
  } catch (const Error &error) {
    if (counts_.failed(Utc::monotonic_seconds()))
      log_line(vigil::text(error.what(), "; crossings of lines are counted in memory until it works again"));
  }
}

void Monitor::save_motion() {
  try {
    storage_->motion().store();
    motion_.worked(Utc::monotonic_seconds());
  } catch (const Error &error) {
    if (motion_.failed(Utc::monotonic_seconds()))
      log_line(vigil::text(error.what(), "; the history of motion waits in memory until it works again"));
  }
}

void Monitor::save_thumbnail(const Event &e, const std::string &jpeg) {
  try {
    storage_->write_file(thumb_path(e), jpeg);
    thumbnails_.worked(Utc::monotonic_seconds());
  } catch (const Error &error) {
    if (thumbnails_.failed(Utc::monotonic_seconds()))
      log_line(vigil::text(error.what(), "; events have no pictures until it works again"));
  }
}

// Stores an event with its news; false when it was deleted. People may delete it or set `retained` at any
// time, so what the news say is looked at again where it is stored.
bool Monitor::store(Waiting &w) {
  for (;;) {
    const auto old = storage_->events().get(w.event.id);
    if (!old && w.type != "new" && deleted_.has(w.event.id)) return false;
    if (old) w.event.retained = old->retained; // set by a person, not by the camera
    std::vector<Posting> news;
    for (const auto &of : news_of)
      for (Posting &p : of(w.type.c_str(), w.event)) news.push_back(std::move(p));
    if (w.type == "end") news.push_back(event_log_.line(w.event));
    if (old && !storage_->change(w.event, news)) continue;
    if (!old) storage_->put(w.event, news);
    return true;
  }
}

void Monitor::put_waiting() {
  const auto works = [this](Outage &outage, const char *meanwhile, const auto &f) {
    try {
      if (f() && outage.worked(Utc::monotonic_seconds())) log_line("the disk takes events again");
      return true;
    } catch (const Error &error) {
      if (outage.failed(Utc::monotonic_seconds()))
        log_line(vigil::text(error.what(), "; ", meanwhile, " until it works again"));
      return false;
    }
  };
  const bool stored = works(disk_, "events are kept in memory", [this] { return store_waiting(); });
  const bool written = works(lines_, "lines of finished events wait in the database",
                             [this] { return event_log_.write_waiting(); });
  writable_ = stored && written;
}

// News that cannot be stored for another reason than the disk or the database are dropped: the news behind
// them must not wait without end.
bool Monitor::store_or_drop(Waiting &w) {
  try {
    return store(w); // or deleted meanwhile
  } catch (const Error &e) {
    if (e.kind() == Error::Kind::write || e.kind() == Error::Kind::io) throw; // tried again
    drop(w, e.what());
  } catch (const std::exception &e) {
    drop(w, e.what());
  }
  return false;
}

void Monitor::drop(const Waiting &w, const char *why) {
  log_line("the " + w.type + " of event " + w.event.id + " of camera " + w.event.camera +
           " cannot be stored, and is left out: " + why);
}

bool Monitor::store_waiting() {
  if (waiting_.empty()) news_.worked(Utc::monotonic_seconds());
  const bool something = !waiting_.empty();
  while (!waiting_.empty()) {
    Waiting &w = waiting_.front();
    const bool stored = store_or_drop(w);
    const Waiting done = std::move(w);
    waiting_.pop_front(); // what fails from here on must not store it again
    if (stored)
      for (const auto &listener : on_event)
        guard("news of an event", [&] { listener(done.type.c_str(), done.event); });
  }
  return something;
}

void Monitor::retention(const std::map<std::string, CameraConfig> &cameras, double retain_days,
                        const StorageConfig &limits) {
  constexpr double often = 600; // seconds between two writes of the clock
  const double monotonic = Utc::monotonic_seconds();
  const bool trusted = clock_.look(Utc::system_seconds(), monotonic);
  if (trusted && clock_.trusted() && (clock_stored_ == 0 || monotonic - clock_stored_ >= often)) {
    storage_->events().set_trusted_time(*clock_.trusted());
    clock_stored_ = monotonic;
  }
  storage_->set_retention(cameras, retain_days);
  const DiskState disk = storage_->disk(limits, utc_.now(), trusted);
  constexpr double day = 86400;
  min_free_ = static_cast<std::int64_t>(limits.min_free);
  if (trusted && limits.export_days > 0) exports_.forget(utc_.now() - limits.export_days * day);
  if (cold_) {
    constexpr double nearly = 0.95, hardly = 1.1; // what is moved in time need not be deleted
    const double too_large =
        disk.max_size > 0 ? static_cast<double>(disk.clip_bytes) - nearly * static_cast<double>(disk.max_size)
                          : 0;
    const double too_full = hardly * static_cast<double>(disk.min_free) - static_cast<double>(disk.free);
    cold_->ask(
        {utc_.now(), trusted, limits.cold, static_cast<std::int64_t>(std::max({too_large, too_full, 0.0}))});
  }
  const auto gone = storage_->retain(disk);
  for (const Departure &d : gone.events) {
    deleted_.add(d.id);
    const auto event = event_of_id(d.id);
    hub_.text(event ? event->camera : "", utc_.now(), {{"kind", "deleted"}, {"id", d.id}});
  }
  if (!gone.empty() && on_retention) on_retention(gone, utc_.now());
  const auto next =
      storage_->next_departure(gone.empty() ? disk : storage_->disk(limits, utc_.now(), trusted));
  const std::lock_guard guard(retention_lock_);
  if (!gone.events.empty())
    last_retention_ =
        vigil::text("deleted ", counted(gone.events.size(), "event"), " at ", utc_timestamp(utc_.now()));
  next_retention_ = next;
}

void Monitor::deleted_cold(std::vector<Departure> gone) {
  writer_.add_needed([this, gone = std::move(gone)] {
    if (on_retention) on_retention({{}, gone}, utc_.now());
  });
}

void Monitor::demand() {
  for (const auto &[name, camera] : cameras_) camera->demand(hub_.demand(name));
}

std::shared_ptr<Camera> Monitor::camera(const std::string &name) const {
  const auto c = cameras_.find(name);
  return c == cameras_.end() ? nullptr : c->second;
}

std::vector<std::shared_ptr<Camera>> Monitor::cameras() const {
  std::vector<std::shared_ptr<Camera>> out;
  for (const std::string &name : config_.order)
    if (const auto c = camera(name)) out.push_back(c);
  return out;
}

nlohmann::json Monitor::describe(const std::string &name) const {
  const auto c = camera(name);
  return c ? c->describe(overrides_.names(name)) : nlohmann::json();
}

std::shared_future<std::string> Monitor::save_overrides() {
  std::promise<std::string> saver;
  std::shared_future<std::string> out = saver.get_future();
  const std::lock_guard guard(unsaved_lock_);
  unsaved_ = overrides_.all().dump(1) + "\n";
  savers_.push_back(std::move(saver));
  if (!writer_.add_needed([this] { write_overrides(); }))
    log_line("the disk is so slow that changes of the page wait to be stored");
  return out;
}

void Monitor::write_overrides() {
  std::optional<std::string> text;
  std::vector<std::promise<std::string>> savers;
  {
    const std::lock_guard guard(unsaved_lock_);
    text = unsaved_;
    savers.swap(savers_);
  }
  std::string why;
  try {
    if (text) overrides_file_.save(*text);
    if (overrides_outage_.worked(Utc::monotonic_seconds())) log_line("changes of the page are stored again");
    const std::lock_guard guard(unsaved_lock_);
    if (unsaved_ == text) unsaved_.reset();
  } catch (const std::exception &e) {
    why = e.what();
    if (overrides_outage_.failed(Utc::monotonic_seconds()))
      log_line(
          why +
          "; changes of the page hold until the program ends, and are tried again until they are stored");
  }
  for (auto &saver : savers) saver.set_value(why);
}

void Monitor::apply(const std::string &name) {
  const auto c = camera(name);
  if (!c) return;
  CameraConfig next = overrides_.applied(config_.cameras.at(name));
  const bool titled = next.title != c->config().title;
  c->change(std::move(next));
  if (titled) keep_titles();
}

void Monitor::keep_titles() {
  std::map<std::string, std::string> titles;
  for (const auto &[name, camera] : cameras_)
    if (!camera->config().title.empty()) titles[name] = camera->config().title;
  const std::lock_guard guard(titles_lock_);
  titles_ = std::move(titles);
}

std::string Monitor::title_of(const std::string &camera) const {
  const std::lock_guard guard(titles_lock_);
  const auto found = titles_.find(camera);
  return found == titles_.end() ? camera : found->second;
}

void Monitor::set_title(const std::string &camera, const std::string &title) {
  if (!title.empty() && !is_title(title))
    fail(Error::Kind::bad_setting, "'", printable(title, most_said),
         "' is no title: 1 to 64 characters, without control characters or marks of direction, and without a "
         "space at an end");
  // Titles that look the same are the same.
  const auto folded = [](const std::string &words) {
    const tools::TextPtr whole(g_utf8_normalize(words.c_str(), -1, G_NORMALIZE_ALL_COMPOSE));
    const tools::TextPtr out(g_utf8_casefold(whole ? whole.get() : words.c_str(), -1));
    return std::string(out.get());
  };
  for (const auto &[name, other] : cameras_)
    if (name != camera && !title.empty() &&
        (folded(name) == folded(title) || folded(other->config().shown_name()) == folded(title)))
      fail(Error::Kind::bad_setting, "camera ", name, " is called '", other->config().shown_name(),
           "'; choose another title");
  overrides_.set_title(camera, title);
  apply(camera);
}

void Monitor::tell_removed(const std::string &camera) {
  const nlohmann::json removed = {{"kind", "removed"}, {"name", camera}};
  hub_.text(camera, utc_.now(), removed);
  for (const auto &listener : on_announce) guard("news of a camera", [&] { listener(camera, removed); });
}

void Monitor::join_added(Config &config) const {
  for (CameraConfig &c : overrides_.added(config.record)) {
    c.detector = config.detector;
    const std::string name = c.name;
    try {
      check_source(c);
      if (const auto there = config.cameras.find(name); there != config.cameras.end())
        fail(Error::Kind::bad_setting, there->second.place, " has one of this name, too");
      config.cameras[name] = std::move(c);
      config.order.push_back(name);
    } catch (const Error &e) {
      log_line("camera " + name + " of the page is not used: " + e.what());
    }
  }
}

std::vector<std::string> Monitor::reload() {
  if (file_.empty()) return {};
  // First all that can fail, without a change:
  Config next = read_config(file_);
  keep_shard(next, config_.shard);
  for (const auto &[name, c] : next.cameras) {
    check_source(c);
    check_settings(c.elements);
  }
  // These take effect at the next start of the program.
  next.storage.path = config_.storage.path;
  next.storage.cold.path = config_.storage.cold.path;
  next.http = config_.http;
  next.rtsp = config_.rtsp;
  next.mqtt = config_.mqtt;
  next.webhook = config_.webhook;
  next.notify = config_.notify;
  next.labels = config_.labels;
  join_added(next);
  for (const std::string &warning : next.warnings)
    if (std::find(config_.warnings.begin(), config_.warnings.end(), warning) == config_.warnings.end())
      log_line(warning);
  const auto changed = use(std::move(next));
  log_line(vigil::text("configuration read again; ", counted(changed.size(), "camera"), " changed"));
  return changed;
}

void Monitor::add_camera(const std::string &name, const std::string &source, const std::string &record_source,
                         const std::string &onvif) {
  constexpr std::size_t most = 256;
  if (!is_name(name))
    fail(Error::Kind::bad_setting, "'", name.substr(0, 80),
         "' is no name; allowed are 1 to 32 of A-Z a-z 0-9 _ -");
  if (config_.cameras.count(name) || overrides_.has_added(name))
    fail(Error::Kind::bad_setting, "there is a camera ", name, " already");
  if (overrides_.added(config_.record).size() >= most)
    fail(Error::Kind::bad_setting, "the page has added ", most, " cameras; write more in the configuration");
  Overrides with = overrides_;
  with.forget(name); // of an earlier camera of this name
  with.add_camera(name, source, record_source, onvif);
  Config next = config_;
  for (CameraConfig &c : with.added(config_.record))
    if (c.name == name) {
      c.detector = config_.detector;
      check_source(c);
      next.cameras[name] = std::move(c);
      next.order.push_back(name);
    }
  std::swap(overrides_, with);
  try {
    use(std::move(next));
  } catch (...) {
    std::swap(overrides_, with);
    throw;
  }
}

void Monitor::remove_camera(const std::string &name) {
  const auto there = config_.cameras.find(name);
  if (there == config_.cameras.end()) fail(Error::Kind::bad_setting, "there is no camera ", name);
  if (!there->second.added)
    fail(Error::Kind::bad_setting, "camera ", name, " is in the configuration (",
         there->second.place.empty() ? file_ : there->second.place, "): take it out there, or switch it off");
  Config next = config_;
  next.cameras.erase(name);
  std::erase(next.order, name);
  use(std::move(next));
  overrides_.remove_camera(name);
}

std::shared_ptr<StreamLook> Monitor::look_at(const std::string &source) {
  CameraConfig config;
  config.name = "look";
  config.source = source;
  check_source(config);
  auto look = std::make_unique<StreamLook>(config, std::make_shared<StreamObserver>(Utc::monotonic_seconds()),
                                           contexts_, utc_);
  look->play();
  // It is muted here, where its messages come, and goes down elsewhere: that may take long.
  return {look.release(), [this](StreamLook *over) {
            on_main([this, over] {
              over->mute();
              reaper_.add([over] { delete over; });
            });
          }};
}

std::vector<std::string> Monitor::use(Config next) {
  std::vector<std::string> changed;
  std::map<std::string, std::shared_ptr<Camera>> kept, gone = cameras_, added;
  std::map<std::string, CameraConfig> changes;
  for (const std::string &name : next.order) {
    const CameraConfig &c = next.cameras.at(name);
    const auto before = config_.cameras.find(name);
    const auto there = gone.find(name);
    if (there == gone.end()) {
      added[name] = std::make_shared<Camera>(overrides_.applied(c), services_);
    } else {
      kept.insert(gone.extract(there));
      if (before != config_.cameras.end() && before->second == c) continue;
      changes[name] = overrides_.applied(c);
    }
    changed.push_back(name);
  }
  for (const auto &[name, camera] : gone) changed.push_back(name);
  leaving_.reserve(leaving_.size() + gone.size());
  kept.insert(added.begin(), added.end());
  // From here on nothing throws: what fails at one camera is said, and the others go on.
  std::swap(config_, next);
  for (const auto &[name, camera] : gone) {
    guard(name, [&] { camera->stop("the camera was taken out of the configuration"); });
    leaving_.push_back(camera);
    writer_.add_needed(
        [folder = storage_->file(OnvifLink::folder(name))] { ViewModels::remove_all(folder); });
    guard(name, [&] { tell_removed(name); });
  }
  cameras_ = std::move(kept);
  for (auto &[name, config] : changes) guard(name, [&] { cameras_[name]->change(std::move(config)); });
  for (const auto &[name, camera] : added) guard(name, [&] { camera->start(); });
  guard("cameras", [&] { keep_titles(); });
  guard("cameras", [&] { demand(); });
  if (!gone.empty() || !added.empty()) guard("cameras", [&] { on_cameras(); });
  return changed;
}

bool Monitor::remove_event(const std::string &id) {
  const auto e = storage_->events().get(id);
  if (!e) return false;
  deleted_.add(id); // first: what the camera says of it meanwhile must not bring it back
  storage_->remove(*e);
  hub_.text(e->camera, utc_.now(), {{"kind", "deleted"}, {"id", id}});
  return true;
}

void Monitor::set_retained(Event &e, bool retain) {
  const auto changed = storage_->set_retained(e.id, retain);
  if (!changed) return;
  e = *changed;
  if (labels_of) e.labels = labels_of(e.id);
  hub_.text(e.camera, utc_.now(), {{"kind", "event"}, {"type", "update"}, {"event", to_json(e)}});
}

// Without a look into the folder, which may not answer.
nlohmann::json Monitor::cold_stats(const ColdConfig &limits, std::int64_t bytes) const {
  const auto &folder = storage_->places().cold();
  if (!folder) return nullptr;
  const std::string problem = folder->problem();
  return {{"path", folder->path()},
          {"recordings_bytes", bytes},
          {"max_bytes", limits.max_size},
          {"min_free_bytes", limits.min_free},
          {"problem", problem.empty() ? nlohmann::json() : nlohmann::json(problem)}};
}

nlohmann::json Monitor::storage_stats(const StorageConfig &limits) const {
  const EventReader &reader = storage_->reader();
  const DiskState disk = storage_->disk(limits, utc_.now(), true);
  const auto oldest = reader.oldest();
  const auto clips = reader.clips();
  const std::int64_t recordings = storage_->recordings().bytes(), cold = storage_->recordings().cold_bytes();
  const std::lock_guard guard(retention_lock_);
  return {{"path", limits.path},
          {"clips", clips},
          {"clips_bytes", disk.clip_bytes - (recordings - cold)},
          {"recordings_bytes", recordings},
          {"cold", cold_stats(limits.cold, cold)},
          {"max_bytes", limits.max_size},
          {"free_bytes", disk.free},
          {"min_free_bytes", limits.min_free},
          {"oldest", oldest ? nlohmann::json(*oldest) : nlohmann::json()},
          {"next", next_retention_ ? nlohmann::json(*next_retention_) : nlohmann::json()},
          {"last", last_retention_.empty() ? nlohmann::json() : nlohmann::json(last_retention_)},
          {"set_aside", storage_->reports()},
          {"writable", writable_.load()}};
}

static nlohmann::json detect_words(const CameraConfig &c) {
  nlohmann::json detect{{"height", c.detect_height}, {"fps", c.detect_fps}};
  if (c.detect_height == detect_half) detect["height"] = "half";
  if (c.detect_height == detect_full) detect["height"] = "full";
  if (c.detect_fps == detect_all) detect["fps"] = "all";
  return detect;
}

nlohmann::json Monitor::configuration() const {
  nlohmann::json cameras = nlohmann::json::object();
  for (const auto &[name, camera] : cameras_) {
    const CameraConfig &c = camera->config();
    nlohmann::json j = camera->describe(overrides_.names(name)), elements = nlohmann::json::object();
    for (const auto &[e, properties] : c.elements)
      for (const auto &[p, s] : properties) elements[e][p] = s.value;
    cameras[name] = {{"title", c.shown_name()},
                     {"source", shown_source(c.source)},
                     {"record_source", c.record_source.empty()
                                           ? nlohmann::json()
                                           : nlohmann::json(shown_source(c.record_source))},
                     {"onvif", c.onvif.empty() ? nlohmann::json() : nlohmann::json(shown_source(c.onvif))},
                     {"device_events", c.onvif_events},
                     {"enabled", c.enabled},
                     {"motion", c.motion},
                     {"loop", c.loop},
                     {"talk", c.talk},
                     {"live", {{"height", c.live_height}, {"fps", c.live_fps}, {"sound", c.takes_sound()}}},
                     {"detect", detect_words(c)},
                     {"record",
                      {{"enabled", c.record.enabled},
                       {"pre_capture", c.record.pre_capture},
                       {"post_capture", c.record.post_capture},
                       {"max_clip", c.record.max_clip},
                       {"retain", {{"days", c.record.retain_days}}}}},
                     {"zones", j["zones"]},
                     {"lines", j["lines"]},
                     {"masks", j["masks"]},
                     {"privacy",
                      {{"polygons", j["privacy"]},
                       {"silhouettes", c.privacy.silhouettes},
                       {"fill", name_of(c.privacy.fill)}}},
                     {"elements", elements}};
  }
  nlohmann::json out = {{"file", file_},
                        {"http",
                         {{"listen", config_.http.address + ":" + std::to_string(config_.http.port)},
                          {"tls", !config_.http.certificate.empty()},
                          {"tokens", !config_.http.token_file.empty()}}},
                        {"storage",
                         {{"path", config_.storage.path},
                          {"max_size", config_.storage.max_size},
                          {"min_free", config_.storage.min_free}}},
                        {"cameras", cameras}};
  if (!config_.mqtt.host.empty())
    out["mqtt"] = {{"host", config_.mqtt.host},
                   {"port", config_.mqtt.port},
                   {"topic_prefix", config_.mqtt.topic_prefix},
                   {"node", config_.mqtt.node},
                   {"discovery", config_.mqtt.discovery},
                   {"tls", config_.mqtt.tls},
                   {"commands", config_.mqtt.takes_commands()}};
  for (const NotifyConfig &n : config_.notify)
    out["notify"].push_back({{n.kind == NotifyConfig::Kind::ntfy ? "ntfy" : "email", shown_server(n.url)},
                             {"cameras", n.cameras},
                             {"labels", n.labels},
                             {"zones", n.zones},
                             {"min_interval", n.min_interval}});
  if (!config_.webhook.url.empty()) out["webhook"] = {{"url", shown_server(config_.webhook.url)}};
  return out;
}

} // namespace vigil::monitor
