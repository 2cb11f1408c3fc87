/* What the parts of libcollio_yield.so share. */
#pragma once

unsigned ucp_worker_progress(void* worker);

/* The worker the process made progress on; NULL: none is left. */
void remember_worker(void* worker);
void* remembered_worker(void);

/* Address of a function of UCX behind this preload. Ends the process, saying why, when no loaded library has
 * it. */
void* find_ucp(const char* name);
