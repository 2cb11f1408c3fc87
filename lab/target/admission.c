#include "admission.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { SLICE_NS = 20000000 }; /* at most so long until a change of settings, or the end, is noticed */

/* Something a request waits for: until when, as things are now. The answer may change while it waits. */
struct awaited {
  int64_t (*due_ns)(struct target* target, double what);
  double what;
};

static int64_t released(struct target* target, double unused) {
  (void)unused;
  return target->faults.stuck ? INT64_MAX : 0;
}

static int64_t paced(struct target* target, double ticket) { return pace_due_ns(&target->pace, ticket); }

static int64_t at_time(struct target* target, double due_ns) {
  (void)target;
  return (int64_t)due_ns;
}

/* Whether the thread that waits for this request has been killed. A request that was interrupted by any other
 * signal goes on, as on a disk; the kernel tells of the first signal only, so this is asked again while the
 * request waits. */
static bool caller_is_killed(fuse_req_t request) {
  if (!fuse_req_interrupted(request)) return false;
  char path[32], line[128];
  snprintf(path, sizeof path, "/proc/%d/status", (int)fuse_req_ctx(request)->pid);
  FILE* status = fopen(path, "re");
  if (status == NULL) return false;
  bool killed = false;
  while (fgets(line, sizeof line, status) != NULL) {
    uint64_t pending = 0;
    if (sscanf(line, "SigPnd: %" SCNx64, &pending) == 1 || sscanf(line, "ShdPnd: %" SCNx64, &pending) == 1) {
      killed = killed || (pending >> (SIGKILL - 1) & 1) != 0;
    }
  }
  fclose(status);
  return killed;
}

static void sleep_until(int64_t when_ns) {
  const struct timespec when = {.tv_sec = when_ns / 1000000000, .tv_nsec = when_ns % 1000000000};
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, NULL);
}

/* Waits in slices until what is awaited is due. Returns 0 or an errno. */
static int wait_for(struct target* target, fuse_req_t request, struct awaited awaited) {
  int64_t now_ns = monotonic_ns();
  int64_t due_ns = awaited.due_ns(target, awaited.what);
  if (due_ns <= now_ns) return 0;
  const int64_t began_ns = now_ns;
  int error = 0;
  ++target->counters.waiting;
  while (due_ns > now_ns && error == 0) {
    sleep_until(due_ns - now_ns < SLICE_NS ? due_ns : now_ns + SLICE_NS);
    if (fuse_session_exited(target_of(request)->session)) error = ENOTCONN;
    if (error == 0 && caller_is_killed(request)) error = EINTR;
    now_ns = monotonic_ns();
    due_ns = awaited.due_ns(target, awaited.what);
  }
  --target->counters.waiting;
  target->counters.waited_ns += now_ns - began_ns;
  return error;
}

int await_delay(struct target* target, fuse_req_t request, int64_t delay_us) {
  if (delay_us <= 0) return 0;
  return wait_for(target, request, (struct awaited){at_time, (double)(monotonic_ns() + delay_us * 1000)});
}

int admit_since(struct target* target, fuse_req_t request, enum request_kind kind, int64_t began_ns) {
  struct faults* faults = &target->faults;
  if (faults->stuck) {
    const int error = wait_for(target, request, (struct awaited){released, 0});
    if (error != 0) return error;
  }
  const int64_t delay_us = faults->delay_us;
  if (delay_us > 0) {
    const int error =
        wait_for(target, request, (struct awaited){at_time, (double)(began_ns + delay_us * 1000)});
    if (error != 0) return error;
  }
  return faults_strike(faults, kind);
}

int admit(struct target* target, fuse_req_t request, enum request_kind kind) {
  return admit_since(target, request, kind, monotonic_ns());
}

double queue_bytes(struct target* target, int64_t bytes) {
  return pace_rate(&target->pace) == 0 ? 0 : pace_enter(&target->pace, bytes);
}

int await_bytes(struct target* target, fuse_req_t request, double ticket) {
  if (pace_due_ns(&target->pace, ticket) <= monotonic_ns()) return 0;
  const int error = wait_for(target, request, (struct awaited){paced, ticket});
  pace_leave(&target->pace, ticket);
  return error;
}

int admit_bytes(struct target* target, fuse_req_t request, int64_t bytes) {
  return await_bytes(target, request, queue_bytes(target, bytes));
}

void fail_request(struct target* target, fuse_req_t request, int error) {
  ++target->counters.failures;
  fuse_reply_err(request, error);
}
