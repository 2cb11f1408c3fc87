/* collio_lab_power_loss: a file system in memory that can lose its power after any change that was made to
 * it, for tests of what survives. A FUSE file system.
 *
 *   collio_lab_power_loss MOUNTPOINT          in the foreground; ends when it is unmounted
 *
 * Writing text to MOUNTPOINT/.power controls it:
 *
 *   record          from here on changes are recorded. The tree must be empty
 *   lose N HOW      the tree becomes what is left after the first N changes. HOW says what survives besides
 *                   flushed bytes: "names" (all names, as file systems with ordered journals keep them),
 *                   "flushed" (only names that were flushed, with their folder or their file), "root" (all
 *                   names in the root, flushed ones in other folders, as on other file systems), "below"
 *                   (flushed names in the root, all in other folders), "all" (the process was killed)
 *
 * Later changes are not recorded. Reading .power gives a line per recorded change, "write 5 0 4096", with the
 * inode. Files that are open when power is lost must not be used any more. One thread serves all calls, so no
 * state needs a lock. Sources: POSIX fsync(), and ext4(5) on delayed allocation. */
#include <errno.h>
#include <fuse.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "journal.h"

static const char CONTROL[] = "/.power";
enum { CONTROL_INODE = MOST_INODES, LINE_BYTES = 2 * NAME_BYTES + 80 };
static struct tree* tree;
static int recording;

static struct step step_of(enum change change, uint64_t inode) {
  return (struct step){.change = change, .inode = inode};
}

static int apply(const struct step* step, uint64_t* made) {
  uint64_t ignored = 0;
  const int code = do_step(tree, step, made ? made : &ignored);
  if (code == 0 && recording) record(step);
  return code;
}

/* Inode of an open file or of a path. */
static uint64_t inode_of(const char* path, const struct fuse_file_info* info) {
  if (info) return info->fh;
  return strcmp(path, CONTROL) == 0 ? (uint64_t)CONTROL_INODE : find(tree, path);
}

static int in_folder(const char* path, struct step* step) {
  const char* name = NULL;
  step->folder = folder_of(tree, path, &name);
  if (!step->folder) return -ENOENT;
  if (strlen(name) >= NAME_BYTES) return -ENAMETOOLONG;
  strcpy(step->name, name);
  return 0;
}

static int get_attributes(const char* path, struct stat* stat, struct fuse_file_info* info) {
  const uint64_t number = inode_of(path, info);
  memset(stat, 0, sizeof *stat);
  if (number == CONTROL_INODE) {
    stat->st_mode = S_IFREG | 0600;
    stat->st_ino = number;
    stat->st_nlink = 1;
    return 0;
  }
  if (!number) return -ENOENT;
  const struct inode* inode = &tree->inodes[number];
  stat->st_ino = number;
  stat->st_mode = inode->mode;
  stat->st_nlink = links(tree, number);
  stat->st_uid = inode->owner;
  stat->st_gid = inode->group;
  stat->st_size = (off_t)inode->now.size;
  stat->st_blocks = (stat->st_size + 511) / 512;
  stat->st_blksize = 4096;
  stat->st_atim = inode->accessed;
  stat->st_mtim = inode->modified;
  stat->st_ctim = inode->changed;
  return 0;
}

static int make_inode(const char* path, mode_t mode, uint64_t* made) {
  struct step step = step_of(MAKE, 0);
  const int code = in_folder(path, &step);
  if (code) return code;
  const struct fuse_context* caller = fuse_get_context();
  step.mode = mode;
  step.owner = caller->uid;
  step.group = caller->gid;
  return apply(&step, made);
}

static int make_file(const char* path, mode_t mode, struct fuse_file_info* info) {
  return make_inode(path, mode | S_IFREG, &info->fh);
}
static int make_folder(const char* path, mode_t mode) { return make_inode(path, mode | S_IFDIR, NULL); }

static int make_symlink(const char* target, const char* path) {
  struct step step = step_of(SYMLINK, 0);
  const int code = in_folder(path, &step);
  if (code) return code;
  step.mode = S_IFLNK | 0777;
  step.bytes = (char*)target;
  step.size = strlen(target);
  return apply(&step, NULL);
}

