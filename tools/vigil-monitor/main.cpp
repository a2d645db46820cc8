// SPDX-License-Identifier: LGPL-2.1-or-later
// vigil-monitor: see docs/reference/monitor.md.
#include "camera/properties.h"
#include "camera/source.h"
#include "common/error.h"
#include "common/guarded.h"
#include "config/reference.h"
#include "config/secrets.h"
#include "config/text.h"
#include "counted.h"
#include "export/render.h"
#include "http/api.h"
#include "http/certificate.h"
#include "labels/codebook_night.h"
#include "labels/event_picture.h"
#include "last_resort.h"
#include "monitor_services.h"
#include "notify/notifier.h"
#include "printable.h"
#include "process.h"
#include "rtsp/rtsp_server.h"
#include "service_manager.h"
#include "store/administrators.h"
#include "store/backup.h"
#include "users_command.h"
#include "vigil-config.h"

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <glib-unix.h>
#include <gst/gst.h>
#include <memory>
#include <mutex>
#include <sys/resource.h>
#include <sys/stat.h>
#include <thread>
#include <vector>

namespace {

using namespace vigil;
using namespace vigil::monitor;

constexpr const char *usage = R"(usage: vigil-monitor [OPTION]... [SOURCE]...
Watches cameras, keeps events and clips, and serves a page on which a person sees, searches and tunes.

A SOURCE is an address (rtsp://...), a file, /dev/video0, or elements as for gst-launch-1.0. Without one, four drawn cameras.

  --config FILE     cameras and all else from a YAML file (see vigil-monitor.yaml(5)); no SOURCE then
  --check           only says whether the configuration can be used; exit status 1 if not
  --shard I/N       watches the I-th, from 0 on, of N shares of the cameras; I may be the word host (see docs/reference/shards.md)
  --listen A:PORT   instead of 127.0.0.1:8090; port 0: any
  --local ROLE      of this machine's own requests, where the configuration does not say: none, view or admin
  --storage FOLDER  where events and clips are kept
  --describe-config prints each key of the configuration as JSON: path, values, default, meaning
  --add-user NAME --role ROLE [--cameras A,B]
                    adds a user and ends: viewer, operator or admin; the password comes from standard input
  --set-password NAME, --remove-user NAME, --list-users
                    likewise; sessions of that user end
  --backup FILE.tar[.gz|.zst] [--with-clips] [--with-recordings]
                    copies the storage folder into one file, also while another vigil-monitor works with it, and ends
  --restore FILE    puts it back, and ends
  --test-notify     sends a message for a test to everybody under notify: in the configuration, and ends
  --page FOLDER     serves the page from a folder, for those who work on it
  --version, --help
)";

struct Options {
  std::string config, listen, local, storage, page, shard, backup, restore;
  bool check = false, describe = false, test_notify = false;
  UsersCommand users;
  BackupParts parts;
  std::vector<std::string> sources;
};

int bad_usage(const std::string &what) {
  std::fprintf(stderr, "vigil-monitor: %s\n%s", what.c_str(), usage);
  return 2;
}

std::string default_storage() {
  if (const char *state = std::getenv("XDG_STATE_HOME"); state && *state)
    return std::string(state) + "/vigil-monitor";
  if (const char *home = std::getenv("HOME"); home && *home)
    return std::string(home) + "/.local/state/vigil-monitor";
  return "vigil-monitor-data";
}

std::string storage_folder(const Options &o, const std::string &configured) {
  return !o.storage.empty() ? o.storage : !configured.empty() ? configured : default_storage();
}

// Who this machine's own requests are, where the configuration does not say: an administrator on a desktop,
// and nobody where there are signs of other people, since behind a proxy or a forwarder all look like this
// machine.
void settle_access(HttpConfig &http, const std::string &storage) {
  const bool loopback = is_loopback(http.address);
  if (http.local.empty())
    http.local = loopback && http.token_file.empty() && http.hosts.empty() &&
                         !may_have_administrators(storage + "/events.db")
                     ? "admin"
                     : "none";
  else if (http.local != "none" && !loopback)
    fail(Error::Kind::bad_setting, "http: local: ", http.local,
         " needs an address of this machine alone, but ", http.address,
         " can be reached by others; write local: none, and give programs a token");
  if (http.token_file.empty() && http.local != "admin") http.token_file = storage + "/token";
}

Config configuration(const Options &o) {
  Config c = o.config.empty() ? default_config(o.sources) : read_config(o.config, true);
  if (!o.shard.empty()) keep_shard(c, parse_shard(o.shard, g_get_host_name()));
  if (!o.listen.empty()) {
    const Config with =
        parse_config("http: {listen: '" + o.listen + "'}\ncameras: {a: {source: x}}\n", "--listen");
    c.http.address = with.http.address;
    c.http.port = with.http.port;
  }
  c.storage.path = storage_folder(o, c.storage.path);
  if (c.http.local.empty() && !o.local.empty())
    c.http.local =
        parse_config("http: {local: '" + o.local + "'}\ncameras: {a: {source: x}}\n", "--local").http.local;
  settle_access(c.http, c.storage.path);
  if (!c.http.certificate.empty()) Certificate(c.http.certificate, c.http.key); // a mistake is one here, too
  for (const auto &[name, camera] : c.cameras) {
    check_source(camera);
    check_settings(camera.elements);
  }
  return c;
}

gboolean quit(gpointer loop) {
  g_main_loop_quit(static_cast<GMainLoop *>(loop));
  return G_SOURCE_CONTINUE;
}

// From the main loop: while that hangs, systemd hears nothing, and starts the program again.
gboolean is_alive(gpointer) {
  notify_service_manager("WATCHDOG=1");
  return G_SOURCE_CONTINUE;
}

// What a reload reads: tokens and certificate as well as the configuration. A mistake in one of them leaves
// all as it was.
class Reload {
 public:
  Reload(Monitor &monitor, Tokens &tokens, Access &access)
      : monitor_(monitor), tokens_(tokens), access_(access) {}
  std::vector<std::string> operator()() {
    const HttpConfig http = monitor_.cameras().config().http;
    std::vector<Token> tokens = tokens_.read();
    std::shared_ptr<const Certificate> certificate;
    if (!http.certificate.empty()) certificate = std::make_shared<Certificate>(http.certificate, http.key);
    auto changed = monitor_.cameras().reload();
    access_.use(tokens);
    access_.use_roles(monitor_.cameras().config().roles);
    if (certificate) use_certificate(std::move(certificate));
    return changed;
  }

