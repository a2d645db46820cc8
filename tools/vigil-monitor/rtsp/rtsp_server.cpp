// SPDX-License-Identifier: LGPL-2.1-or-later
#include "rtsp_server.h"

#include "../camera/recorder.h"
#include "../camera/utc.h"
#include "../http/streams.h"
#include "camera_stream.h"
#include "common/error.h"
#include "common/guarded.h"
#include "gst/video/gst_ptr.h"
#include "rtsp_access.h"
#include "unread.h"

#include <algorithm>
#include <atomic>
#include <gst/rtsp-server/rtsp-server.h>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

namespace vigil::monitor {
namespace {

constexpr const char *state_key = "vigil-connection", *camera_key = "vigil-camera",
                     *owner_key = "vigil-server";

} // namespace

// What the server's threads share. It lives as long as they do.
struct RtspServer::Impl {
  Impl(RtspSettings s, Access &a, std::function<RtspSources(const std::string &)> f,
       std::function<void(const std::string &)> l)
      : settings(std::move(s)), access(a), sources(std::move(f)), log(std::move(l)),
        loopback(is_loopback(settings.address)) {}

  const RtspSettings settings;
  Access &access;
  const std::function<RtspSources(const std::string &)> sources;
  const std::function<void(const std::string &)> log;
  const bool loopback;

  GMainContext *context = nullptr;
  GMainLoop *loop = nullptr;
  GstRTSPServer *server = nullptr;
  std::thread thread;
  std::set<std::string> mounted; // the main thread's
  Streams places;
  std::atomic<int> clients = 0;
  std::atomic<bool> closing = false;
};

namespace {

// One connection; its GstRTSPClient owns it.
struct Connection {
  Connection(RtspServer::Impl &i, const std::string &address, GSocket *s)
      : impl(i), socket(s ? G_SOCKET(g_object_ref(s)) : nullptr), visitor(i.access, address, i.loopback),
        client(address), place(i.places.take(client_address(address).network, RtspServer::most_of_one)) {
    refused = ++impl.clients > impl.settings.most_clients || !place || impl.closing;
  }
  ~Connection() {
    g_clear_object(&socket);
    impl.clients--;
  }
  Connection(const Connection &) = delete;
  Connection &operator=(const Connection &) = delete;

  // On any thread. The client's own thread then finds the end of its stream and leaves. It alone may call
  // gst_rtsp_client_close: with a call from another thread, one that reads at that moment never ends.
  static void shut_down(GSocket *socket) { g_socket_shutdown(socket, TRUE, TRUE, nullptr); }

