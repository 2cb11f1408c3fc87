// See transfer.hpp.
#include "capi/transfer.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <optional>

#include "access/buffer.hpp"
#include "access/reserve.hpp"
#include "capi/epoch.hpp"
#include "capi/error.hpp"
#include "capi/piece_lists.hpp"
#include "core/cursor.hpp"
#include "engine/call/own_call.hpp"

namespace collio::capi {

namespace {

using core::Error;
using core::ErrorClass;
using core::PieceMap;
using policy::Direction;

/// `bytes` bytes at address `from`, to `to`: in memory of the CPU's or of a device. An error: it could not be
/// done.
Error copy_echo(const core::Echo& echo, std::int64_t bytes, bool by_device) {
  if (!by_device) {
    std::memcpy(reinterpret_cast<void*>(echo.to), reinterpret_cast<const void*>(echo.from),
                static_cast<std::size_t>(bytes));
    return {};
  }
  const access::MemoryAccess from(nullptr, core::Pattern::contiguous(echo.from, bytes)),
      to(nullptr, core::Pattern::contiguous(echo.to, bytes));
  const access::Buffer staging(static_cast<std::size_t>(bytes));
  from.gather(0, bytes, staging.data());
  to.scatter(0, bytes, staging.data());
  return from.failure().ok() ? to.failure() : from.failure();
}

/// The same where elements are turned around as they are copied.
void copy_turned(const access::TurnedMemory& turned, const core::Echo& echo, std::int64_t bytes) {
  const access::Buffer staging(static_cast<std::size_t>(bytes));
  turned.gather_run(staging.data(), {echo.from, bytes, 0, 1});
  turned.scatter_run({echo.to, bytes, 0, 1}, staging.data());
}

/// Bytes that were read once and are wanted twice. Those past the end of the file stay as they were.
void deliver_echoes(Transfer& transfer) try {
  engine::Completion& result = transfer.result;
  if (transfer.echoes.empty() || result.bytes == 0) return;
  const access::FileAccess& access = *transfer.request.pieces;
  std::int64_t end = std::numeric_limits<std::int64_t>::max();
  if (result.bytes < access.bytes) {
    core::Cursor cursor(access.pattern);
    cursor.seek_stream(result.bytes);
    end = cursor.offset();
  }
  for (const core::Echo& echo : transfer.echoes)
    if (const std::int64_t bytes = std::min(echo.length, end - echo.file); bytes > 0) {
      if (transfer.turned)
        copy_turned(*transfer.turned, echo, bytes);
      else
        core::keep_worst(result.error, copy_echo(echo, bytes, transfer.request.memory.device() != nullptr));
      result.bytes += bytes;
    }
} catch (const std::bad_alloc&) {
  transfer.result.error = {ErrorClass::no_memory, "no memory"};
}

/// Of what `map()` gives, at addresses. Errors of this rank are in the request.
template <class Map>
void describe(Transfer& transfer, const collio_file& file, Map&& map) {
  engine::CallRequest& request = transfer.request;
  try {
    core::keep_worst(request.error, check_mode(file, request.direction));
    if (!request.error.ok()) return;
    core::Result<PieceMap> made = map();
    if (made && request.direction == Direction::write && !made.value().echoes.empty())
      request.error = {ErrorClass::argument, "bytes at offset " +
                                                 std::to_string(made.value().echoes[0].file) +
                                                 " are written twice in one call"};
    else if (!made)
      request.error = made.error();
    if (!request.error.ok()) return;
    transfer.echoes = std::move(made.value().echoes);
    request.memory = access::MemoryAccess(std::move(made.value().memory), transfer.turned);
    request.pieces =
        std::make_shared<const access::FileAccess>(access::whole_access(std::move(made.value().file)));
    core::keep_worst(request.error, request.memory.failure());
  } catch (const std::bad_alloc&) {
    request.error = {ErrorClass::no_memory, "no memory"};
  }
}

/// Collective.
void run(Transfer& transfer) {
  transfer.result = engine::collective_call(*transfer.file->engine, transfer.request);
  transfer.file->note_call();
  if (transfer.result.native)  // accesses of the library ascend: there is always a path
    transfer.result.error = {ErrorClass::other,
                             transfer.file->engine->path + ": there is no way to move the data"};
  deliver_echoes(transfer);
  for (const std::shared_ptr<Transfer>& other : transfer.before) {
    core::keep_worst(transfer.result.error, other->result.error);
    transfer.result.bytes += other->result.bytes;
  }
  transfer.before.clear();
  transfer.done = true;
  transfer.done.notify_all();
}

std::shared_ptr<Transfer> transfer_on(collio_file& file, Direction direction, const char* name) {
  auto transfer = std::make_shared<Transfer>();
  transfer->file = file.open;
  transfer->request.direction = direction;
  transfer->request.operation = name;
  return transfer;
}

}  // namespace

}  // namespace collio::capi