 private:
  Monitor &monitor_;
  Tokens &tokens_;
  Access &access_;
};

gboolean read_again(gpointer user) {
  try {
    (*static_cast<Reload *>(user))();
  } catch (const std::exception &e) {
    log_line(std::string(e.what()) + "; the configuration stays as it was");
  }
  return G_SOURCE_CONTINUE;
}

RtspSettings rtsp_settings(const Config &c) {
  return {c.rtsp.address, c.rtsp.port, c.rtsp.max_clients, c.http.certificate, c.http.key};
}

// A camera's streams, on any thread. A reload takes a camera's recorder away while it is asked.
RtspSources rtsp_sources(Monitor &monitor, const std::string &name) {
  return monitor.call([&]() -> RtspSources {
    const auto camera = monitor.cameras().find(name);
    if (!camera) return {};
    return {camera->recorder(), camera->feed()->findings};
  });
}

// Users that the command line adds, changes or removes meanwhile. The database is asked on the writer's
// thread.
class OtherPrograms {
 public:
  OtherPrograms(Monitor &monitor, Access &access) : monitor_(monitor), access_(access) {}
  static gboolean on_timer(gpointer user) {
    auto *self = static_cast<OtherPrograms *>(user);
    self->monitor_.queue().add([self] { self->look(); });
    return G_SOURCE_CONTINUE;
  }
  void stop() { // no look is under way when it returns, and there are no more
    const std::lock_guard guard(lock_);
    stopped_ = true;
  }

 private:
  void look() {
    const std::lock_guard guard(lock_);
    if (!stopped_) access_.look_again();
  }
  Monitor &monitor_;
  Access &access_;
  std::mutex lock_;
  bool stopped_ = false;
};

// Each connection and camera has descriptors, and the usual soft limit of 1024 is for programs with select().
void raise_descriptors() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit)) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  constexpr rlim_t few = 512;
  if (limit.rlim_max < few)
    log_line(text("at most ", limit.rlim_max, " files and connections may be open at a time; allow ", few,
                  " or more (ulimit -n, LimitNOFILE), or clips and viewers are lost"));
}

