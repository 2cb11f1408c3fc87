/* collio_lab_target: one storage target of the lab, a FUSE file system over a backing folder.
 *
 *   collio_lab_target --backing DIR --mount POINT [--rate BYTES_PER_S] [--capacity BYTES]
 *                     [--foreground] [--until-eof]
 *
 * It ends when it is unmounted, at SIGTERM and SIGINT (it unmounts), and with --until-eof at the end of its
 * standard input: with the process that started it. Exit code: 0, 1 (a message says what failed), 2 (usage).
 * docs/design/lab-targets.md says why. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "target.h"

enum { MOST_THREADS = 1024, IDLE_THREADS = 16, BACKGROUND_REQUESTS = 64 };

struct options {
  const char* backing;
  const char* mount;
  int64_t rate_bytes_per_s;
  int64_t capacity_bytes;
  int foreground;
  int until_eof;
};

static const char USAGE[] =
    "usage: collio_lab_target --backing DIR --mount POINT [--rate BYTES_PER_S] [--capacity BYTES]\n"
    "                         [--foreground] [--until-eof]\n";

static int complain(const char* what, int error) {
  fprintf(stderr, "collio_lab_target: %s: %s\n", what, strerror(error));
  return 1;
}

static int64_t positive_number(const char* option, const char* text) {
  char* end = NULL;
  errno = 0;
  const long long value = strtoll(text, &end, 10);
  if (errno == 0 && *end == '\0' && end != text && value > 0) return value;
  fprintf(stderr, "collio_lab_target: --%s %s: allowed: a whole number of bytes from 1 on\n", option, text);
  exit(2);
}

static struct options read_options(int count, char** words) {
  static const struct option KNOWN[] = {
      {"backing", required_argument, NULL, 'b'}, {"mount", required_argument, NULL, 'm'},
      {"rate", required_argument, NULL, 'r'},    {"capacity", required_argument, NULL, 'c'},
      {"foreground", no_argument, NULL, 'f'},    {"until-eof", no_argument, NULL, 'u'},
      {"help", no_argument, NULL, 'h'},          {NULL, 0, NULL, 0}};
  struct options options = {.capacity_bytes = NO_CAPACITY};
  for (int option; (option = getopt_long(count, words, "", KNOWN, NULL)) != -1;) {
    switch (option) {
      case 'b':
        options.backing = optarg;
        break;
      case 'm':
        options.mount = optarg;
        break;
      case 'r':
        options.rate_bytes_per_s = positive_number("rate", optarg);
        break;
      case 'c':
        options.capacity_bytes = positive_number("capacity", optarg);
        break;
      case 'f':
        options.foreground = 1;
        break;
      case 'u':
        options.until_eof = 1;
        break;
      case 'h':
        fputs(USAGE, stdout);
        exit(0);
      default:
        fputs(USAGE, stderr);
        exit(2);
    }
  }
  if (options.backing == NULL || options.mount == NULL || optind != count) {
    fputs(USAGE, stderr);
    exit(2);
  }
  return options;
}

static void on_init(void* target, struct fuse_conn_info* connection) {
  (void)target;
  connection->max_write = LARGEST_REQUEST_BYTES;
  connection->max_background = BACKGROUND_REQUESTS;
  /* ASYNC_DIO: the parts of a large O_DIRECT call would be waited for in a way that not even SIGKILL ends.
   * HANDLE_KILLPRIV: this process clears no set-user-id bits at writes; the kernel does. */
  connection->want &= ~(unsigned)(FUSE_CAP_ASYNC_DIO | FUSE_CAP_HANDLE_KILLPRIV | FUSE_CAP_WRITEBACK_CACHE);
#if FUSE_VERSION >= FUSE_MAKE_VERSION(3, 17) /* and Linux 6.7: shared mappings */
  connection->want |= connection->capable & FUSE_CAP_DIRECT_IO_ALLOW_MMAP;
#endif
}

