/* How deep this thread is in calls of the program's that collio took. */
#ifndef COLLIO_MPIIO_SHIM_DEPTH_H
#define COLLIO_MPIIO_SHIM_DEPTH_H

/* Calls that MPI's own implementation of a call makes are not ours to take over. A thread of the engine's
 * begins at `shim_own_depth`. */
extern __attribute__((visibility("hidden"))) __thread int shim_depth, shim_own_depth;

/* From now on shim_inside() may say yes: there is an engine. */
void shim_note_engine(void);
/* `more` calls that this thread makes are the engine's. */
void shim_own(int more);
/* Whether calls of this thread are inside of a call of the program's that collio took. */
int shim_inside(void);
/* Until shim_come_back(), calls of this thread count as the program's (on a thread of the engine's: as the
 * engine's). Returns what shim_come_back() takes. */
int shim_step_out(void);
void shim_come_back(int where);

#endif