// Clips are not for everybody on this machine, unless the person who starts the program allows it by letting
// the group read and nobody else (UMask=0027 of the units).
void close_files_to_others() {
  const mode_t mask = umask(0077);
  if ((mask & 0007) == 0007) umask(mask);
}

// ps shows a program's words to everybody: there, an address is without its password from here on.
void hide_in_ps(char *word) {
  const std::size_t length = std::strlen(word);
  std::string shown = shown_source(word);
  if (shown == word) return;
  shown.resize(length, ' ');
  std::memcpy(word, shown.data(), length);
}

// Without the cameras. The exit status: 1 when a server does not take it.
int test_notify(const Config &config) {
  if (config.notify.empty()) fail(Error::Kind::bad_setting, "the configuration has no notify: to test");
  int status = 0;
  const std::atomic<bool> ended = false;
  for (const NotifyConfig &n : config.notify) {
    const Delivery d = send_notice(n, test_notice(), ended);
    std::printf("%s: %s\n", shown_target(n).c_str(),
                d.wrong.empty() ? "taken" : mask_credentials(d.wrong).c_str());
    if (!d.wrong.empty()) status = 1;
  }
  return status;
}

// The element reads the files and trains when they are set, which the main loop must not wait for.
void set_if_there(GstElement *tracklabel, const char *property, const std::string &file) {
  std::error_code error;
  g_object_set(tracklabel, property, std::filesystem::exists(file, error) ? file.c_str() : "", nullptr);
}

// `codebook`: the site's; empty: tracks are not looked at.
void connect_labels(Monitor &monitor, LabelBook &labels, const std::string &codebook) {
  monitor.events().receivers.labels_of = [&labels](const std::string &event) { return labels.labels(event); };
  monitor.services().on_vector = [&labels](const Event &e, const std::vector<float> &v,
                                           const std::string &model) { labels.vector(e, v, model); };
  monitor.services().on_tracklabel = [&labels, codebook](GstElement *e, bool may_look) {
    const std::shared_ptr<GstElement> kept(GST_ELEMENT(gst_object_ref(e)), gst_object_unref);
    labels.in_background([kept, examples = labels.file(), codebook, may_look] {
      if (may_look && !codebook.empty()) set_if_there(kept.get(), "codebook-location", codebook);
      set_if_there(kept.get(), "model-location", examples);
    });
  };
  monitor.events().receivers.stored.push_back(
      [&labels](const char *type, const Event &e) { labels.event(type, e); });
  monitor.announcer().listeners.push_back([&labels](const std::string &camera, const nlohmann::json &record) {
    if (record["kind"] == "track") labels.track(camera, record);
  });
}

// What an event shows, as its stored picture has it: behind the cover of a camera with privacy. Nothing of an
// event from before that cover.
label::Picture picture_of(Monitor &monitor, const CoveredSince &covered, const std::string &event) {
  const auto e = monitor.storage().reader().get(event);
  if (!e || !e->box || !covered.covers(e->camera, e->start_time)) return {};
  return picture_in(monitor.storage().file(thumb_path(*e)), *e->box);
}

// Pictures that were kept to learn from go when they show what has become private. On the main thread.
void cover_labels(Monitor &monitor, LabelBook &labels, CoveredSince &covered) {
  std::map<std::string, PrivacyConfig> all;
  for (const auto &camera : monitor.cameras().all()) all[camera->config().name] = camera->config().privacy;
  labels.in_background([&labels, &covered, more = covered.use(all, monitor.utc().now())] {
    if (!more.empty()) labels.forget_pictures(more);
    covered.remember();
  });
}

std::vector<std::string> last_day(Monitor &monitor, std::size_t most) {
  constexpr double day = 86400;
  EventQuery query;
  query.after = monitor.utc().now() - day;
  query.limit = static_cast<int>(most);
  std::vector<std::string> out;
  for (const Event &e : monitor.storage().reader().find(query).events) out.push_back(e.id);
  return out;
}

