// SPDX-License-Identifier: LGPL-2.1-or-later
// vigil-monitor: see docs/monitor.md.
#include "camera/properties.h"
#include "camera/source.h"
#include "common/error.h"
#include "http/api.h"
#include "notify/notifier.h"
#include "process.h"
#include "vigil-config.h"

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <glib-unix.h>
#include <gst/gst.h>
#include <iterator>
#include <thread>

namespace {

using namespace vigil;
using namespace vigil::monitor;

constexpr const char *usage = R"(usage: vigil-monitor [OPTION]... [SOURCE]...
Watches cameras, keeps events and clips, and serves a page on which a person sees, searches and tunes.

A SOURCE is an address (rtsp://...), a file, /dev/video0, or elements as for gst-launch-1.0. Without one, four drawn cameras.

  --config FILE     cameras and all else from a YAML file (see vigil-monitor(1)); no SOURCE then
  --check           only says whether the configuration can be used; exit status 1 if not
  --shard I/N       watches the I-th, from 0 on, of N shares of the cameras; I may be the word host (see docs/fleet.md)
  --listen A:PORT   instead of 127.0.0.1:8090; port 0: any
  --storage FOLDER  where events and clips are kept
  --page FOLDER     serves the page from a folder, for those who work on it
  --version, --help
)";

struct Options {
  std::string config, listen, storage, page, shard;
  bool check = false;
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

bool is_loopback(const std::string &address) {
  return address.starts_with("127.") || address == "::1" || address == "localhost";
}

std::string read_pem(const std::string &file) {
  if (file.empty()) return "";
  std::ifstream in(file, std::ios::binary);
  if (!in) fail(Error::Kind::io, "cannot read ", file);
  return std::string((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
}

Config configuration(const Options &o) {
  Config c = o.config.empty() ? default_config(o.sources) : read_config(o.config);
  if (!o.shard.empty()) keep_shard(c, parse_shard(o.shard, g_get_host_name()));
  if (!o.listen.empty()) {
    const Config with =
        parse_config("http: {listen: '" + o.listen + "'}\ncameras: {a: {source: x}}\n", "--listen");
    c.http.address = with.http.address;
    c.http.port = with.http.port;
  }
  if (!o.storage.empty()) c.storage.path = o.storage;
  if (c.storage.path.empty()) c.storage.path = default_storage();
  if (!is_loopback(c.http.address) && c.http.token_file.empty())
    c.http.token_file = c.storage.path + "/token";
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

gboolean read_again(gpointer user) {
  try {
    static_cast<Monitor *>(user)->reload();
  } catch (const Error &e) {
    log_line(std::string(e.what()) + "; the configuration stays as it was");
  }
  return G_SOURCE_CONTINUE;
}

int run(const Options &o) {
  const Config config = configuration(o);
  if (o.check) {
    std::printf("%s: %zu cameras, no mistakes\n", o.config.empty() ? "the configuration" : o.config.c_str(),
                config.cameras.size());
    return 0;
  }
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN); // a file that may not grow is an error, as a full disk is
  std::error_code error;
  std::filesystem::create_directories(config.storage.path, error);
  Tokens tokens(config.http.token_file, config.http.port);
  Monitor monitor(config, o.config);
  Notifier notifier(monitor);
  Api api(monitor, tokens, o.page);
  api.mqtt_state = [&notifier] { return notifier.mqtt_state(); };
  GMainLoop *loop = g_main_loop_new(nullptr, FALSE);
  const guint signals[] = {g_unix_signal_add(SIGINT, quit, loop), g_unix_signal_add(SIGTERM, quit, loop),
                           g_unix_signal_add(SIGHUP, read_again, &monitor)};
  auto server =
      std::make_unique<Server>(ServerSettings{config.http.address, config.http.port,
                                              read_pem(config.http.certificate), read_pem(config.http.key)},
                               [&api](const Request &r) { return api.handle(r); });
  monitor.start();
  const std::string shown = config.http.address.find(':') == std::string::npos
                                ? config.http.address
                                : "[" + config.http.address + "]";
  std::printf("%s://%s:%d/\n", config.http.certificate.empty() ? "http" : "https", shown.c_str(),
              server->port());
  if (!config.http.token_file.empty())
    std::printf("tokens for other machines: %s\n", config.http.token_file.c_str());
  std::fflush(stdout);
  g_main_loop_run(loop);

  log_line("stopping: clips that are being written are finished first");
  monitor.hub().text("", monitor.utc().now(), {{"kind", "bye"}});
  monitor.hub().close();
  // Requests that are being answered may still ask the main loop.
  std::atomic<bool> closed = false;
  std::thread closer([&] {
    server.reset();
    closed = true;
    g_main_context_wakeup(nullptr);
  });
  while (!closed) g_main_context_iteration(nullptr, TRUE);
  closer.join();
  if (!monitor.stop()) std::_Exit(0); // what hangs still uses what would be destroyed below
  for (const guint s : signals) g_source_remove(s);
  g_main_loop_unref(loop);
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  Options o;
  for (int i = 1; i < argc; i++) {
    const std::string a = argv[i];
    std::string *value = a == "--config"    ? &o.config
                         : a == "--shard"   ? &o.shard
                         : a == "--listen"  ? &o.listen
                         : a == "--storage" ? &o.storage
                         : a == "--page"    ? &o.page
                                            : nullptr;
    if (value) {
      if (++i == argc) return bad_usage(a + " needs a value");
      *value = argv[i];
    } else if (a == "--check") {
      o.check = true;
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
    }
  }
  if (!o.config.empty() && !o.sources.empty()) return bad_usage("either --config or SOURCEs");
  share_arenas();
  gst_init(nullptr, nullptr);
  try {
    return run(o);
  } catch (const Error &e) {
    std::fprintf(stderr, "vigil-monitor: %s\n", e.what());
    return 1;
  }
}
