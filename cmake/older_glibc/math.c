/* Functions that have another version in libm since glibc 2.29, which sets no errno. Programs of a package
 * call the version before, which newer libraries still have. In an archive, as most of what a package links
 * has no need of libm.
 */
#define OLDER(name, parameters, ...)                              \
  extern double oldest_##name parameters;                         \
  __asm__(".symver oldest_" #name ", " #name "@" OLDEST_VERSION); \
  __attribute__((visibility("hidden"))) double name parameters { return oldest_##name(__VA_ARGS__); }

OLDER(exp, (double x), x)
OLDER(exp2, (double x), x)
OLDER(log, (double x), x)
OLDER(log2, (double x), x)
OLDER(pow, (double x, double y), x, y)
