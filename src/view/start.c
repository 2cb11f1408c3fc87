/* The start of other programs. */
#define _GNU_SOURCE
#include <alloca.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include "view/view.h"

/* Another program gets descriptors, and may read them in any way. */
CALL(int, execve, (const char* path, char* const words[], char* const environment[])) {
  view_fill_inherited();
  return REAL(execve)(path, words, environment);
}
CALL(int, execv, (const char* path, char* const words[])) {
  view_fill_inherited();
  return REAL(execv)(path, words);
}
CALL(int, execvp, (const char* path, char* const words[])) {
  view_fill_inherited();
  return REAL(execvp)(path, words);
}
CALL(int, execvpe, (const char* path, char* const words[], char* const environment[])) {
  view_fill_inherited();
  return REAL(execvpe)(path, words, environment);
}
CALL(int, fexecve, (int fd, char* const words[], char* const environment[])) {
  view_fill_inherited();
  return REAL(fexecve)(fd, words, environment);
}
CALL(int, posix_spawn,
     (pid_t * id, const char* path, const posix_spawn_file_actions_t* files, const posix_spawnattr_t* how,
      char* const words[], char* const environment[])) {
  view_fill_inherited();
  return REAL(posix_spawn)(id, path, files, how, words, environment);
}
CALL(int, posix_spawnp,
     (pid_t * id, const char* path, const posix_spawn_file_actions_t* files, const posix_spawnattr_t* how,
      char* const words[], char* const environment[])) {
  view_fill_inherited();
  return REAL(posix_spawnp)(id, path, files, how, words, environment);
}
CALL(int, system, (const char* command)) {
  view_fill_inherited();
  return REAL(system)(command);
}
CALL(FILE*, popen, (const char* command, const char* mode)) {
  view_fill_inherited();
  return REAL(popen)(command, mode);
}

/* The words of a call of execl()'s kind, up to the null. `rest` is read twice. */
#define WORDS(first, words)                           \
  va_list rest;                                       \
  size_t count = 1;                                   \
  va_start(rest, first);                              \
  while (va_arg(rest, char*)) ++count;                \
  va_end(rest);                                       \
  char** words = alloca((count + 1) * sizeof(char*)); \
  words[0] = (char*)(uintptr_t)(first);               \
  va_start(rest, first);                              \
  for (size_t i = 1; i <= count; ++i) words[i] = va_arg(rest, char*);

CALL(int, execl, (const char* path, const char* first, ...)) {
  WORDS(first, words)
  va_end(rest);
  view_fill_inherited();
  return REAL(execv)(path, words);
}
CALL(int, execlp, (const char* path, const char* first, ...)) {
  WORDS(first, words)
  va_end(rest);
  view_fill_inherited();
  return REAL(execvp)(path, words);
}
CALL(int, execle, (const char* path, const char* first, ...)) {
  WORDS(first, words)
  char* const* environment = va_arg(rest, char* const*);
  va_end(rest);
  view_fill_inherited();
  return REAL(execve)(path, words, environment);
}
