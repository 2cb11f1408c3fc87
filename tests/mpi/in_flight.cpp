// Messages under way: each comes back once and soon, with what it is for; nothing is allocated for a message
// after the first ones, and none is left when the collection ends.
#include "transport/messages/in_flight.hpp"

#include <algorithm>
#include <array>
#include <ctime>
#include <new>

#include "check.hpp"

namespace {

std::int64_t allocations = 0, looked_at = 0;

}  // namespace

// Not inlined: compilers would take a pair of which they see one for mismatched.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  ++allocations;
  if (void* memory = std::malloc(bytes)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

/// Every request that a look is at.
extern "C" int MPI_Testsome(int count, MPI_Request* requests, int* over, int* indices, MPI_Status* statuses) {
  looked_at += count;
  return PMPI_Testsome(count, requests, over, indices, statuses);
}

namespace {

using collio::test::Program;
using collio::transport::InFlight;
using collio::transport::received_bytes;

/// A message's bytes lie in its item.
struct Letter {
  int peer = 0;
  std::array<int, 8> words{};
};
constexpr int tag = 5;

void send(InFlight<Letter>& letters, int from, int to, int count) {
  Letter letter{to, {}};
  letter.words.fill(100 * from + count);
  letters.post(std::move(letter), [&](const Letter& l, MPI_Request* started) {
    return MPI_Issend(l.words.data(), count, MPI_INT, to, tag, MPI_COMM_WORLD, started);
  });
}

void expect(InFlight<Letter>& letters, int from) {
  letters.post({from, {}}, [&](Letter& l, MPI_Request* started) {
    return MPI_Irecv(l.words.data(), static_cast<int>(l.words.size()), MPI_INT, from, tag, MPI_COMM_WORLD,
                     started);
  });
}

/// Every rank sends each other rank as many words as the receiver's number says.
void exchange(Program& program, InFlight<Letter>& sends, InFlight<Letter>& receives) {
  int got = 0, sent = 0;
  for (int peer = 0; peer < program.size; ++peer) {
    if (peer == program.rank) continue;
    expect(receives, peer);
    send(sends, program.rank, peer, 1 + peer % 8);
  }
  while (!sends.empty() || !receives.empty()) {
    receives.retire([&](const Letter& l, const MPI_Status& status) {
      const int count = 1 + program.rank % 8;
      ++got;
      program.equal(status.MPI_SOURCE, l.peer, "the rank whose message the item is for");
      program.equal(received_bytes(status), count * static_cast<int>(sizeof(int)), "bytes of a message");
      program.equal(l.words[static_cast<std::size_t>(count) - 1], 100 * l.peer + count,
                    "a message's last word");
    });
    sends.retire([&](const Letter&, const MPI_Status&) { ++sent; });
  }
  program.equal(got, program.size - 1, "messages received");
  program.equal(sent, program.size - 1, "messages sent");
}

void allocates_nothing_later(Program& program) {
  InFlight<Letter> sends, receives;
  exchange(program, sends, receives);
  MPI_Barrier(MPI_COMM_WORLD);
  const std::int64_t before = allocations;
  for (int i = 0; i < 10; ++i) exchange(program, sends, receives);
  program.equal(allocations - before, 0, "allocations for messages after the first ones");
  MPI_Barrier(MPI_COMM_WORLD);
}

/// Thousands of messages under way: a look costs as at few, whichever are over, and none is forgotten.
void thousands(Program& program, bool last_first) {
  constexpr int count = 600;
  std::vector<int> words(count, -1);
  InFlight<int> receives;
  for (int i = 0; i < count; ++i)
    receives.post(int{i}, [&](int, MPI_Request* started) {
      return MPI_Irecv(&words[static_cast<std::size_t>(i)], 1, MPI_INT, program.rank, tag + i, MPI_COMM_WORLD,
                       started);
    });
  std::vector<int> over;
  const auto note = [&](int which, const MPI_Status&) { over.push_back(which); };
  looked_at = 0;
  double begin_s = MPI_Wtime();
  const auto in_that_time = [&begin_s] {
    const double looks = (MPI_Wtime() - begin_s) / InFlight<int>::seconds_a_look;
    return static_cast<std::int64_t>(looks * InFlight<int>::most_looked_at);
  };
  for (int i = 0; i < 100; ++i) program.that(!receives.retire(note), "no message is over");
  program.that(looked_at <= 100 * InFlight<int>::most_looked_at + in_that_time(),
               "looks at messages of which none is over");
  looked_at = 0;
  begin_s = MPI_Wtime();
  for (int i = 0; i < count; ++i) {
    const int which = last_first ? count - 1 - i : i;
    MPI_Send(&which, 1, MPI_INT, program.rank, tag + which, MPI_COMM_WORLD);
    if (!last_first || i % 100 == 99) receives.retire(note);
  }
  while (!receives.empty()) receives.retire(note);
  std::ranges::sort(over);
  for (int i = 0; i < count; ++i) {
    program.equal(over[static_cast<std::size_t>(i)], i, "each message is over once");
    program.equal(words[static_cast<std::size_t>(i)], i, "a message's word");
  }
  program.that(looked_at <= 100 * count + in_that_time(),
               "looks at messages in all: each at all would be 180,000");
}

/// A rank that has slept sees in one look which message of thousands is over, wherever it is among them.
void soon(Program& program) {
  constexpr int count = 2000;
  std::vector<int> words(count, -1);
  InFlight<int> receives;
  for (int i = 0; i < count; ++i)
    receives.post(int{i}, [&](int, MPI_Request* started) {
      return MPI_Irecv(&words[static_cast<std::size_t>(i)], 1, MPI_INT, program.rank, tag + i, MPI_COMM_WORLD,
                       started);
    });
  std::vector<int> over;
  const auto note = [&](int which, const MPI_Status&) { over.push_back(which); };
  for (const int which : {count - 1, 1000, 40}) {
    receives.retire(note);
    MPI_Send(&which, 1, MPI_INT, program.rank, tag + which, MPI_COMM_WORLD);
    const timespec nap{0, 1'000'000};
    nanosleep(&nap, nullptr);
    program.that(receives.retire(note) && over.back() == which, "one look shows the message that is over");
  }
  for (int i = 0; i < count; ++i)
    if (words[static_cast<std::size_t>(i)] < 0)
      MPI_Send(&i, 1, MPI_INT, program.rank, tag + i, MPI_COMM_WORLD);
}

/// The collection waits for its messages when it ends, and can be emptied before.
void leaves_none(Program& program) {
  const int next = (program.rank + 1) % program.size,
            before = (program.rank + program.size - 1) % program.size;
  int word = 0;
  {
    InFlight<int> receives;
    InFlight<Letter> sends;
    receives.post(0, [&](int, MPI_Request* started) {
      return MPI_Irecv(&word, 1, MPI_INT, before, tag, MPI_COMM_WORLD, started);
    });
    send(sends, program.rank, next, 1);
    sends.drain();
    program.that(sends.empty() && sends.items().empty(), "nothing is under way after a drain");
  }
  program.equal(word, 100 * before + 1, "a word that came while its collection ended");
}

}  // namespace

int main(int argc, char** argv) {
  Program program(argc, argv);
  allocates_nothing_later(program);
  for (const bool last_first : {false, true}) thousands(program, last_first);
  soon(program);
  leaves_none(program);
  return program.finish();
}