/* Settings from the command line, and the backing folder. Returns 0, or 1 after a message. */
static int prepare(struct target* target, const struct options* options) {
  const int root_fd = open(options->backing, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (root_fd < 0) return complain(options->backing, errno);
  int error = inodes_init(&target->inodes, root_fd);
  if (error == 0) error = space_init(&target->space, options->backing, options->capacity_bytes);
  if (error != 0) return complain(options->backing, error);
  pace_init(&target->pace, options->rate_bytes_per_s);
  faults_init(&target->faults);
  struct rlimit files;
  if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
    files.rlim_cur = files.rlim_max; /* a descriptor for each file the kernel knows */
    setrlimit(RLIMIT_NOFILE, &files);
  }
  umask(0); /* the kernel has applied the caller's */
  return 0;
}

static struct fuse_session* make_session(struct target* target) {
  struct fuse_lowlevel_ops operations = {.init = on_init};
  operations_fill(&operations);
  folders_fill(&operations);
  data_fill(&operations);
  control_fill(&operations);
  /* Users other than the one who mounts may be let in by root alone (or by /etc/fuse.conf). */
  char* words[] = {"collio_lab_target", "-o",
                   geteuid() == 0 ? "fsname=collio_lab_target,default_permissions,allow_other"
                                  : "fsname=collio_lab_target,default_permissions"};
  struct fuse_args arguments = FUSE_ARGS_INIT(3, words);
  struct fuse_session* session = fuse_session_new(&arguments, &operations, sizeof operations, target);
  fuse_opt_free_args(&arguments);
  return session;
}

/* Requests that wait keep their threads, so there may be many: one for each process that writes or reads. */
static int serve(struct fuse_session* session) {
#if FUSE_USE_VERSION >= 312
  struct fuse_loop_config* config = fuse_loop_cfg_create();
  if (config == NULL) return ENOMEM;
  fuse_loop_cfg_set_clone_fd(config, 0);
  fuse_loop_cfg_set_max_threads(config, MOST_THREADS);
  fuse_loop_cfg_set_idle_threads(config, IDLE_THREADS);
  const int result = fuse_session_loop_mt(session, config);
  fuse_loop_cfg_destroy(config);
#else /* no limit there */
  struct fuse_loop_config config = {.clone_fd = 0, .max_idle_threads = IDLE_THREADS};
  const int result = fuse_session_loop_mt(session, &config);
#endif
  return result < 0 ? -result : 0; /* positive: the signal that ended it */
}

/* Asks this process to end when its standard input does. */
static void* end_with_input(void* unused) {
  char bytes[256];
  ssize_t got = 0;
  do {
    got = read(STDIN_FILENO, bytes, sizeof bytes);
  } while (got > 0 || (got < 0 && errno == EINTR));
  kill(getpid(), SIGTERM);
  return unused;
}

static void watch_input(void) {
  sigset_t all, before;
  pthread_t thread;
  sigfillset(&all); /* signals are the main thread's */
  pthread_sigmask(SIG_SETMASK, &all, &before);
  if (pthread_create(&thread, NULL, end_with_input, NULL) == 0) pthread_detach(thread);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static int run_mounted(struct target* target, const struct options* options) {
  if (fuse_daemonize(options->foreground || options->until_eof) != 0)
    return complain("cannot become a daemon", errno);
  if (fuse_set_signal_handlers(target->session) != 0) return complain("cannot handle signals", errno);
  if (options->until_eof) watch_input();
  const int error = serve(target->session);
  fuse_remove_signal_handlers(target->session);
  return error == 0 ? 0 : complain("serving requests", error);
}

int main(int count, char** words) {
  const struct options options = read_options(count, words);
  static struct target target;
  if (prepare(&target, &options) != 0) return 1;
  target.session = make_session(&target);
  if (target.session == NULL) return 1; /* libfuse has said why */
  int code = 1;
  if (fuse_session_mount(target.session, options.mount) == 0) {
    code = run_mounted(&target, &options);
    fuse_session_unmount(target.session);
  }
  fuse_session_destroy(target.session);
  return code;
}
