// Moving the data: commits, fetches and calls on lists of pieces.
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <vector>

#include "capi/file.hpp"
#include "capi/library.h"
#include "core/piece_map.hpp"
#include "engine/call/call.hpp"

namespace collio::capi {

/// A transfer of this rank's, from the program's call to its end.
struct Transfer {
  std::shared_ptr<engine::Session> file;
  engine::CallRequest request;
  std::vector<core::Echo> echoes;
  /// null: memory is as in the file
  std::shared_ptr<const access::TurnedMemory> turned;
  /// of the same commit; begun, and thus done, before this one
  std::vector<std::shared_ptr<Transfer>> before;
  /// the result may be read when it is
  std::atomic<bool> done{false};
  engine::Completion result;
};

/// What this rank has put, or asked for; then nothing is. Not collective.
[[nodiscard]] std::shared_ptr<Transfer> take_pending(collio_file& file, policy::Direction direction,
                                                     const char* name);
/// Has it done behind what was begun on the file before. Not collective; the transfer is.
void begin(const std::shared_ptr<Transfer>& transfer);
/// The same, or does it now where `request` is null: its error. Collective.
[[nodiscard]] core::Error launch(const std::shared_ptr<Transfer>& transfer, collio_request** request);
/// Returns when it is done. Not collective; the transfer is.
void await(Transfer& transfer);

/// Pieces of a file in the order of memory, which is one piece.
struct Block {
  std::span<const std::int64_t> offsets, lengths;
  std::byte* memory = nullptr;
  /// of all offsets: the file's are so much larger
  std::int64_t shift = 0;
  /// Keeps their map for the next call with the same pieces; null: there may be none.
  std::shared_ptr<const core::PieceMap>* map = nullptr;
};
struct Blocks {
  std::span<const Block> all;
  /// null: memory is as in the file
  std::shared_ptr<const access::TurnedMemory> turned;
};
/// For the fronts of libraries. Moves this rank's blocks; of bytes that are written twice those of one block
/// are. `name`: in the report. The same error on all ranks. Collective.
[[nodiscard]] core::Error move_blocks(collio_file& file, policy::Direction direction, const char* name,
                                      const Blocks& blocks);
/// The same by this rank alone, beside the library's own calls, which may sieve. Throws std::bad_alloc. Not
/// collective.
[[nodiscard]] core::Error move_blocks_alone(collio_file& file, policy::Direction direction,
                                            const Blocks& blocks);

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
