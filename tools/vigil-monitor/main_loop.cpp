// SPDX-License-Identifier: LGPL-2.1-or-later
#include "main_loop.h"

#include "common/guarded.h"

#include <glib.h>

namespace vigil::monitor {
namespace {

gboolean run_task(gpointer user) {
  (*static_cast<std::function<void()> *>(user))();
  return G_SOURCE_REMOVE;
}
void delete_task(gpointer user) {
  delete static_cast<std::function<void()> *>(user);
}

} // namespace

void MainLoop::post(std::function<void()> f) {
  // Idle, not invoke: what comes from the main thread itself waits for its turn too.
  g_idle_add_full(G_PRIORITY_DEFAULT, guarded<run_task>, new std::function<void()>(std::move(f)),
                  guarded<delete_task>);
}

void MainLoop::run_pending() {
  while (g_main_context_iteration(nullptr, FALSE)) {
  }
}

void MainLoop::start(std::function<void()> once_a_second) {
  once_a_second_ = std::move(once_a_second);
  timer_ = g_timeout_add(1000, guarded<on_timer, G_SOURCE_CONTINUE>, this);
}

int MainLoop::on_timer(void *loop) {
  auto *self = static_cast<MainLoop *>(loop);
  self->last_turn_ = Utc::monotonic_seconds();
  self->once_a_second_();
  self->turns_++;
  return G_SOURCE_CONTINUE;
}

bool MainLoop::stop() {
  if (!timer_) return false;
  g_source_remove(timer_);
  timer_ = 0;
  return true;
}

} // namespace vigil::monitor