  RtspServer::Impl &impl;
  GSocket *socket; // null: there was none
  RtspVisitor visitor;
  const std::string client;
  const std::shared_ptr<void> place;
  bool refused = false;
  std::atomic<bool> ends = false; // it was shut down
  std::mutex lock;
  double last_request = Utc::monotonic_seconds(); // or since when it is there
  std::weak_ptr<RtspCameraStream> stream;         // that it was given last
  Unread unread;                                  // the timer's
};

Connection *connection_of(GstRTSPClient *client) {
  return static_cast<Connection *>(g_object_get_data(G_OBJECT(client), state_key));
}
RtspServer::Impl &impl_of(gpointer object) {
  return *static_cast<RtspServer::Impl *>(g_object_get_data(G_OBJECT(object), owner_key));
}

// The first part of the path: "/street/stream=0" is about the camera street.
std::string camera_of(const GstRTSPUrl *url) {
  const std::string path = url && url->abspath ? url->abspath : "";
  return path.empty() ? "" : path.substr(1, path.find('/', 1) - 1);
}

gboolean refuse_request(GstRTSPContext *ctx, GstRTSPStatusCode code) {
  gst_rtsp_message_init_response(ctx->response, code, gst_rtsp_status_as_text(code), ctx->request);
  if (code == GST_RTSP_STS_UNAUTHORIZED)
    gst_rtsp_message_add_header(ctx->response, GST_RTSP_HDR_WWW_AUTHENTICATE, "Basic realm=\"Vigil\"");
  gst_rtsp_client_send_message(ctx->client, ctx->session, ctx->response);
  return FALSE;
}

gboolean check_request(GstRTSPContext *ctx) {
  Connection *c = connection_of(ctx->client);
  if (!c || c->refused) return refuse_request(ctx, GST_RTSP_STS_SERVICE_UNAVAILABLE);
  if (ctx->method == GST_RTSP_OPTIONS) return TRUE; // which says nothing of cameras
  gchar *header = nullptr;
  gst_rtsp_message_get_header(ctx->request, GST_RTSP_HDR_AUTHORIZATION, &header, 0);
  const std::string camera = camera_of(ctx->uri);
  const bool first = !c->visitor.known();
  const RtspVisitor::Answer answer = c->visitor.ask(header ? header : "", camera);
  {
    const std::lock_guard guard(c->lock);
    if (answer == RtspVisitor::Answer::yes) c->last_request = Utc::monotonic_seconds();
  }
  switch (answer) {
  case RtspVisitor::Answer::yes:
    if (first) c->impl.log("RTSP: " + c->visitor.name() + " at " + c->client + " asks for " + camera);
    return TRUE;
  case RtspVisitor::Answer::no_camera:
    return refuse_request(ctx, GST_RTSP_STS_NOT_FOUND);
  case RtspVisitor::Answer::too_many:
    return refuse_request(ctx, GST_RTSP_STS_FORBIDDEN);
  case RtspVisitor::Answer::who_are_you:
    break;
  }
  return refuse_request(ctx, GST_RTSP_STS_UNAUTHORIZED);
}

// Before a stream is made: a camera that is not connected has none, nor one at which as many look as may.
gboolean check_stream(GstRTSPContext *ctx) {
  const Connection *c = connection_of(ctx->client);
  const RtspSources from = c ? c->impl.sources(camera_of(ctx->uri)) : RtspSources{};
  return from.recorder && from.recorder->takes_viewers()
             ? TRUE
             : refuse_request(ctx, GST_RTSP_STS_SERVICE_UNAVAILABLE);
}

// A bin of the camera's stream; null when there is none.
GstElement *new_stream(RtspServer::Impl &impl, const std::string &camera) {
  struct Watching {
    std::shared_ptr<Recorder> recorder;
    std::shared_ptr<RtspCameraStream> stream;
    std::shared_ptr<void> listening;
    ~Watching() {
      listening.reset();
      recorder->unwatch(stream);
    }
  };
  const RtspSources from = impl.sources(camera);
  if (!from.recorder || impl.closing) return nullptr;
  std::shared_ptr<RtspCameraStream> stream;
  const auto watching = from.recorder->watch([&](const Recorder::Stream &s) {
    // Each part must have something at once: a client waits for the description until then.
    stream = std::make_shared<RtspCameraStream>(s.video, s.latest_sound ? s.sound_sent : nullptr);
    if (s.latest_sound)
      stream->push_sound(SoundForm::sent, s.sound_sent, s.latest_sound, s.latest_sound_time);
    return stream;
  });
  if (!watching) return nullptr;
  GstElement *bin = stream->take_bin();
  auto *kept = new Watching{from.recorder, stream, nullptr};
  kept->listening =
      from.findings->listen([weak = std::weak_ptr(stream)](const Bytes &document, double captured) {
        if (const auto s = weak.lock()) s->findings(document, captured);
      });
  g_object_set_data_full(G_OBJECT(bin), "vigil-watching", kept,
                         [](gpointer p) { delete static_cast<Watching *>(p); });
  if (const GstRTSPContext *ctx = gst_rtsp_context_get_current(); ctx && ctx->client)
    if (Connection *c = connection_of(ctx->client)) {
      const std::lock_guard guard(c->lock);
      c->stream = stream;
    }
  return bin;
}

} // namespace
} // namespace vigil::monitor

using namespace vigil;
using namespace vigil::monitor;

struct VigilRtspAuth {
  GstRTSPAuth parent;
};
struct VigilRtspAuthClass {
  GstRTSPAuthClass parent_class;
};
G_DEFINE_TYPE(VigilRtspAuth, vigil_rtsp_auth, GST_TYPE_RTSP_AUTH)

static void vigil_rtsp_auth_init(VigilRtspAuth *) {}
static void vigil_rtsp_auth_class_init(VigilRtspAuthClass *klass) {
  klass->parent_class.check = [](GstRTSPAuth *auth, GstRTSPContext *ctx, const gchar *what) -> gboolean {
    if (g_str_equal(what, GST_RTSP_AUTH_CHECK_CONNECT)) // with TLS, or without
      return GST_RTSP_AUTH_CLASS(vigil_rtsp_auth_parent_class)->check(auth, ctx, what);
    if (g_str_equal(what, GST_RTSP_AUTH_CHECK_TRANSPORT_CLIENT_SETTINGS)) return FALSE;
    gboolean good = FALSE;
    const bool makes = g_str_equal(what, GST_RTSP_AUTH_CHECK_MEDIA_FACTORY_CONSTRUCT);
    guard("an RTSP request", [&] { good = makes ? check_stream(ctx) : check_request(ctx); });
    return good;
  };
}

struct VigilRtspFactory {
  GstRTSPMediaFactory parent;
};
struct VigilRtspFactoryClass {
  GstRTSPMediaFactoryClass parent_class;
};
G_DEFINE_TYPE(VigilRtspFactory, vigil_rtsp_factory, GST_TYPE_RTSP_MEDIA_FACTORY)

