// An agreement among ranks of one process, by a board alone: threads, or fibers in an order that a test
// chooses. What ranks agree on, and the board, are the engine's own; no MPI.
#pragma once

#include <algorithm>
#include <cstring>

#include "ranks_in_process.hpp"
#include "transport/node_memory/agreement.hpp"

namespace collio::transport {

class BoardAgreement final : public Agreement {
 public:
  /// Of the boards that the ranks share; also the most bytes of their vectors.
  static constexpr std::size_t record_bytes = 2048;
  explicit BoardAgreement(NodeBoard& board) noexcept : Agreement(board.rank()), board_(board) {}
  [[nodiscard]] NodeBoard* board() const noexcept override { return &board_; }

 private:
  using Channel = NodeBoard::Channel;

  static void meetings(const std::byte* in, std::byte* inout, std::size_t) {
    reinterpret_cast<Meeting*>(inout)->combine(*reinterpret_cast<const Meeting*>(in));
  }
  template <class T, class How>
  static void each(const std::byte* in, std::byte* inout, std::size_t bytes, How how) {
    for (std::size_t i = 0; i < bytes / sizeof(T); ++i) {
      T& to = reinterpret_cast<T*>(inout)[i];
      to = how(to, reinterpret_cast<const T*>(in)[i]);
    }
  }
  template <class T>
  static void sums(const std::byte* in, std::byte* inout, std::size_t bytes) {
    each<T>(in, inout, bytes, [](T a, T b) { return static_cast<T>(a + b); });
  }
  template <class T>
  static void most(const std::byte* in, std::byte* inout, std::size_t bytes) {
    each<T>(in, inout, bytes, [](T a, T b) { return std::max(a, b); });
  }

  void join(Meeting& mine) const override {
    static_assert(sizeof(Meeting) <= record_bytes);
    board_.reduce(Channel::calls, std::as_writable_bytes(std::span(&mine, 1)), meetings);
  }
  void join(std::span<std::int32_t> numbers, Numbers of) const override {
    board_.reduce(Channel::numbers, std::as_writable_bytes(numbers),
                  of == Numbers::sums ? sums<std::int32_t> : most<std::int32_t>);
  }
  void join_after(std::span<std::int64_t> maxima) const override {
    board_.reduce(Channel::opening, std::as_writable_bytes(maxima), most<std::int64_t>);
  }
  void hear_after(std::span<char> bytes, int rank) const override {
    if (board_.rank() != rank) std::ranges::fill(bytes, '\0');
    board_.reduce(Channel::opening, std::as_writable_bytes(bytes), sums<char>);
  }

  NodeBoard& board_;
};

}  // namespace collio::transport
