/* Messages of the mount. */
#include "view/mount/say.h"

#include <stdarg.h>
#include <stdio.h>
#include <syslog.h>

static int to_syslog;

void mount_say_to_syslog(void) {
  openlog("collio mount", LOG_PID, LOG_USER);
  to_syslog = 1;
}

void mount_say(const char* format, ...) {
  va_list rest;
  va_start(rest, format);
  if (to_syslog) {
    vsyslog(LOG_ERR, format, rest);
  } else {
    char text[2048];
    vsnprintf(text, sizeof text, format, rest);
    fprintf(stderr, "collio mount: %s\n", text);
  }
  va_end(rest);
}