static int read_symlink(const char* path, char* to, size_t room) {
  const uint64_t inode = find(tree, path);
  if (!inode) return -ENOENT;
  const struct content* now = &tree->inodes[inode].now;
  const size_t size = now->size < room - 1 ? now->size : room - 1;
  memcpy(to, now->bytes, size);
  to[size] = '\0';
  return 0;
}

static int remove_name(const char* path) {
  struct step step = step_of(UNLINK, 0);
  const int code = in_folder(path, &step);
  return code ? code : apply(&step, NULL);
}

static int remove_folder(const char* path) {
  const uint64_t inode = find(tree, path);
  return inode && tree->inodes[inode].now.count ? -ENOTEMPTY : remove_name(path);
}

static int rename_name(const char* from, const char* to, unsigned flags) {
  struct step there = step_of(RENAME, find(tree, from)), target = there;
  const int code = in_folder(from, &there), other = in_folder(to, &target);
  if (code || other) return code ? code : other;
  const uint64_t replaced = find(tree, to);
  if (flags & ~1U) return -EINVAL;
  if ((flags & 1U) && replaced) return -EEXIST; /* RENAME_NOREPLACE */
  if (replaced && tree->inodes[replaced].now.count) return -ENOTEMPTY;
  there.to_folder = target.folder;
  strcpy(there.to_name, target.name);
  return apply(&there, NULL);
}

static int make_link(const char* from, const char* to) {
  struct step step = step_of(LINK, find(tree, from));
  const int code = in_folder(to, &step);
  return code ? code : apply(&step, NULL);
}

static int change_mode(const char* path, mode_t mode, struct fuse_file_info* info) {
  struct step step = step_of(MODE, inode_of(path, info));
  step.mode = mode;
  return apply(&step, NULL);
}

static int change_owner(const char* path, uid_t owner, gid_t group, struct fuse_file_info* info) {
  struct step step = step_of(OWNER, inode_of(path, info));
  step.owner = owner;
  step.group = group;
  return apply(&step, NULL);
}

static int change_size(const char* path, off_t size, struct fuse_file_info* info) {
  struct step step = step_of(SIZE, inode_of(path, info));
  step.at = size;
  return step.inode == CONTROL_INODE ? 0 : apply(&step, NULL);
}

static int change_times(const char* path, const struct timespec times[2], struct fuse_file_info* info) {
  struct step step = step_of(TIMES, inode_of(path, info));
  const struct inode* inode = &tree->inodes[step.inode];
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  const struct timespec old[2] = {inode->accessed, inode->modified};
  struct timespec* set[2] = {&step.accessed, &step.modified};
  for (int i = 0; i < 2; ++i)
    *set[i] = times[i].tv_nsec == UTIME_NOW ? now : times[i].tv_nsec == UTIME_OMIT ? old[i] : times[i];
  return apply(&step, NULL);
}

static int open_file(const char* path, struct fuse_file_info* info) {
  info->fh = inode_of(path, NULL);
  return info->fh ? 0 : -ENOENT;
}

static int describe(const struct step* step, char* line) {
  static const char* const names[] = {"make",  "link", "unlink", "rename",  "write", "size",
                                      "flush", "mode", "owner",  "symlink", "times"};
  return snprintf(line, LINE_BYTES, "%s %llu %lld %zu %s %s\n", names[step->change],
                  (unsigned long long)step->inode, (long long)step->at, step->size, step->name,
                  step->to_name);
}

static int read_journal(char* to, size_t room, off_t at) {
  size_t given = 0;
  off_t begin = 0;
  for (size_t i = 0; i < steps_recorded() && given < room; ++i) {
    char line[LINE_BYTES];
    const off_t end = begin + describe(step_at(i), line);
    for (off_t from = begin > at ? begin : at; from < end && given < room; ++from)
      to[given++] = line[from - begin];
    begin = end;
  }
  return (int)given;
}

