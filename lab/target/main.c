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
#include <stdio.h>
#include <stdlib.h>

#include "control.h"
#include "data.h"
#include "serve.h"

static const char PROGRAM[] = "collio_lab_target";

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
        options.rate_bytes_per_s = positive_number(PROGRAM, "rate", optarg);
        break;
      case 'c':
        options.capacity_bytes = positive_number(PROGRAM, "capacity", optarg);
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

/* Settings from the command line, and the backing folder. Returns 0, or 1 after a message. */
static int prepare(struct target* target, const struct options* options) {
  const int root_fd = open(options->backing, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (root_fd < 0) return complain(PROGRAM, options->backing, errno);
  int error = inodes_init(&target->inodes, root_fd);
  if (error == 0) error = space_init(&target->space, options->backing, options->capacity_bytes);
  if (error != 0) return complain(PROGRAM, options->backing, error);
  target->content = &WHOLE_FILES;
  pace_init(&target->pace, options->rate_bytes_per_s);
  faults_init(&target->faults);
  return 0;
}

int main(int count, char** words) {
  const struct options options = read_options(count, words);
  static struct target target;
  prepare_process();
  if (prepare(&target, &options) != 0) return 1;
  struct fuse_lowlevel_ops operations = {0};
  operations_fill(&operations);
  folders_fill(&operations);
  data_fill(&operations);
  control_fill(&operations);
  const struct serving serving = {PROGRAM, NULL, options.mount, options.foreground, options.until_eof};
  return serve_mount(&serving, &operations, &target);
}
