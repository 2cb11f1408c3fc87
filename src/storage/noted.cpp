// See noted.hpp.
#include "storage/noted.hpp"

#include <utility>
#include <vector>

namespace collio::storage {

namespace {

class NotedStorage final : public Storage {
 public:
  NotedStorage(std::unique_ptr<Storage> inner, std::shared_ptr<observe::Pictures> in)
      : inner_(std::move(inner)), in_(std::move(in)) {}

  Transfer write(const core::Extent& extent, const std::byte* from) override {
    return timed(extent.offset, [&] { return inner_->write(extent, from); });
  }
  Transfer read(const core::Extent& extent, std::byte* to) override {
    return timed(extent.offset, [&] { return inner_->read(extent, to); });
  }
  Transfer write_beside(const core::Extent& extent, const std::byte* from) override {
    return timed(extent.offset, [&] { return inner_->write_beside(extent, from); });
  }
  bool write_once(const core::Extent& extent, const std::byte* from) noexcept override {
    return untimed(extent, inner_->write_once(extent, from));
  }
  bool read_once(const core::Extent& extent, std::byte* to) noexcept override {
    return untimed(extent, inner_->read_once(extent, to));
  }
  bool store(const PieceWrite& what) override {
    const double begin_s = observe::now_s();
    const bool stored = inner_->store(what);
    if (stored) note_pieces(what.pieces, {begin_s, observe::now_s()});
    return stored;
  }
  std::optional<Transfer> write_whole(const WholeWrite& what) override {
    return timed_if(what.span.offset, [&] { return inner_->write_whole(what); });
  }
  std::optional<Transfer> sieve(const core::Extent& span, std::byte* room, const Placing& place) override {
    return timed_if(span.offset, [&] { return inner_->sieve(span, room, place); });
  }

  Ticket start_write(const core::Extent& extent, const std::byte* from) override {
    return started(extent.offset, [&] { return inner_->start_write(extent, from); });
  }
  Ticket start_read(const core::Extent& extent, std::byte* to) override {
    return started(extent.offset, [&] { return inner_->start_read(extent, to); });
  }
  bool done(Ticket ticket) override {
    if (!inner_->done(ticket)) return false;
    for (UnderWay& one : under_way_)
      if (one.ticket == ticket && one.end_s == 0) one.end_s = observe::now_s();
    return true;
  }
  Transfer finish(Ticket ticket) override {
    Transfer t = inner_->finish(ticket);
    std::erase_if(under_way_, [&](const UnderWay& one) {
      if (one.ticket != ticket) return false;
      const double end_s = one.end_s == 0 ? observe::now_s() : one.end_s;
      in_->transfer({one.offset, t.bytes, {one.begin_s, end_s}});
      return true;
    });
    return t;
  }

  core::Error sync() override { return inner_->sync(); }
  core::Error allocate(std::int64_t bytes) override { return inner_->allocate(bytes); }
  core::Error close() override { return inner_->close(); }
  [[nodiscard]] bool locks() const noexcept override { return inner_->locks(); }
  [[nodiscard]] bool overlaps() const noexcept override { return inner_->overlaps(); }
  core::Error register_buffers(std::span<const std::span<std::byte>> buffers) override {
    return inner_->register_buffers(buffers);
  }
  [[nodiscard]] std::string remarks() const override { return inner_->remarks(); }

 private:
  struct UnderWay {
    Ticket ticket = 0;
    std::int64_t offset = 0;
    double begin_s = 0;
    /// 0: not known to be over
    double end_s = 0;
  };

  void note(std::int64_t offset, std::int64_t bytes, double begin_s) const noexcept {
    in_->transfer({offset, bytes, {begin_s, observe::now_s()}});
  }
  void note_pieces(const core::PackedExtents& pieces, const observe::Lane::Span& time) const noexcept {
    if (pieces.bytes() == 0) return;
    in_->pieces(pieces.bytes(), time, [&](const auto& note_piece) {
      core::PackedReader reader = pieces.reader(pieces.before_stream(0));
      for (std::int64_t item = 0; item < pieces.items(); ++item) {
        const core::Run run = reader.next();
        for (std::int64_t i = 0; i < run.count; ++i) note_piece(run.offset + i * run.stride, run.length);
      }
    });
  }
  template <class Move>
  Transfer timed(std::int64_t offset, const Move& move) {
    const double begin_s = observe::now_s();
    Transfer t = move();
    note(offset, t.bytes, begin_s);
    return t;
  }
  template <class Move>
  std::optional<Transfer> timed_if(std::int64_t offset, const Move& move) {
    const double begin_s = observe::now_s();
    std::optional<Transfer> t = move();
    if (t) note(offset, t->bytes, begin_s);
    return t;
  }
  bool untimed(const core::Extent& extent, bool moved) const noexcept {
    if (moved) in_->transfer({extent.offset, extent.length, {}});
    return moved;
  }
  template <class Start>
  Ticket started(std::int64_t offset, const Start& start) {
    if (under_way_.size() == under_way_.capacity()) under_way_.reserve(2 * under_way_.size() + 8);
    const double begin_s = observe::now_s();
    const Ticket ticket = start();
    const double end_s = inner_->overlaps() ? 0 : observe::now_s();  // else it is over when it began
    under_way_.push_back({ticket, offset, begin_s, end_s});
    return ticket;
  }

  std::unique_ptr<Storage> inner_;
  std::shared_ptr<observe::Pictures> in_;
  std::vector<UnderWay> under_way_;
};

}  // namespace

std::unique_ptr<Storage> noted(std::unique_ptr<Storage> inner, std::shared_ptr<observe::Pictures> in) {
  return std::make_unique<NotedStorage>(std::move(inner), std::move(in));
}

}  // namespace collio::storage