static int read_file(const char* path, char* to, size_t room, off_t at, struct fuse_file_info* info) {
  (void)path;
  if (info->fh == CONTROL_INODE) return read_journal(to, room, at);
  const struct content* now = &tree->inodes[info->fh].now;
  if ((size_t)at >= now->size) return 0;
  const size_t size = now->size - (size_t)at < room ? now->size - (size_t)at : room;
  memcpy(to, now->bytes + at, size);
  return (int)size;
}

static int command(const char* text, size_t size) {
  char words[64] = "", how[16] = "";
  size_t count = 0;
  memcpy(words, text, size < sizeof words ? size : sizeof words - 1);
  if (strncmp(words, "record", 6) == 0) {
    if (tree->next != ROOT + 1) return -EBUSY;
    recording = 1;
    return (int)size;
  }
  if (sscanf(words, "lose %zu %15s", &count, how) != 2) return -EINVAL;
  static const char* const hows[] = {"names", "flushed", "root", "below", "all"}; /* as enum survives */
  int survives = 0;
  while (survives <= ALL && strcmp(how, hows[survives]) != 0) ++survives;
  if (survives > ALL) return -EINVAL;
  recording = 0;
  free_tree(tree);
  tree = replayed(count);
  lose_power(tree, (enum survives)survives);
  return (int)size;
}

static int write_file(const char* path, const char* bytes, size_t size, off_t at,
                      struct fuse_file_info* info) {
  (void)path;
  if (info->fh == CONTROL_INODE) return command(bytes, size);
  struct step step = step_of(WRITE, info->fh);
  step.bytes = (char*)bytes;
  step.size = size;
  step.at = at;
  const int code = apply(&step, NULL);
  return code ? code : (int)size;
}

static int allocate(const char* path, int mode, off_t at, off_t size, struct fuse_file_info* info) {
  if (mode) return -EOPNOTSUPP;
  if ((size_t)(at + size) <= tree->inodes[info->fh].now.size) return 0;
  return change_size(path, at + size, info);
}

static int flush_inode(const char* path, int data_only, struct fuse_file_info* info) {
  (void)data_only;
  const struct step step = step_of(FLUSH, inode_of(path, info));
  return step.inode == CONTROL_INODE ? 0 : apply(&step, NULL);
}

static int read_folder(const char* path, void* to, fuse_fill_dir_t fill, off_t at,
                       struct fuse_file_info* info, enum fuse_readdir_flags flags) {
  (void)at, (void)flags;
  const struct content* now = &tree->inodes[inode_of(path, info)].now;
  for (size_t i = 0; i < now->count; ++i) {
    const struct stat stat = {.st_ino = now->entries[i].inode,
                              .st_mode = tree->inodes[now->entries[i].inode].mode};
    if (fill(to, now->entries[i].name, &stat, 0, 0)) break;
  }
  return 0;
}

static void* begin(struct fuse_conn_info* connection, struct fuse_config* config) {
  (void)connection;
  config->use_ino = config->readdir_ino = config->hard_remove = config->nullpath_ok = config->direct_io = 1;
  config->entry_timeout = config->attr_timeout = config->negative_timeout = 0;
  return NULL;
}

int main(int argc, char** argv) {
  static const struct fuse_operations operations = {
      .getattr = get_attributes,
      .readlink = read_symlink,
      .mkdir = make_folder,
      .unlink = remove_name,
      .rmdir = remove_folder,
      .symlink = make_symlink,
      .rename = rename_name,
      .link = make_link,
      .chmod = change_mode,
      .chown = change_owner,
      .truncate = change_size,
      .open = open_file,
      .read = read_file,
      .write = write_file,
      .fsync = flush_inode,
      .opendir = open_file,
      .readdir = read_folder,
      .fsyncdir = flush_inode,
      .init = begin,
      .create = make_file,
      .utimens = change_times,
      .fallocate = allocate,
  };
  if (argc != 2) {
    fputs("usage: collio_lab_power_loss MOUNTPOINT\n", stderr);
    return 2;
  }
  tree = new_tree();
  char foreground[] = "-f", one_thread[] = "-s", permissions[] = "-odefault_permissions";
  char* words[] = {argv[0], foreground, one_thread, permissions, argv[1], NULL};
  return fuse_main(5, words, &operations, NULL);
}