struct collio_request {
  std::shared_ptr<collio::capi::Transfer> transfer;
};

namespace collio::capi {

void begin(const std::shared_ptr<Transfer>& transfer) {
  const access::Reserve::Use no_list_fails;  // others begin the call
  engine::WorkQueue& queue = transfer->file->queue();
  engine::CallRequest& call = transfer->request;
  call.form = observe::Form::nonblocking;
  call.progress = queue.by_thread() ? observe::Progress::thread : observe::Progress::fiber;
  queue.post([transfer] { run(*transfer); });
}

Error launch(const std::shared_ptr<Transfer>& transfer, collio_request** request) {
  if (!request) {
    transfer->file->drain();
    run(*transfer);
    return transfer->result.error;
  }
  const access::Reserve::Use no_list_fails;
  *request = new collio_request{transfer};
  begin(transfer);
  return {};
}

void await(Transfer& transfer) {
  if (engine::WorkQueue* const queue = transfer.file->queue_so_far();
      !transfer.done && queue && !queue->by_thread())
    queue->run_until([&] { return transfer.done.load(); });
  transfer.done.wait(false);
}

std::shared_ptr<Transfer> take_pending(collio_file& file, Direction direction, const char* name) {
  collio_file::Pending& pending = direction == Direction::write ? file.writes : file.reads;
  auto transfer = transfer_on(file, direction, name);
  transfer->request.error = std::exchange(pending.error, {});
  describe(*transfer, file, [&]() -> core::Result<PieceMap> { return pending.puts.take(); });
  pending.forget();
  return transfer;
}

namespace {

/// Collective.
Error move_lists(collio_file& file, Direction direction, const PieceLists& lists, collio_request** request) {
  const BetweenSteps between(file);
  if (!between.error.ok()) return between.error;
  const auto transfer =
      transfer_on(file, direction, direction == Direction::write ? "write_pieces" : "read_pieces");
  describe(*transfer, file, [&] { return map_of(lists); });
  return launch(transfer, request);
}

/// Not collective.
Error run_alone(Transfer& transfer) {
  transfer.file->note_independent();
  transfer.result = engine::independent_call(*transfer.file->engine, transfer.request);
  deliver_echoes(transfer);
  return transfer.result.error;
}

/// Not collective.
Error move_alone(collio_file& file, Direction direction, const PieceLists& lists, int64_t* bytes) {
  const auto transfer = transfer_on(file, direction, "alone");
  describe(*transfer, file, [&] { return map_of(lists); });
  Error error = run_alone(*transfer);
  if (bytes) *bytes = transfer->result.bytes;
  return error;
}

}  // namespace

namespace {

/// Where a block begins: in the file, as a distance, and in memory.
struct Origin {
  std::int64_t shift = 0, memory = 0;
};

void add_pieces(const Block& block, Origin at, std::vector<core::MappedPiece>& pieces) {
  for (std::size_t i = 0; i < block.offsets.size(); at.memory += block.lengths[i++])
    pieces.push_back({block.offsets[i] + at.shift, at.memory, block.lengths[i]});
}

std::int64_t address_of(const Block& block) noexcept {
  return static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(block.memory));
}

/// Blocks with the same pieces share a map: most calls of a program have few, which it repeats. Their map is
/// a loop where their distances in file and memory are equal.
PieceMap map_of_lists(std::span<const Block> blocks) {
  std::vector<core::PlacedMap> maps;
  for (const Block& block : blocks) {
    maps.push_back({block.map->get(), block.shift, address_of(block)});
    if (*block.map) continue;
    std::vector<core::MappedPiece> pieces;
    pieces.reserve(block.offsets.size());
    add_pieces(block, {}, pieces);
    *block.map = std::make_shared<const PieceMap>(core::map_pieces(std::move(pieces)));
    maps.back().map = block.map->get();
  }
  return core::join_maps(std::move(maps));
}

PieceMap map_of_blocks(std::span<const Block> blocks) {
  constexpr std::size_t worth_a_map = 8;  // pieces of a block
  std::size_t count = 0;
  for (const Block& block : blocks) count += block.offsets.size();
  if (count >= worth_a_map * blocks.size() &&
      std::ranges::all_of(blocks, [](const Block& block) { return block.map != nullptr; }))
    return map_of_lists(blocks);
  std::vector<core::MappedPiece> pieces;
  pieces.reserve(count);
  for (const Block& block : blocks) add_pieces(block, {block.shift, address_of(block)}, pieces);
  return core::map_pieces(std::move(pieces));
}

std::shared_ptr<Transfer> transfer_of(collio_file& file, Direction direction, const char* name,
                                      const Blocks& blocks) {
  auto transfer = transfer_on(file, direction, name);
  transfer->turned = blocks.turned;
  describe(*transfer, file, [&]() -> core::Result<PieceMap> {
    PieceMap map = map_of_blocks(blocks.all);
    if (direction == Direction::write) map.echoes.clear();
    return map;
  });
  return transfer;
}

}  // namespace

