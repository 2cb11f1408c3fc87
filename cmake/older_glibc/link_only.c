/* Names that glibc 2.32 to 2.34 moved into libc.so.6 under a new version. Linked from here, they have the
 * version and the library they always had, which newer ones still know. Nothing of this file is ever loaded:
 * the system's libraries of these names are.
 */
#define LINK_ONLY(name) \
  void name(void) {}

#if defined(libpthread)
LINK_ONLY(__pthread_key_create)
LINK_ONLY(pthread_create)
LINK_ONLY(pthread_detach)
LINK_ONLY(pthread_getspecific)
LINK_ONLY(pthread_join)
LINK_ONLY(pthread_key_create)
LINK_ONLY(pthread_key_delete)
LINK_ONLY(pthread_kill)
LINK_ONLY(pthread_mutex_trylock)
LINK_ONLY(pthread_once)
LINK_ONLY(pthread_rwlock_rdlock)
LINK_ONLY(pthread_rwlock_unlock)
LINK_ONLY(pthread_rwlock_wrlock)
LINK_ONLY(pthread_setspecific)
LINK_ONLY(pthread_sigmask)
LINK_ONLY(sem_post)
LINK_ONLY(sem_wait)
#elif defined(libdl)
LINK_ONLY(dladdr)
LINK_ONLY(dlclose)
LINK_ONLY(dlerror)
LINK_ONLY(dlopen)
LINK_ONLY(dlsym)
#elif defined(librt)
LINK_ONLY(aio_error)
LINK_ONLY(aio_read)
LINK_ONLY(aio_return)
LINK_ONLY(aio_suspend)
LINK_ONLY(aio_write)
LINK_ONLY(shm_open)
LINK_ONLY(shm_unlink)
#endif
