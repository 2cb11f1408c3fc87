/* A rate shared by all requests of a target: a token bucket, kept as a queue.
 *
 * The bucket is a counter `served` of the bytes the target could have served so far; it runs at the rate. A
 * request of n bytes goes to the end of the queue: its ticket is the counter's value at which its last byte
 * is through, ticket = max(end of the queue, served - burst) + n. It is answered when the counter gets there.
 * The time a waiter wakes too late is not lost: the next ticket is computed from the queue's end. What an
 * idle target may give at once is the burst: 10 ms of its rate, and what passed between the time an answer
 * was due and the time it was given, as the caller would have come back earlier. Tickets are bytes, not
 * times, so a new rate holds for the waiting requests, too. */
#ifndef COLLIO_LAB_PACE_H
#define COLLIO_LAB_PACE_H

#include <pthread.h>
#include <stdint.h>

struct pace {
  pthread_mutex_t lock;
  int64_t rate_bytes_per_s; /* 0: no limit */
  double served_bytes;      /* the counter at since_ns */
  int64_t since_ns;         /* CLOCK_MONOTONIC */
  double queue_end_bytes;   /* the last ticket */
  double late_bytes; /* what was served between an answer's due time and the answer, until the next request */
};

void pace_init(struct pace* pace, int64_t rate_bytes_per_s);

/* A new rate, for waiting requests as well. 0: no limit; what waits is through. */
void pace_set_rate(struct pace* pace, int64_t rate_bytes_per_s);

int64_t pace_rate(struct pace* pace);

/* Queues a request of `bytes` bytes; returns its ticket. */
double pace_enter(struct pace* pace, int64_t bytes);

/* To be called when a ticket has been waited for. */
void pace_leave(struct pace* pace, double ticket);

/* The CLOCK_MONOTONIC time at which a ticket is through if the rate stays as it is. It may be past; 0: no
 * limit. */
int64_t pace_due_ns(struct pace* pace, double ticket);

/* CLOCK_MONOTONIC in ns. */
int64_t monotonic_ns(void);

#endif
