#include "pace.h"

#include <time.h>

static const double BURST_S = 0.010;
static const double LATEST_S = 0.250; /* who is later than that has been stopped, not scheduled */

int64_t monotonic_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static double served_at(const struct pace* pace, int64_t now_ns) {
  return pace->served_bytes + (double)(now_ns - pace->since_ns) * 1e-9 * (double)pace->rate_bytes_per_s;
}

void pace_init(struct pace* pace, int64_t rate_bytes_per_s) {
  *pace = (struct pace){.rate_bytes_per_s = rate_bytes_per_s, .since_ns = monotonic_ns()};
  pthread_mutex_init(&pace->lock, NULL);
}

void pace_set_rate(struct pace* pace, int64_t rate_bytes_per_s) {
  pthread_mutex_lock(&pace->lock);
  const int64_t now_ns = monotonic_ns();
  pace->served_bytes = served_at(pace, now_ns);
  pace->since_ns = now_ns;
  /* Without a limit the queue is served in no time. */
  const int unlimited = pace->rate_bytes_per_s == 0 || rate_bytes_per_s == 0;
  if (unlimited && pace->served_bytes < pace->queue_end_bytes) pace->served_bytes = pace->queue_end_bytes;
  pace->rate_bytes_per_s = rate_bytes_per_s;
  pthread_mutex_unlock(&pace->lock);
}

int64_t pace_rate(struct pace* pace) {
  pthread_mutex_lock(&pace->lock);
  const int64_t rate_bytes_per_s = pace->rate_bytes_per_s;
  pthread_mutex_unlock(&pace->lock);
  return rate_bytes_per_s;
}

double pace_enter(struct pace* pace, int64_t bytes) {
  pthread_mutex_lock(&pace->lock);
  const double burst_bytes = BURST_S * (double)pace->rate_bytes_per_s + pace->late_bytes;
  const double earliest = served_at(pace, monotonic_ns()) - burst_bytes;
  pace->late_bytes = 0;
  if (pace->queue_end_bytes < earliest) pace->queue_end_bytes = earliest;
  pace->queue_end_bytes += (double)bytes;
  const double ticket = pace->queue_end_bytes;
  pthread_mutex_unlock(&pace->lock);
  return ticket;
}

void pace_leave(struct pace* pace, double ticket) {
  pthread_mutex_lock(&pace->lock);
  const double late_bytes = served_at(pace, monotonic_ns()) - ticket;
  const double most_bytes = LATEST_S * (double)pace->rate_bytes_per_s;
  if (late_bytes > pace->late_bytes) pace->late_bytes = late_bytes < most_bytes ? late_bytes : most_bytes;
  pthread_mutex_unlock(&pace->lock);
}

int64_t pace_due_ns(struct pace* pace, double ticket) {
  pthread_mutex_lock(&pace->lock);
  int64_t due_ns = 0;
  if (pace->rate_bytes_per_s > 0) {
    const double wait_s = (ticket - pace->served_bytes) / (double)pace->rate_bytes_per_s;
    due_ns = pace->since_ns + (int64_t)(wait_s * 1e9);
  }
  pthread_mutex_unlock(&pace->lock);
  return due_ns;
}
