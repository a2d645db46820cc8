// SPDX-License-Identifier: LGPL-2.1-or-later
// Tells ThreadSanitizer what GLib's and GStreamer's locks order. GLib makes its locks from futexes, and a
// distribution's GLib is not instrumented, so ThreadSanitizer sees neither that a GMutex is held nor that a
// reference count orders a last use before the destruction. Each function below stands in for the one of the
// same name: it calls that one and says "released" before and "acquired" after it, where the lock, queue or
// count promises so.
//
// Linked into the element tests when they are built with -Db_sanitize=thread (./run sanitize thread).
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

// Order between whoever gives a buffer back to a pool and whoever takes one.
char pools;

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
