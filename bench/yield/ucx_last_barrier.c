/* Keeps UCX going while a rank waits in MPICH's last barrier.
 *
 * Problem: MPI_Finalize (MPICH with device ch4:ucx) closes all connections, then waits for the other ranks in
 * a blocking read from the process manager. A connection that a slower rank closes over TCP needs an answer
 * from the other end, and the ranks that read do not give one: the job hangs at its end, now and then, as
 * soon as it spans nodes without RDMA. Method: stand in front of read. Where the descriptor is the process
 * manager's (PMI_FD), progress is made until there is something to read. ucp_worker_destroy ends it. */
#include "ucx.h"

#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { POLL_MS = 1 };

static pthread_once_t manager_once = PTHREAD_ONCE_INIT;
static int manager = -1;

static void find_manager(void) {
  const char* text = getenv("PMI_FD");
  if (text != NULL && *text != '\0') manager = atoi(text);
}

static int readable(int descriptor) {
  struct pollfd one = {descriptor, POLLIN, 0};
  return poll(&one, 1, POLL_MS) != 0;
}

ssize_t read(int descriptor, void* buffer, size_t bytes) {
  pthread_once(&manager_once, find_manager);
  if (descriptor == manager && descriptor >= 0) {
    void* worker;
    while ((worker = remembered_worker()) != NULL && !readable(descriptor)) (void)ucp_worker_progress(worker);
  }
  return syscall(SYS_read, descriptor, buffer, bytes);
}

void ucp_worker_destroy(void* worker) {
  remember_worker(NULL);
  void (*real)(void*) = NULL;
  void* symbol = find_ucp("ucp_worker_destroy");
  memcpy(&real, &symbol, sizeof real);
  real(worker);
}
