// Storage that does at once what it is asked to start. See storage.hpp.
#include "storage/storage.hpp"

#include <utility>

namespace collio::storage {

Ticket Storage::start_write(const core::Extent& extent, const std::byte* from) {
  const Ticket ticket = at_once_.take();
  at_once_[ticket] = write(extent, from);
  return ticket;
}

Ticket Storage::start_read(const core::Extent& extent, std::byte* to) {
  const Ticket ticket = at_once_.take();
  at_once_[ticket] = read(extent, to);
  return ticket;
}

bool Storage::done(Ticket) { return true; }

Transfer Storage::finish(Ticket ticket) {
  Transfer transfer = std::move(at_once_[ticket]);
  at_once_.give_back(ticket);
  return transfer;
}

bool Storage::store(const PieceWrite&) { return false; }

std::optional<Transfer> Storage::write_whole(const WholeWrite&) { return std::nullopt; }

std::optional<Transfer> Storage::sieve(const core::Extent&, std::byte*, const Placing&) {
  return std::nullopt;
}

bool Storage::write_once(const core::Extent&, const std::byte*) noexcept { return false; }

bool Storage::read_once(const core::Extent&, std::byte*) noexcept { return false; }

Transfer Storage::write_beside(const core::Extent& extent, const std::byte* from) {
  return write(extent, from);
}

core::Error Storage::close() { return {}; }

core::Error Storage::allocate(std::int64_t) {
  return {core::ErrorClass::other, "this storage has no room to allocate"};
}

core::Error Storage::register_buffers(std::span<const std::span<std::byte>>) { return {}; }

}  // namespace collio::storage
