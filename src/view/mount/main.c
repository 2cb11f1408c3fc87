/* collio_mount: the program behind `collio mount`.
 *
 *   collio_mount [--foreground] [--allow-other] DIR MOUNTPOINT
 *
 * It ends when it is unmounted, at SIGTERM, SIGINT and SIGHUP. Exit code: 0, 1 (a message says what failed),
 * 2 (usage). */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <fuse.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "view/mount/mount.h"
#include "view/mount/path.h"
#include "view/mount/say.h"

enum {
  most_threads = 1024, /* requests that wait for a slow target, or for a join, keep their threads */
  idle_threads = 16,
  most_read_ahead = 1024 /* requests of all files, or those on a slow target would stop all others */
};

struct options {
  const char *folder, *mountpoint;
  int foreground;
};

static struct options read_options(int count, char** words) {
  static const struct option known[] = {
      {"foreground", no_argument, NULL, 'f'}, {"allow-other", no_argument, NULL, 'a'}, {NULL, 0, NULL, 0}};
  struct options options = {0};
  for (int option; (option = getopt_long(count, words, "", known, NULL)) != -1;) {
    if (option == 'f')
      options.foreground = 1;
    else if (option == 'a')
      shown.others = 1;
    else
      exit(2);
  }
  if (optind + 2 != count) {
    fputs("usage: collio_mount [--foreground] [--allow-other] DIR MOUNTPOINT\n", stderr);
    exit(2);
  }
  options.folder = words[optind];
  options.mountpoint = words[optind + 1];
  return options;
}

/* Attributes are asked for each time, and an open drops the pages that the kernel has: so whoever opens a
   file sees it as it is. While it is open, pages stay (AUTO_INVAL_DATA would ask for attributes at each
   read). */
static void* on_init(struct fuse_conn_info* connection, struct fuse_config* config) {
  connection->want &= ~(unsigned)FUSE_CAP_AUTO_INVAL_DATA;
  connection->max_background = most_read_ahead;
  connection->congestion_threshold = most_read_ahead;
  config->attr_timeout = config->entry_timeout = config->negative_timeout = 0;
  config->kernel_cache = config->auto_cache = config->direct_io = 0;
  config->use_ino = 1;
  config->nullpath_ok = 1;
  config->intr = 1; /* a signal tells the thread whose program was killed */
  return NULL;
}

/* Null: libfuse has said why. */
static struct fuse* make(const struct options* options) {
  struct fuse_operations operations = {.init = on_init};
  tree_fill(&operations);
  files_fill(&operations);
  char *settings = NULL, *name = NULL, program[] = "collio mount", option[] = "-o";
  if (asprintf(&name, "fsname=%s", options->folder) < 0 ||
      fuse_opt_add_opt(&settings, "ro,default_permissions,subtype=collio") != 0 ||
      fuse_opt_add_opt_escaped(&settings, name) != 0 ||
      (shown.others && fuse_opt_add_opt(&settings, "allow_other") != 0))
    return NULL;
  char* words[] = {program, option, settings};
  struct fuse_args arguments = FUSE_ARGS_INIT(3, words);
  struct fuse* fuse = fuse_new(&arguments, &operations, sizeof operations, NULL);
  fuse_opt_free_args(&arguments);
  free(settings);
  free(name);
  return fuse;
}

/* errno or 0. */
static int serve(struct fuse* fuse) {
#if FUSE_USE_VERSION >= 312
  struct fuse_loop_config* config = fuse_loop_cfg_create();
  if (!config) return ENOMEM;
  fuse_loop_cfg_set_max_threads(config, most_threads);
  fuse_loop_cfg_set_idle_threads(config, idle_threads);
  const int result = fuse_loop_mt(fuse, config);
  fuse_loop_cfg_destroy(config);
#else /* no limit there */
  struct fuse_loop_config config = {.max_idle_threads = idle_threads};
  const int result = fuse_loop_mt(fuse, &config);
#endif
  return result < 0 ? -result : 0; /* positive: the signal that ended it */
}

static int run(const struct options* options, struct fuse* fuse) {
  struct fuse_session* session = fuse_get_session(fuse);
  /* Before it is mounted: a signal in between would leave a mount that nobody serves. */
  int error = fuse_set_signal_handlers(session) != 0 ? errno : 0;
  if (error == 0 && fuse_mount(fuse, options->mountpoint) != 0) return 1; /* libfuse has said why */
  if (error == 0 && fuse_daemonize(options->foreground) != 0) error = errno;
  if (error == 0 && !options->foreground) mount_say_to_syslog();
  if (error == 0) error = serve(fuse);
  fuse_unmount(fuse);
  fuse_remove_signal_handlers(session);
  if (error != 0) mount_say("%s: %s", options->mountpoint, strerror(error));
  return error != 0;
}

/* Waits end early at libfuse's signal, for fuse_interrupted() to be asked. libfuse installs no handler where
   init turns `intr` on. */
static void on_signal(int unused) { (void)unused; }

static void prepare_process(void) {
  const struct sigaction action = {.sa_handler = on_signal};
  struct rlimit files;
  sigaction(SIGUSR1, &action, NULL);
  if (getrlimit(RLIMIT_NOFILE, &files) == 0) { /* a descriptor for each open file */
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
  }
}

int main(int count, char** words) {
  const struct options options = read_options(count, words);
  struct stat about;
  shown.root = open(options.folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (shown.root < 0 || fstat(shown.root, &about) != 0) {
    mount_say("%s: %s", options.folder, strerror(errno));
    return 1;
  }
  shown.device = about.st_dev;
  prepare_process();
  struct fuse* fuse = make(&options);
  if (!fuse) return 1;
  const int code = run(&options, fuse);
  fuse_destroy(fuse);
  return code;
}