static void vigil_rtsp_factory_init(VigilRtspFactory *) {}
static void vigil_rtsp_factory_class_init(VigilRtspFactoryClass *klass) {
  klass->parent_class.create_element = [](GstRTSPMediaFactory *factory, const GstRTSPUrl *) -> GstElement * {
    GstElement *bin = nullptr;
    const auto *camera = static_cast<const char *>(g_object_get_data(G_OBJECT(factory), camera_key));
    guard("a stream by RTSP", [&] { bin = new_stream(impl_of(factory), camera); });
    return bin;
  };
}

namespace vigil::monitor {
namespace {

gboolean shut_down_later(gpointer socket) {
  Connection::shut_down(G_SOCKET(socket));
  return G_SOURCE_REMOVE;
}

void client_connected(GstRTSPServer *, GstRTSPClient *client, gpointer user) {
  auto &impl = *static_cast<RtspServer::Impl *>(user);
  GstRTSPConnection *connection = gst_rtsp_client_get_connection(client);
  // Without tunnels through HTTP, whose two connections would have to be ended together.
  if (connection) gst_rtsp_connection_set_http_mode(connection, TRUE);
  const gchar *address = connection ? gst_rtsp_connection_get_ip(connection) : nullptr;
  GSocket *socket = connection ? gst_rtsp_connection_get_read_socket(connection) : nullptr;
  auto *c = new Connection(impl, address ? address : "", socket);
  g_object_set_data_full(G_OBJECT(client), state_key, c,
                         [](gpointer p) { delete static_cast<Connection *>(p); });
  if (!c->refused || !socket) return;
  constexpr guint time_to_ask = 200; // ms, and to be answered why it is refused
  GSource *later = g_timeout_source_new(time_to_ask);
  g_source_set_callback(later, guarded<shut_down_later, G_SOURCE_REMOVE>, g_object_ref(socket),
                        g_object_unref);
  g_source_attach(later, impl.context);
  g_source_unref(later);
}

bool has_session(GstRTSPClient *client) {
  GList *sessions = gst_rtsp_client_session_filter(client, nullptr, nullptr);
  const bool any = sessions != nullptr;
  g_list_free_full(sessions, g_object_unref);
  return any;
}

const char *why_over(RtspServer::Impl &impl, GstRTSPClient *client, Connection &c) {
  const double now = Utc::monotonic_seconds();
  std::shared_ptr<RtspCameraStream> stream;
  double quiet = 0;
  {
    const std::lock_guard guard(c.lock);
    stream = c.stream.lock();
    quiet = now - c.last_request;
  }
  if (impl.closing || c.refused) return "";
  if (!c.visitor.known()) return quiet > RtspServer::strangers_within ? "" : nullptr;
  if (!c.visitor.is_current()) return "may not look any more";
  if (!has_session(client)) return quiet > RtspServer::idle_within ? "asks for nothing" : nullptr;
  if (stream && stream->ended()) return "had the stream to its end";
  if (c.socket && c.unread.seconds(g_socket_get_fd(c.socket), now) > RtspServer::unread_within)
    return "does not read";
  return nullptr;
}

GstRTSPFilterResult look_at_client(GstRTSPServer *, GstRTSPClient *client, gpointer user) {
  auto &impl = *static_cast<RtspServer::Impl *>(user);
  Connection *c = connection_of(client);
  if (!c || !c->socket || c->ends) return GST_RTSP_FILTER_KEEP;
  const char *why = why_over(impl, client, *c);
  if (!why) return GST_RTSP_FILTER_KEEP;
  if (c->ends.exchange(true)) return GST_RTSP_FILTER_KEEP;
  if (*why) impl.log("RTSP: " + c->visitor.name() + " at " + c->client + " " + why + ": the connection ends");
  Connection::shut_down(c->socket);
  return GST_RTSP_FILTER_KEEP;
}

gboolean look_at_clients(gpointer user) {
  auto &impl = *static_cast<RtspServer::Impl *>(user);
  g_list_free_full(gst_rtsp_server_client_filter(impl.server, look_at_client, &impl), g_object_unref);
  // Those of clients that say nothing for the time that RTSP gives them.
  GstRTSPSessionPool *sessions = gst_rtsp_server_get_session_pool(impl.server);
  gst_rtsp_session_pool_cleanup(sessions);
  g_object_unref(sessions);
  return G_SOURCE_CONTINUE;
}

void set_certificate(GstRTSPAuth *auth, const RtspSettings &s) {
  GError *e = nullptr;
  GTlsCertificate *certificate = g_tls_certificate_new_from_files(s.certificate.c_str(), s.key.c_str(), &e);
  if (!certificate) {
    const gst::ErrorPtr error(e);
    fail(Error::Kind::io, "rtsp: TLS cannot begin with ", s.certificate, ": ", error->message,
         "; it needs glib-networking");
  }
  gst_rtsp_auth_set_tls_certificate(auth, certificate);
  g_object_unref(certificate);
}

} // namespace

RtspServer::RtspServer(const RtspSettings &settings, Access &access,
                       std::function<RtspSources(const std::string &)> sources,
                       std::function<void(const std::string &)> log)
    : impl_(std::make_unique<Impl>(settings, access, std::move(sources), std::move(log))) {
  Impl &i = *impl_;
  i.server = gst_rtsp_server_new();
  gst_rtsp_server_set_address(i.server, settings.address.c_str());
  gst_rtsp_server_set_service(i.server, std::to_string(settings.port).c_str());
  GstRTSPThreadPool *pool = gst_rtsp_server_get_thread_pool(i.server);
  gst_rtsp_thread_pool_set_max_threads(pool, -1); // a client that waits for a stream holds up nobody
  g_object_unref(pool);
  auto *auth = GST_RTSP_AUTH(g_object_new(vigil_rtsp_auth_get_type(), nullptr));
  try {
    if (!settings.certificate.empty()) set_certificate(auth, settings);
  } catch (...) {
    g_object_unref(auth);
    g_object_unref(i.server);
    throw;
  }
  gst_rtsp_server_set_auth(i.server, auth);
  g_object_unref(auth);
  g_signal_connect(i.server, "client-connected", G_CALLBACK(guarded<client_connected>), &i);
  i.context = g_main_context_new();
  if (gst_rtsp_server_attach(i.server, i.context) == 0) {
    g_object_unref(i.server);
    g_main_context_unref(i.context);
    fail(Error::Kind::io, "rtsp: ", settings.address, ":", settings.port,
         " cannot be listened on; another program may use it, or no interface has this address");
  }
  constexpr guint often = 2; // seconds
  GSource *timer = g_timeout_source_new_seconds(often);
  g_source_set_callback(timer, guarded<look_at_clients, G_SOURCE_CONTINUE>, &i, nullptr);
  g_source_attach(timer, i.context);
  g_source_unref(timer);
  i.loop = g_main_loop_new(i.context, FALSE);
  i.thread = std::thread([&i] {
    guard("the RTSP server", [&i] {
      g_main_context_push_thread_default(i.context);
      g_main_loop_run(i.loop);
      g_main_context_pop_thread_default(i.context);
    });
  });
}

RtspServer::~RtspServer() {
  constexpr std::chrono::seconds patience(5);
  if (!end(patience)) impl_.release(); // its threads still use it
}

bool RtspServer::end(std::chrono::milliseconds patience) {
  Impl &i = *impl_;
  if (!i.server) return true;
  if (!i.closing.exchange(true)) i.log("RTSP: connections end");
  const double until = Utc::monotonic_seconds() + std::chrono::duration<double>(patience).count();
  while (i.clients > 0) {
    look_at_clients(&i);
    if (Utc::monotonic_seconds() > until) return false;
    constexpr std::chrono::milliseconds pause(50);
    std::this_thread::sleep_for(pause);
  }
  g_main_loop_quit(i.loop);
  i.thread.join();
  g_object_unref(std::exchange(i.server, nullptr));
  g_main_loop_unref(i.loop);
  g_main_context_unref(i.context);
  return true;
}

void RtspServer::set_cameras(const std::vector<std::string> &names) {
  Impl &i = *impl_;
  GstRTSPMountPoints *mounts = gst_rtsp_server_get_mount_points(i.server);
  const std::set<std::string> wanted(names.begin(), names.end());
  for (const std::string &name : i.mounted)
    if (!wanted.count(name)) gst_rtsp_mount_points_remove_factory(mounts, ("/" + name).c_str());
  for (const std::string &name : wanted) {
    if (i.mounted.count(name)) continue;
    auto *factory = GST_RTSP_MEDIA_FACTORY(g_object_new(vigil_rtsp_factory_get_type(), nullptr));
    g_object_set_data(G_OBJECT(factory), owner_key, &i);
    g_object_set_data_full(G_OBJECT(factory), camera_key, g_strdup(name.c_str()), g_free);
    // Each client has a stream of its own: GStreamer refuses clients while a shared one is taken down.
    gst_rtsp_media_factory_set_shared(factory, FALSE);
    gst_rtsp_media_factory_set_protocols(factory, GST_RTSP_LOWER_TRANS_TCP);
    gst_rtsp_mount_points_add_factory(mounts, ("/" + name).c_str(), factory);
  }
  i.mounted = wanted;
  g_object_unref(mounts);
}

int RtspServer::clients() const {
  return impl_->clients;
}

int RtspServer::port() const {
  return gst_rtsp_server_get_bound_port(impl_->server);
}

} // namespace vigil::monitor
