// SPDX-License-Identifier: LGPL-2.1-or-later
// Tells ThreadSanitizer what GLib's and GStreamer's locks order. GLib makes its locks from futexes, and a
// distribution's GLib is not instrumented, so ThreadSanitizer sees neither that a GMutex is held nor that a
// reference count orders a last use before the destruction. Each function below stands in for the one of the
// same name: it calls that one and says "released" before and "acquired" after it, where the lock, queue or
// count promises so.
//
// Linked into the element tests and vigil-monitor when they are built with -Db_sanitize=thread
// (./run sanitize thread).
#include <dlfcn.h>
#include <gst/gst.h>

extern "C" {
void __tsan_acquire(void *);
void __tsan_release(void *);
}

namespace {

template <class Function>
Function *next(const char *name) {
  return reinterpret_cast<Function *>(dlsym(RTLD_NEXT, name));
}
#define NEXT(name) static auto *const real = next<decltype(name)>(#name)

// Order between the thread that gives a buffer back to a pool and the thread that takes one.
char pools;

// What is handed to another thread together with its data: the data says who came first. The call lives until
// `destroy` of what stands in its place.
template <class Function>
struct Call {
  Function function;
  gpointer user;
  GDestroyNotify destroy;
  static Call *of(Function f, gpointer user, GDestroyNotify destroy) {
    auto *call = new Call{f, user, destroy};
    __tsan_release(call);
    return call;
  }
  // What the thread runs: `p` is what of() gave. The next thread that runs it comes after this one.
  template <class... Arguments>
  static auto run(gpointer p, Arguments... arguments) {
    __tsan_acquire(p);
    const struct Released {
      gpointer p;
      ~Released() { __tsan_release(p); }
    } released{p};
    const auto *call = static_cast<Call *>(p);
    return call->function(arguments..., call->user);
  }
  static void end(gpointer p) {
    auto *call = static_cast<Call *>(p);
    __tsan_acquire(call);
    if (call->destroy) call->destroy(call->user);
    delete call;
  }
};

} // namespace

