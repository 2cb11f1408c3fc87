/* collio_lab_striped: a striped file system of the lab, a FUSE file system over a backing folder.
 *
 *   collio_lab_striped --backing DIR --mount POINT --targets N [--unit BYTES] [--count N]
 *                      [--lock-delay-us N] [--node-by network|process] [--foreground] [--until-eof]
 *
 * The rates, capacities and failures of targets are set while it runs: attributes of POINT/.targets/K. It
 * ends as collio_lab_target does. docs/design/lab-striped.md says why it is so. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bodies.h"
#include "serve.h"

static const char PROGRAM[] = "collio_lab_striped";
enum { FOLDER = 0755, DEFAULT_UNIT_BYTES = 1 << 20, DEFAULT_COUNT = 1, PATH_BYTES = 64 };

struct options {
  const char* backing;
  const char* mount;
  int64_t targets, unit_bytes, count, lock_delay_us;
  enum node_by node_by;
  int foreground, until_eof;
};

static const char USAGE[] =
    "usage: collio_lab_striped --backing DIR --mount POINT --targets N [--unit BYTES] [--count N]\n"
    "                          [--lock-delay-us N] [--node-by network|process] [--foreground] "
    "[--until-eof]\n";

static void say_usage(void) {
  fputs(USAGE, stderr);
  exit(2);
}

static enum node_by read_node_by(const char* text) {
  if (strcmp(text, "network") == 0) return NODE_BY_NETWORK;
  if (strcmp(text, "process") == 0) return NODE_BY_PROCESS;
  fprintf(stderr, "%s: --node-by %s: allowed: network, process\n", PROGRAM, text);
  exit(2);
}

static void read_option(struct options* options, int option) {
  switch (option) {
    case 'b':
      options->backing = optarg;
      break;
    case 'm':
      options->mount = optarg;
      break;
    case 't':
      options->targets = positive_number(PROGRAM, "targets", optarg);
      break;
    case 's':
      options->unit_bytes = positive_number(PROGRAM, "unit", optarg);
      break;
    case 'c':
      options->count = positive_number(PROGRAM, "count", optarg);
      break;
    case 'l':
      options->lock_delay_us = positive_number(PROGRAM, "lock-delay-us", optarg);
      break;
    case 'n':
      options->node_by = read_node_by(optarg);
      break;
    case 'f':
      options->foreground = 1;
      break;
    case 'u':
      options->until_eof = 1;
      break;
    default:
      say_usage();
  }
}

static struct options read_options(int count, char** words) {
  static const struct option KNOWN[] = {
      {"backing", required_argument, NULL, 'b'}, {"mount", required_argument, NULL, 'm'},
      {"targets", required_argument, NULL, 't'}, {"unit", required_argument, NULL, 's'},
      {"count", required_argument, NULL, 'c'},   {"lock-delay-us", required_argument, NULL, 'l'},
      {"node-by", required_argument, NULL, 'n'}, {"foreground", no_argument, NULL, 'f'},
      {"until-eof", no_argument, NULL, 'u'},     {NULL, 0, NULL, 0}};
  struct options options = {.unit_bytes = DEFAULT_UNIT_BYTES, .count = DEFAULT_COUNT};
  for (int option; (option = getopt_long(count, words, "", KNOWN, NULL)) != -1;)
    read_option(&options, option);
  if (options.backing == NULL || options.mount == NULL || options.targets < 1 || optind != count) say_usage();
  return options;
}

/* The folder `name` in another, made if need be. Negative: errno says why not. */
static int folder_in(int parent, const char* name) {
  if (mkdirat(parent, name, FOLDER) != 0 && errno != EEXIST) return -1;
  return openat(parent, name, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/* One target, and the folder in the mount that shows its settings. Returns 0 or an errno. */
static int prepare_target(struct striped* striped, const struct options* options, int backing, int number) {
  char name[PATH_BYTES], whole[4096];
  struct target* target = &striped->targets[number];
  snprintf(name, sizeof name, "target%d", number);
  snprintf(whole, sizeof whole, "%s/%s", options->backing, name);
  striped->folders[number] = folder_in(backing, name);
  if (striped->folders[number] < 0) return errno;
  const int error = space_init(&target->space, whole, NO_CAPACITY);
  if (error != 0) return error;
  pace_init(&target->pace, 0);
  faults_init(&target->faults);
  snprintf(name, sizeof name, ".targets/%d", number);
  const int door = folder_in(striped->names.inodes.root.fd, name);
  struct stat attributes;
  if (door < 0 || fstat(door, &attributes) != 0) return errno;
  striped->doors[number] = inodes_enter(&striped->names.inodes, door, &attributes);
  return striped->doors[number] == NULL ? ENOMEM : 0;
}

/* The layout of new files. Returns 0, or 2 after a message. */
static int prepare_default(struct striped* striped, const struct options* options) {
  char text[LAYOUT_TEXT_BYTES];
  if (options->targets > MOST_TARGETS) {
    fprintf(stderr, "%s: --targets %lld: allowed: 1 to %d\n", PROGRAM, (long long)options->targets,
            MOST_TARGETS);
    return 2;
  }
  striped->target_count = (int)options->targets;
  snprintf(text, sizeof text, "unit=%lld count=%lld", (long long)options->unit_bytes,
           (long long)options->count);
  if (layout_read(&striped->by_default, text, striped->target_count) == 0) return 0;
  fprintf(stderr, "%s: --unit %lld: allowed: multiples of 4096 up to 1073741824\n", PROGRAM,
          (long long)options->unit_bytes);
  return 2;
}

/* Returns 0, or 1 after a message. */
static int prepare(struct striped* striped, const struct options* options) {
  const int backing = open(options->backing, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (backing < 0) return complain(PROGRAM, options->backing, errno);
  const int names = folder_in(backing, "names");
  striped->layouts = folder_in(backing, "layouts");
  if (names < 0 || striped->layouts < 0) return complain(PROGRAM, options->backing, errno);
  int error = inodes_init(&striped->names.inodes, names);
  const int doors = error == 0 ? folder_in(names, ".targets") : -1;
  if (error == 0 && doors < 0) error = errno;
  for (int i = 0; i < striped->target_count && error == 0; ++i)
    error = prepare_target(striped, options, backing, i);
  if (error != 0) return complain(PROGRAM, options->backing, error);
  close(doors);
  close(backing);
  striped->names.inodes.drop = body_drop;
  striped->names.content = &STRIPED_FILES;
  pace_init(&striped->names.pace, 0);
  faults_init(&striped->names.faults);
  striped->node_by = options->node_by;
  striped->lock_delay_us = options->lock_delay_us;
  return 0;
}

int main(int count, char** words) {
  const struct options options = read_options(count, words);
  static struct striped striped;
  if (prepare_default(&striped, &options) != 0) return 2;
  prepare_process();
  if (prepare(&striped, &options) != 0) return 1;
  struct fuse_lowlevel_ops operations = {0};
  operations_fill(&operations);
  folders_fill(&operations);
  data_fill_striped(&operations);
  attributes_fill_striped(&operations);
  const struct serving serving = {PROGRAM, PROGRAM, options.mount, options.foreground, options.until_eof};
  return serve_mount(&serving, &operations, &striped.names);
}
