#include "locks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "admission.h"

enum { STEP = 1024 };
#define MOST_STRIPES (INT64_C(1) << 24) /* beyond these nobody waits: 64 MiB of memory for a file */

void locks_init(struct locks* locks) {
  *locks = (struct locks){0};
  pthread_mutex_init(&locks->lock, NULL);
}

void locks_free(struct locks* locks) {
  free(locks->nodes);
  pthread_mutex_destroy(&locks->lock);
}

/* "net:[4026531840]" */
static uint32_t network_of(pid_t process) {
  char path[48], text[64];
  snprintf(path, sizeof path, "/proc/%d/ns/net", (int)process);
  const ssize_t length = readlink(path, text, sizeof text - 1);
  if (length < 0) return 0;
  text[length] = '\0';
  uint32_t number = 0;
  return sscanf(text, "net:[%" SCNu32 "]", &number) == 1 ? number : 0;
}

/* The kernel names the thread that calls. */
static uint32_t process_of(pid_t thread) {
  char path[48], line[128];
  snprintf(path, sizeof path, "/proc/%d/status", (int)thread);
  FILE* status = fopen(path, "re");
  if (status == NULL) return 0;
  uint32_t process = 0;
  while (process == 0 && fgets(line, sizeof line, status) != NULL) {
    if (sscanf(line, "Tgid: %" SCNu32, &process) != 1) process = 0;
  }
  fclose(status);
  return process;
}

uint32_t node_of(struct striped* striped, fuse_req_t request) {
  const pid_t caller = fuse_req_ctx(request)->pid;
  return striped->node_by == NODE_BY_PROCESS ? process_of(caller) : network_of(caller);
}

/* Room for stripes below `end`. Zero: there is none. The table is locked. */
static int grow(struct locks* locks, int64_t end) {
  if (end <= locks->count) return 1;
  if (end > MOST_STRIPES) return 0;
  const int64_t count = (end + STEP - 1) / STEP * STEP * 3 / 2;
  uint32_t* nodes = realloc(locks->nodes, (size_t)count * sizeof *nodes);
  if (nodes == NULL) return 0;
  memset(nodes + locks->count, 0, (size_t)(count - locks->count) * sizeof *nodes);
  locks->nodes = nodes;
  locks->count = count;
  return 1;
}

int take_locks(struct striped* striped, fuse_req_t request, struct locks* locks, struct stripes stripes) {
  const uint32_t node = node_of(striped, request);
  int64_t moved = 0;
  if (node == 0) return 0;
  pthread_mutex_lock(&locks->lock);
  if (grow(locks, stripes.first + stripes.count)) {
    for (int64_t i = stripes.first; i < stripes.first + stripes.count; ++i) {
      moved += locks->nodes[i] != 0 && locks->nodes[i] != node;
      locks->nodes[i] = node;
    }
  }
  pthread_mutex_unlock(&locks->lock);
  if (moved == 0) return 0;
  const int64_t began_ns = monotonic_ns();
  striped->lock_transfers += moved;
  const int error = await_delay(&striped->names, request, striped->lock_delay_us);
  striped->lock_waits_ns += monotonic_ns() - began_ns;
  return error;
}
