// Moving the data: commits, fetches and calls on lists of pieces.
#pragma once

#include "capi/library.h"

namespace collio::capi {

int commit(collio_file* file, collio_request** request);
int fetch(collio_file* file, collio_request** request);
int wait(collio_request** request, int64_t* bytes);
int test(collio_request* request, int* done);
int write_pieces(collio_file* file, const collio_pieces* pieces, const void* memory,
                 const collio_pieces* memory_pieces, collio_request** request);
int read_pieces(collio_file* file, const collio_pieces* pieces, void* memory,
                const collio_pieces* memory_pieces, collio_request** request);
int write_alone(collio_file* file, const collio_pieces* pieces, const void* memory,
                const collio_pieces* memory_pieces, int64_t* bytes);
int read_alone(collio_file* file, const collio_pieces* pieces, void* memory,
               const collio_pieces* memory_pieces, int64_t* bytes);

}  // namespace collio::capi