Error move_blocks(collio_file& file, Direction direction, const char* name, const Blocks& blocks) {
  return launch(transfer_of(file, direction, name, blocks), nullptr);
}

namespace {

/// One piece, without allocations, as describing one takes longer than to write it. Empty: there are several,
/// or it may be a device's.
std::optional<Error> move_piece_alone(collio_file& file, Direction direction, const Blocks& blocks) {
  constexpr std::int64_t most_turned = 256;
  if (blocks.all.size() != 1 || blocks.all[0].offsets.size() != 1 || access::DeviceMemory::may_find())
    return {};
  const Block& block = blocks.all[0];
  const core::Extent extent{block.offsets[0] + block.shift, block.lengths[0]};
  if (blocks.turned && extent.length > most_turned) return {};
  if (Error error = check_mode(file, direction); !error.ok()) return error;
  std::array<std::byte, most_turned> turned;
  const auto address = static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(block.memory));
  const bool writes = direction == Direction::write;
  if (blocks.turned) blocks.turned->gather_run(turned.data(), {address, extent.length, 0, 1});
  engine::OnePiece piece{.direction = direction, .extent = extent};
  piece.memory = blocks.turned ? turned.data() : block.memory;
  piece.holes_in_view = writes;
  const auto moved = engine::move_piece_alone(*file.open->engine, piece);
  if (!moved) return {};
  if (blocks.turned && !writes) blocks.turned->scatter_run({address, extent.length, 0, 1}, turned.data());
  file.open->note_independent();
  return moved->error;
}

}  // namespace

Error move_blocks_alone(collio_file& file, Direction direction, const Blocks& blocks) {
  if (const auto error = move_piece_alone(file, direction, blocks)) return *error;
  const auto transfer = transfer_of(file, direction, "alone", blocks);
  // The library of the front writes, too, and may sieve: what lies between its pieces holds a lock.
  transfer->request.others_sieve = transfer->request.may_sieve = direction == Direction::write;
  return run_alone(*transfer);
}

int commit(collio_file* file, collio_request** request) {
  return guarded_collectively(file, [&] {
    return file->epoch ? commit_epoch(*file, request)
                       : launch(take_pending(*file, Direction::write, "commit"), request);
  });
}

int fetch(collio_file* file, collio_request** request) {
  return guarded_collectively(file, [&]() -> Error {
    const BetweenSteps between(*file);
    if (between.error.ok()) return launch(take_pending(*file, Direction::read, "fetch"), request);
    file->reads.forget();
    return between.error;
  });
}

int wait(collio_request** request, int64_t* bytes) {
  return guarded_on(request ? *request : nullptr, [&]() -> Error {
    const std::unique_ptr<collio_request> waited(std::exchange(*request, nullptr));
    Transfer& transfer = *waited->transfer;
    await(transfer);
    if (bytes) *bytes = transfer.result.bytes;
    return transfer.result.error;
  });
}

int test(collio_request* request, int* done) {
  return guarded_on(request, [&]() -> Error {
    if (!request->transfer->done) engine::step_all_queues();
    if (!done) return {ErrorClass::argument, "the place for the answer is null"};
    *done = request->transfer->done ? 1 : 0;
    return {};
  });
}

int write_pieces(collio_file* file, const collio_pieces* pieces, const void* memory,
                 const collio_pieces* memory_pieces, collio_request** request) {
  return guarded_collectively(
      file, [&] { return move_lists(*file, Direction::write, {pieces, memory, memory_pieces}, request); });
}

int read_pieces(collio_file* file, const collio_pieces* pieces, void* memory,
                const collio_pieces* memory_pieces, collio_request** request) {
  return guarded_collectively(
      file, [&] { return move_lists(*file, Direction::read, {pieces, memory, memory_pieces}, request); });
}

int write_alone(collio_file* file, const collio_pieces* pieces, const void* memory,
                const collio_pieces* memory_pieces, int64_t* bytes) {
  return guarded_on(
      file, [&] { return move_alone(*file, Direction::write, {pieces, memory, memory_pieces}, bytes); });
}

int read_alone(collio_file* file, const collio_pieces* pieces, void* memory,
               const collio_pieces* memory_pieces, int64_t* bytes) {
  return guarded_on(
      file, [&] { return move_alone(*file, Direction::read, {pieces, memory, memory_pieces}, bytes); });
}

}  // namespace collio::capi
