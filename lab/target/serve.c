#include "serve.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_THREADS = 1024, IDLE_THREADS = 16, BACKGROUND_REQUESTS = 64, MOST_OPTION_BYTES = 256 };

int complain(const char* program, const char* what, int error) {
  fprintf(stderr, "%s: %s: %s\n", program, what, strerror(error));
  return 1;
}

int64_t positive_number(const char* program, const char* option, const char* text) {
  char* end = NULL;
  errno = 0;
  const long long value = strtoll(text, &end, 10);
  if (errno == 0 && *end == '\0' && end != text && value > 0) return value;
  fprintf(stderr, "%s: --%s %s: allowed: a whole number from 1 on\n", program, option, text);
  exit(2);
}

void prepare_process(void) {
  struct rlimit files;
  if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
  }
  umask(0);
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

static struct fuse_session* make_session(const struct serving* serving,
                                         const struct fuse_lowlevel_ops* operations, struct target* target) {
  /* Users other than the one who mounts may be let in by root alone (or by /etc/fuse.conf). */
  char options[MOST_OPTION_BYTES];
  snprintf(options, sizeof options, "fsname=%s,default_permissions%s%s%s", serving->program,
           geteuid() == 0 ? ",allow_other" : "", serving->subtype != NULL ? ",subtype=" : "",
           serving->subtype != NULL ? serving->subtype : "");
  char program[] = "collio_lab", option[] = "-o";
  char* words[] = {program, option, options};
  struct fuse_args arguments = FUSE_ARGS_INIT(3, words);
  struct fuse_session* session = fuse_session_new(&arguments, operations, sizeof *operations, target);
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

static int run_mounted(const struct serving* serving, struct fuse_session* session) {
  if (fuse_daemonize(serving->foreground || serving->until_eof) != 0)
    return complain(serving->program, "cannot become a daemon", errno);
  if (fuse_set_signal_handlers(session) != 0)
    return complain(serving->program, "cannot handle signals", errno);
  if (serving->until_eof) watch_input();
  const int error = serve(session);
  fuse_remove_signal_handlers(session);
  return error == 0 ? 0 : complain(serving->program, "serving requests", error);
}

int serve_mount(const struct serving* serving, const struct fuse_lowlevel_ops* operations,
                struct target* target) {
  struct fuse_lowlevel_ops all = *operations;
  all.init = on_init;
  target->session = make_session(serving, &all, target);
  if (target->session == NULL) return 1; /* libfuse has said why */
  int code = 1;
  if (fuse_session_mount(target->session, serving->mount) == 0) {
    code = run_mounted(serving, target->session);
    fuse_session_unmount(target->session);
  }
  fuse_session_destroy(target->session);
  return code;
}