// What needs the storage folder alone.
void care_for_storage(const Options &o, const std::string &folder) {
  if (!o.backup.empty()) {
    make_backup(folder, o.backup, o.parts);
    std::printf("%s: a backup of %s\n", o.backup.c_str(), folder.c_str());
  } else if (!o.restore.empty()) {
    const std::string before = restore_backup(folder, o.restore);
    std::printf("%s is as %s has it\n", folder.c_str(), o.restore.c_str());
    if (!before.empty()) std::printf("what was there is in %s\n", before.c_str());
  } else {
    manage_users(o.users, folder);
  }
}

int run(const Options &o) {
  if (o.describe) {
    std::printf("%s\n", configuration_reference().dump(1).c_str());
    return 0;
  }
  if (!o.backup.empty() || !o.restore.empty() || o.users.given()) {
    care_for_storage(o, storage_folder(o, o.config.empty() ? "" : configured_storage(o.config)));
    return 0;
  }
  const Config config = configuration(o);
  if (o.test_notify) return test_notify(config);
  if (o.check) {
    std::printf("%s: %s, no mistakes\n", o.config.empty() ? "the configuration" : o.config.c_str(),
                counted(config.cameras.size(), "camera").c_str());
    for (const std::string &warning : config.warnings) std::printf("warning: %s\n", warning.c_str());
    return 0;
  }
  log_at_borders([](const std::string &line) { log_line(line); });
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN); // a file that may not grow is an error, as a full disk is
  std::error_code error;
  std::filesystem::create_directories(config.storage.path, error);
  for (const std::string &warning : config.warnings) log_line(warning);
  const bool tls = !config.http.certificate.empty();
  if (tls) use_certificate(std::make_shared<Certificate>(config.http.certificate, config.http.key));
  std::string lost_tokens;
  if (config.http.token_file == config.storage.path + "/token")
    lost_tokens = move_damaged_tokens_aside(config.http.token_file);
  Tokens tokens(config.http.token_file);
  const Role local = config.http.local == "admin"  ? Role::admin
                     : config.http.local == "view" ? Role::view
                                                   : Role::none;
  Monitor monitor(config, o.config);
  if (!lost_tokens.empty()) monitor.storage().reports().add(lost_tokens);
  UserStore user_store(monitor.storage().file("events.db"));
  try {
    user_store.remember();
  } catch (const Error &e) {
    log_line(e.what());
  }
  if (const std::string lost = lost_administrators(monitor.storage().file("events.db")); !lost.empty())
    monitor.storage().reports().add(lost);
  Users users(user_store);
  users.use_roles(config.roles);
  Sessions sessions(user_store, tokens, log_line, Utc::system_seconds());
  Access access(tokens, users, sessions, local, config.http.port, tls);
  AuditLog audit(monitor.storage().file("audit.jsonl"), log_line);
  monitor.retention().on_deleted = [&audit](const Departed &deleted, double now) {
    audit.add(audit_line(deleted, now));
  };
  PushStore push_store(monitor.storage().file("events.db"));
  Push push(
      config.push, push_store, monitor.storage().events(), monitor.storage().file("vapid.key"),
      [&access](const std::string &owner, const std::string &credential) {
        return access.cameras_of(owner, credential);
      },
      [&monitor](const std::string &camera) { return monitor.cameras().title_of(camera); }, log_line);
  const std::string codebook_file =
      config.labels.codebook ? monitor.storage().file("labels/codebook.model") : "";
  std::unique_ptr<SiteCodebook> codebook;
  if (!codebook_file.empty())
    codebook = std::make_unique<SiteCodebook>(
        codebook_file, [&monitor](const std::string &s) { monitor.storage().reports().add(s); });
  CoveredSince covered(monitor.storage().file("labels/covered.json"),
                       [&monitor](const std::string &what) { monitor.storage().reports().add(what); });
  const auto picture = [&monitor, &covered](const std::string &event) {
    return picture_of(monitor, covered, event);
  };
  LabelBook labels(monitor.storage().file("events.db"), monitor.storage().file("labels/examples.json"),
                   {log_line, [&monitor](const std::string &what) { monitor.storage().reports().add(what); },
                    [&monitor](const std::string &event, const EventLabels &all) {
                      monitor.events().relabelled(event, all);
                    },
                    [&monitor](const LabelBook::NamesByCamera &names) {
                      MainLoop::post([&monitor, names] {
                        for (const auto &camera : monitor.cameras().all()) {
                          const auto own = names.find(camera->config().name);
                          camera->learnt(own == names.end() ? std::vector<std::string>() : own->second);
                        }
                      });
                    },
                    codebook.get(), picture, &covered});
  connect_labels(monitor, labels, codebook_file);
  std::unique_ptr<CodebookNight> night;
  if (codebook)
    night = std::make_unique<CodebookNight>(
        labels, *codebook, monitor.storage().file("labels/night"), config.labels.hour,
        CodebookNight::Surroundings{
            log_line, [&monitor](std::size_t most) { return last_day(monitor, most); }, picture});
  Notifier notifier(monitor, audit, push);
  Api api(monitor, access, audit, labels, o.page);
  api.services.push = &push;
  if (night) {
    api.services.codebook_state = [&night] { return night->describe(); };
    api.services.make_codebook_now = [&night] { return night->make_now(); };
  }
  std::unique_ptr<RtspServer> rtsp;
  if (!config.rtsp.address.empty())
    rtsp = std::make_unique<RtspServer>(
        rtsp_settings(config), access,
        [&monitor](const std::string &name) { return rtsp_sources(monitor, name); }, log_line);
  if (rtsp)
    monitor.cameras().on_change = [&monitor, &rtsp] { rtsp->set_cameras(monitor.cameras().config().order); };
  Reload reload(monitor, tokens, access);
  api.services.read_again = reload;
  api.services.test_notices = [&notifier] { return notifier.test_notices(); };
  api.services.mqtt_state = [&notifier] { return notifier.mqtt_state(); };
  if (rtsp)
    api.services.rtsp_state = [&rtsp, address = config.rtsp.address, port = rtsp->port(),
                               most = config.rtsp.max_clients, tls] {
      return nlohmann::json{
          {"address", address}, {"port", port}, {"tls", tls}, {"clients", rtsp->clients()}, {"limit", most}};
    };
  GMainLoop *loop = g_main_loop_new(nullptr, FALSE);
  std::vector<guint> sources = {g_unix_signal_add(SIGINT, guarded<quit, G_SOURCE_CONTINUE>, loop),
                                g_unix_signal_add(SIGTERM, guarded<quit, G_SOURCE_CONTINUE>, loop),
                                g_unix_signal_add(SIGHUP, guarded<read_again, G_SOURCE_CONTINUE>, &reload)};
  if (const auto period = watchdog_period())
    sources.push_back(
        g_timeout_add(static_cast<guint>(period->count()), guarded<is_alive, G_SOURCE_CONTINUE>, nullptr));
  ServerSettings settings;
  settings.address = config.http.address;
  settings.port = config.http.port;
  settings.tls = tls;
  settings.framed = config.http.framed;
  auto server = std::make_unique<Server>(settings, [&api](const Request &r) { return api.handle(r); });
  access.on_end = [to = server.get()](const std::string &session) { to->end_answers(session); };
  OtherPrograms others(monitor, access);
  constexpr guint often = 2000;
  sources.push_back(g_timeout_add(often, guarded<OtherPrograms::on_timer, G_SOURCE_CONTINUE>, &others));
  monitor.start();
  monitor.cameras().on_configured = [&] { cover_labels(monitor, labels, covered); };
  monitor.cameras().on_configured();
  const auto shown = [](const std::string &address) {
    return address.find(':') == std::string::npos ? address : "[" + address + "]";
  };
  std::printf("%s://%s:%d/\n", tls ? "https" : "http", shown(config.http.address).c_str(), server->port());
  if (rtsp) {
    monitor.cameras().on_change();
    std::printf("%s://%s:%d/CAMERA\n", tls ? "rtsps" : "rtsp", shown(config.rtsp.address).c_str(),
                rtsp->port());
  }
  if (!config.http.token_file.empty())
    std::printf("%s: %s\n", local == Role::none ? "tokens" : "tokens for other machines",
                config.http.token_file.c_str());
  std::fflush(stdout);
  notify_service_manager("READY=1");
  g_main_loop_run(loop);

  notify_service_manager("STOPPING=1");
  notifier.take_no_orders();
  others.stop(); // it uses the server
  // Each part has a limit of its own. This limit is for the rest, for example a query on a disk that hangs.
  constexpr std::chrono::seconds longest_stop(30);
  const LastResort last(longest_stop, [] {
    log_line("the program does not come to its end, and leaves without waiting longer");
    std::_Exit(0);
  });
  log_line("stopping: clips that are being written are finished first");
  monitor.announcer().close();
  monitor.cameras().on_change = [] {}; // the RTSP server ends
  monitor.cameras().on_configured = [] {};
  for (const auto &camera : monitor.cameras().all())
    if (const auto head = camera->onvif()->ptz()) head->end(); // requests wait for it
  // Requests that are being answered may still ask the main loop.
  std::atomic<bool> closed = false, rtsp_ended = false;
  std::thread closer([&] {
    guard("the end of live views", [&] { api.end_views(); });
    guard("the end of the RTSP server", [&] {
      constexpr std::chrono::seconds for_clients(5);
      rtsp_ended = !rtsp || rtsp->end(for_clients);
    });
    api.end_searches();
    guard("the end of the HTTP server", [&] { server.reset(); });
    closed = true;
    g_main_context_wakeup(nullptr);
  });
  while (!closed) g_main_context_iteration(nullptr, TRUE);
  closer.join();
  if (!rtsp_ended) std::_Exit(0);     // its clients' threads use what would be destroyed below
  if (!monitor.stop()) std::_Exit(0); // what hangs still uses what would be destroyed below
  constexpr std::chrono::seconds for_goodbye(3);
  if (!notifier.end(for_goodbye)) {
    log_line("the broker or the webhook does not end; the program leaves without waiting for it");
    std::_Exit(0);
  }
  for (const guint s : sources) g_source_remove(s);
  g_main_loop_unref(loop);
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  if (argc > 1 && !std::strcmp(argv[1], "--render-export")) return render_export(argc, argv);
  Options o;
  for (int i = 1; i < argc; i++) {
    const std::string a = argv[i];
    std::string *value = a == "--config"         ? &o.config
                         : a == "--shard"        ? &o.shard
                         : a == "--listen"       ? &o.listen
                         : a == "--local"        ? &o.local
                         : a == "--storage"      ? &o.storage
                         : a == "--backup"       ? &o.backup
                         : a == "--restore"      ? &o.restore
                         : a == "--page"         ? &o.page
                         : a == "--add-user"     ? &o.users.add
                         : a == "--set-password" ? &o.users.set_password
                         : a == "--remove-user"  ? &o.users.remove
                         : a == "--role"         ? &o.users.role
                         : a == "--cameras"      ? &o.users.cameras
                                                 : nullptr;
    if (value) {
      if (++i == argc) return bad_usage(a + " needs a value");
      *value = argv[i];
    } else if (a == "--check") {
      o.check = true;
    } else if (a == "--describe-config") {
      o.describe = true;
    } else if (a == "--with-clips") {
      o.parts.clips = true;
    } else if (a == "--with-recordings") {
      o.parts.recordings = true;
    } else if (a == "--test-notify") {
      o.test_notify = true;
    } else if (a == "--list-users") {
      o.users.list = true;
    } else if (a == "--help") {
      std::fputs(usage, stdout);
      return 0;
    } else if (a == "--version") {
      std::printf("vigil-monitor %s\n", VIGIL_VERSION);
      return 0;
    } else if (a.size() > 1 && a[0] == '-') {
      return bad_usage("there is no option " + a);
    } else {
      o.sources.push_back(a);
      hide_in_ps(argv[i]);
    }
  }
  if (!o.config.empty() && !o.sources.empty()) return bad_usage("either --config or SOURCEs");
  try {
    raise_descriptors();
    close_files_to_others();
    share_arenas();
    gst_init(nullptr, nullptr);
    register_network_types();
    return run(o);
  } catch (const std::exception &e) {
    std::fprintf(stderr, "vigil-monitor: %s\n", printable(mask_credentials(e.what())).c_str());
    return 1;
  }
}