extern "C" {
#pragma GCC visibility push(default)

void(g_mutex_lock)(GMutex *m) {
  NEXT(g_mutex_lock);
  real(m);
  __tsan_acquire(m);
}
gboolean(g_mutex_trylock)(GMutex *m) {
  NEXT(g_mutex_trylock);
  const gboolean locked = real(m);
  if (locked) __tsan_acquire(m);
  return locked;
}
void(g_mutex_unlock)(GMutex *m) {
  NEXT(g_mutex_unlock);
  __tsan_release(m);
  real(m);
}
// Its memory is made when it is first used, by a thread that may not be known to come before the next one:
// GLib's pools start threads from a thread of their own.
void(g_rec_mutex_init)(GRecMutex *m) {
  NEXT(g_rec_mutex_init);
  real(m);
  __tsan_release(m);
}
void(g_rec_mutex_clear)(GRecMutex *m) {
  NEXT(g_rec_mutex_clear);
  __tsan_acquire(m);
  real(m);
}
void(g_rec_mutex_lock)(GRecMutex *m) {
  NEXT(g_rec_mutex_lock);
  __tsan_acquire(m);
  real(m);
  __tsan_acquire(m);
}
gboolean(g_rec_mutex_trylock)(GRecMutex *m) {
  NEXT(g_rec_mutex_trylock);
  __tsan_acquire(m);
  const gboolean locked = real(m);
  if (locked) __tsan_acquire(m);
  return locked;
}
void(g_rec_mutex_unlock)(GRecMutex *m) {
  NEXT(g_rec_mutex_unlock);
  __tsan_release(m);
  real(m);
}
void(g_rw_lock_writer_lock)(GRWLock *l) {
  NEXT(g_rw_lock_writer_lock);
  real(l);
  __tsan_acquire(l);
}
void(g_rw_lock_writer_unlock)(GRWLock *l) {
  NEXT(g_rw_lock_writer_unlock);
  __tsan_release(l);
  real(l);
}
void(g_rw_lock_reader_lock)(GRWLock *l) {
  NEXT(g_rw_lock_reader_lock);
  real(l);
  __tsan_acquire(l);
}
void(g_rw_lock_reader_unlock)(GRWLock *l) {
  NEXT(g_rw_lock_reader_unlock);
  __tsan_release(l);
  real(l);
}
void(g_cond_wait)(GCond *c, GMutex *m) {
  NEXT(g_cond_wait);
  __tsan_release(m);
  real(c, m);
  __tsan_acquire(m);
}
gboolean(g_cond_wait_until)(GCond *c, GMutex *m, gint64 end) {
  NEXT(g_cond_wait_until);
  __tsan_release(m);
  const gboolean woken = real(c, m, end);
  __tsan_acquire(m);
  return woken;
}

// A count that falls to zero orders all uses before the destruction.
void(g_object_unref)(gpointer object) {
  NEXT(g_object_unref);
  __tsan_release(object);
  __tsan_acquire(object);
  real(object);
}
void(gst_object_unref)(gpointer object) {
  NEXT(gst_object_unref);
  __tsan_release(object);
  __tsan_acquire(object);
  real(object);
}
void(gst_mini_object_unref)(GstMiniObject *object) {
  NEXT(gst_mini_object_unref);
  __tsan_release(object);
  __tsan_acquire(object);
  __tsan_release(&pools);
  real(object);
}
// GLib's own allocator (before 2.76) hands the memory of buffers from thread to thread.
GstBuffer *(gst_buffer_new_allocate)(GstAllocator *allocator, gsize size, GstAllocationParams *params) {
  NEXT(gst_buffer_new_allocate);
  GstBuffer *buffer = real(allocator, size, params);
  __tsan_release(&pools);
  __tsan_acquire(&pools);
  return buffer;
}
GstFlowReturn(gst_buffer_pool_acquire_buffer)(GstBufferPool *pool, GstBuffer **buffer,
                                              GstBufferPoolAcquireParams *params) {
  NEXT(gst_buffer_pool_acquire_buffer);
  const GstFlowReturn flow = real(pool, buffer, params);
  __tsan_acquire(&pools);
  return flow;
}

// A harness hands frames over by a queue.
void(g_async_queue_push)(GAsyncQueue *queue, gpointer data) {
  NEXT(g_async_queue_push);
  __tsan_release(queue);
  real(queue, data);
}
gpointer(g_async_queue_try_pop)(GAsyncQueue *queue) {
  NEXT(g_async_queue_try_pop);
  const gpointer data = real(queue);
  __tsan_acquire(queue);
  return data;
}
gpointer(g_async_queue_timeout_pop)(GAsyncQueue *queue, guint64 timeout) {
  NEXT(g_async_queue_timeout_pop);
  const gpointer data = real(queue, timeout);
  __tsan_acquire(queue);
  return data;
}

// A bus hands messages over by an atomic queue.
gboolean(gst_bus_post)(GstBus *bus, GstMessage *message) {
  NEXT(gst_bus_post);
  __tsan_release(bus);
  return real(bus, message);
}
GstMessage *(gst_bus_timed_pop_filtered)(GstBus *bus, GstClockTime timeout, GstMessageType types) {
  NEXT(gst_bus_timed_pop_filtered);
  GstMessage *message = real(bus, timeout, types);
  __tsan_acquire(bus);
  return message;
}
// What the main loop calls: other threads hand it over through the loop's own lock.
guint(g_idle_add_full)(gint priority, GSourceFunc function, gpointer user, GDestroyNotify destroy) {
  NEXT(g_idle_add_full);
  using Idle = Call<GSourceFunc>;
  return real(
      priority, [](gpointer p) { return Idle::run(p); }, Idle::of(function, user, destroy), Idle::end);
}
guint(gst_bus_add_watch_full)(GstBus *bus, gint priority, GstBusFunc function, gpointer user,
                              GDestroyNotify destroy) {
  NEXT(gst_bus_add_watch_full);
  using Watch = Call<GstBusFunc>;
  return real(
      bus, priority,
      [](GstBus *from, GstMessage *message, gpointer p) {
        __tsan_acquire(from);
        return Watch::run(p, from, message);
      },
      Watch::of(function, user, destroy), Watch::end);
}
// Runs on any thread that posts a message, and those of GStreamer's pool do not begin with the pipeline.
void(gst_bus_set_sync_handler)(GstBus *bus, GstBusSyncHandler function, gpointer user,
                               GDestroyNotify destroy) {
  NEXT(gst_bus_set_sync_handler);
  using Handler = Call<GstBusSyncHandler>;
  if (!function) return real(bus, function, user, destroy);
  real(
      bus, [](GstBus *from, GstMessage *message, gpointer p) { return Handler::run(p, from, message); },
      Handler::of(function, user, destroy), Handler::end);
}
// Likewise: runs on the thread that brings data to the pad.
gulong(gst_pad_add_probe)(GstPad *pad, GstPadProbeType type, GstPadProbeCallback function, gpointer user,
                          GDestroyNotify destroy) {
  NEXT(gst_pad_add_probe);
  using Probe = Call<GstPadProbeCallback>;
  return real(
      pad, type, [](GstPad *at, GstPadProbeInfo *info, gpointer p) { return Probe::run(p, at, info); },
      Probe::of(function, user, destroy), Probe::end);
}
guint(gst_bus_add_watch)(GstBus *bus, GstBusFunc function, gpointer user) {
  return gst_bus_add_watch_full(bus, G_PRIORITY_DEFAULT, function, user, nullptr);
}
// Runs on a thread of a pool.
void(gst_element_call_async)(GstElement *element, GstElementCallAsyncFunc function, gpointer user,
                             GDestroyNotify destroy) {
  NEXT(gst_element_call_async);
  using Async = Call<GstElementCallAsyncFunc>;
  real(
      element, [](GstElement *of, gpointer p) { Async::run(p, of); }, Async::of(function, user, destroy),
      Async::end);
}

// A state change orders what was done before it before what the streaming threads do, and those before its
// end.
GstStateChangeReturn(gst_element_set_state)(GstElement *element, GstState state) {
  NEXT(gst_element_set_state);
  __tsan_release(&pools);
  const GstStateChangeReturn change = real(element, state);
  __tsan_acquire(&pools);
  return change;
}

#pragma GCC visibility pop
}
