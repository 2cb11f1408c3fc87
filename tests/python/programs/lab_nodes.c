/* Where am I? Rank 0 prints a JSON line for each rank: host name, processor name, address of the interface
   "data", whose files are in /dev/shm, and the ranks it shares memory with, as they wrote themselves into
   that memory. */
#include <arpa/inet.h>
#include <ifaddrs.h>
#include <mpi.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINE = 1024 };

static void address_of(const char* interface, char* text) {
  struct ifaddrs *all = NULL, *one;
  getifaddrs(&all);
  for (one = all; one; one = one->ifa_next)
    if (one->ifa_addr && one->ifa_addr->sa_family == AF_INET && strcmp(one->ifa_name, interface) == 0)
      getnameinfo(one->ifa_addr, sizeof(struct sockaddr_in), text, INET_ADDRSTRLEN, NULL, 0, NI_NUMERICHOST);
  freeifaddrs(all);
}

/* Leaves a file named after the rank, and lists those of all ranks that are seen here, by name. */
static void files_in_shared_memory(int rank, int ranks, char* list) {
  char name[64];
  snprintf(name, sizeof name, "/dev/shm/lab-nodes-%d", rank);
  FILE* file = fopen(name, "w");
  if (file) fclose(file);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int other = 0; other < ranks; ++other) {
    snprintf(name, sizeof name, "/dev/shm/lab-nodes-%d", other);
    if (access(name, F_OK) == 0) sprintf(list + strlen(list), "%s%d", *list ? ", " : "", other);
  }
}

/* The ranks of this node, each read from where that rank wrote it. */
static void ranks_in_shared_memory(int rank, char* list) {
  MPI_Comm node;
  MPI_Win window;
  int *mine, size, *theirs, unit;
  MPI_Aint bytes;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_size(node, &size);
  MPI_Win_allocate_shared(sizeof(int), sizeof(int), MPI_INFO_NULL, node, &mine, &window);
  MPI_Win_fence(0, window);
  *mine = rank;
  MPI_Win_fence(0, window);
  for (int other = 0; other < size; ++other) {
    MPI_Win_shared_query(window, other, &bytes, &unit, &theirs);
    sprintf(list + strlen(list), "%s%d", *list ? ", " : "", *theirs);
  }
  MPI_Win_fence(0, window);
  MPI_Win_free(&window);
  MPI_Comm_free(&node);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks, length;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  char host[256] = "", processor[MPI_MAX_PROCESSOR_NAME] = "", address[INET_ADDRSTRLEN] = "", files[256] = "",
       node[256] = "";
  char line[LINE] = "", *all = calloc(ranks, LINE);
  gethostname(host, sizeof host);
  MPI_Get_processor_name(processor, &length);
  address_of("data", address);
  files_in_shared_memory(rank, ranks, files);
  ranks_in_shared_memory(rank, node);
  snprintf(line, sizeof line,
           "{\"rank\": %d, \"host\": \"%s\", \"processor\": \"%.200s\", \"address\": \"%s\", \"files\": "
           "[%s], \"node\": [%s]}",
           rank, host, processor, address, files, node);
  MPI_Gather(line, LINE, MPI_CHAR, all, LINE, MPI_CHAR, 0, MPI_COMM_WORLD);
  for (int other = 0; rank == 0 && other < ranks; ++other) puts(all + other * LINE);
  free(all);
  MPI_Finalize();
  return 0;
}
