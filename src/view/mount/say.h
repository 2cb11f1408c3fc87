/* Messages of the mount. */
#ifndef COLLIO_VIEW_MOUNT_SAY_H
#define COLLIO_VIEW_MOUNT_SAY_H

/* Says why something fails: on stderr, or in syslog after mount_say_to_syslog(). */
void mount_say(const char* format, ...) __attribute__((format(printf, 1, 2)));

/* For a mount in the background, which has no stderr. */
void mount_say_to_syslog(void);

#endif
