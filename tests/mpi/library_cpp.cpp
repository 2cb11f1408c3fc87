// collio.hpp: owners, exceptions and typed variables. What the engine does with them is declared.cpp's
// matter.
#include <collio/collio.hpp>

#include <filesystem>
#include <fstream>

#include "check.hpp"

namespace {

using collio::test::Program;
using Doubles = std::vector<double>;

constexpr int all_modes = collio::read | collio::write | collio::create;

template <class V, class D, class = void>
constexpr bool can_put = false;
template <class V, class D>
constexpr bool can_put<V, D, std::void_t<decltype(std::declval<V&>().put(0, std::declval<D>()))>> = true;

static_assert(can_put<collio::Variable<double>, Doubles&>);
static_assert(can_put<collio::Variable<double>, const Doubles&>);
static_assert(!can_put<collio::Variable<double>, Doubles>, "a temporary is gone before the commit");
static_assert(!can_put<collio::Variable<float>, Doubles&>, "elements of another type");
static_assert(!std::is_copy_constructible_v<collio::File> && std::is_nothrow_move_assignable_v<collio::File>);
static_assert(!std::is_copy_constructible_v<collio::Request>);

std::vector<double> numbers_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<double> numbers;
  for (double number = 0; file.read(reinterpret_cast<char*>(&number), sizeof number);)
    numbers.push_back(number);
  return numbers;
}

/// The code that `work` throws; COLLIO_OK: none.
template <class Work>
int thrown(Work&& work) try {
  work();
  return COLLIO_OK;
} catch (const collio::error& error) {
  return *error.what() ? error.code() : -1;
}

/// `per_rank` elements of each rank in turn.
collio::Decomposition block(const Program& check, std::int64_t per_rank) {
  return collio::Decomposition::box({per_rank * check.size}, {per_rank * check.rank}, {per_rank});
}

void round_trip(Program& check) {
  const std::string path = check.temporary("round_trip");
  std::vector<std::int64_t> places;
  for (std::int64_t i = 0; i < 6; ++i) places.push_back(i * check.size + check.rank);
  collio::File file(MPI_COMM_WORLD, path, all_modes);
  auto dealt = collio::Decomposition::map({6 * check.size}, places);
  auto variable = file.define<double>(dealt, 0, std::int64_t{8} * 6 * check.size);
  Doubles data(places.begin(), places.end());
  const Doubles constant = data;
  variable.put(0, data);
  variable.put(1, constant.data(), constant.size());
  file.commit();

  // Structs in memory; two members of them are the elements.
  struct Pair {
    double first, second;
  };
  std::vector<Pair> pairs(6, Pair{-1, -1});
  variable.get(0, &pairs[0].second, collio::Layout::every(sizeof(Pair), pairs.size()));
  Doubles back(6);
  variable.get(1, back);
  file.fetch();
  check.that(back == data, "what was put");
  for (std::size_t i = 0; i < pairs.size(); ++i)
    check.that(pairs[i].first == -1 && pairs[i].second == data[i], "a member of a struct");

  std::array<double, 6> fixed{};
  auto bytes = file.define_bytes(dealt, 8);
  bytes.get(0, fixed.data());
  file.fetch();
  check.that(std::equal(fixed.begin(), fixed.end(), data.begin()), "by bytes");
  check.equal(file.size(), std::int64_t{2} * 8 * 6 * check.size, "size");
  file.close();
}

void requests(Program& check) {
  const std::string path = check.temporary("requests");
  Doubles first(4, check.rank), second(4, 100 + check.rank);
  {
    collio::File file(MPI_COMM_WORLD, path, all_modes);
    auto variable = file.define<double>(block(check, 4), 0, std::int64_t{32} * check.size);
    variable.put(0, first);
    collio::Request one = file.begin_commit();
    variable.put(1, second);
    collio::Request two = file.begin_commit();
    while (!one.test()) {}
    check.equal(one.wait(), 32, "bytes of the first commit");
    check.that(!one && two, "a request that was waited for is empty");
    one = std::move(two);
  }  // waits for the other one, and closes the file
  MPI_Barrier(MPI_COMM_WORLD);
  const Doubles there = numbers_of(path);
  check.equal(static_cast<long long>(there.size()), 8LL * check.size, "numbers in the file");
  for (std::size_t i = 0; i < there.size(); ++i) {
    const auto rank = i / 4 % static_cast<std::size_t>(check.size);
    check.that(there[i] == (i < there.size() / 2 ? 0.0 : 100.0) + static_cast<double>(rank), "a number");
  }
}

void errors(Program& check) {
  check.equal(thrown([&] { collio::File(MPI_COMM_WORLD, check.path("absent"), collio::read); }),
              COLLIO_ERR_NO_SUCH_FILE, "opening a file that is not there");
  const std::string path = check.temporary("errors");
  collio::File file(MPI_COMM_WORLD, path, all_modes);
  auto variable = file.define<double>(block(check, 4));
  const Doubles four(4, 1.5), three(3);
  const int put = thrown([&] { variable.put(0, check.rank == 0 ? three : four); });
  check.equal(put, check.rank == 0 ? COLLIO_ERR_ARGUMENT : COLLIO_OK, "too few elements on one rank");
  check.equal(thrown([&] { file.commit(); }), COLLIO_ERR_ARGUMENT, "the commit on all ranks");
  variable.put(0, four);
  file.commit();  // no error stays behind
  check.equal(thrown([&] { collio::Decomposition::box({4}, {3}, {2}); }), COLLIO_ERR_ARGUMENT, "a box");
  file.close();
  MPI_Barrier(MPI_COMM_WORLD);
  check.that(numbers_of(path) == Doubles(static_cast<std::size_t>(4 * check.size), 1.5), "the second commit");
}

/// One rank leaves by an exception: it waits for no other, and what it had put is not written.
void exceptions(Program& check) {
  const std::string path = check.temporary("exceptions");
  try {
    collio::File file(MPI_COMM_WORLD, path, all_modes);
    auto variable = file.define<double>(block(check, 2));
    Doubles data(2, 7);
    variable.put(0, data);
    throw std::runtime_error("the program's own");
  } catch (const std::runtime_error&) {}
  MPI_Barrier(MPI_COMM_WORLD);
  check.that(numbers_of(path).empty(), "nothing is written");
}

void pieces(Program& check) {
  const std::string path = check.temporary("pieces");
  const Doubles data{1, 2, 3};
  const std::int64_t own = std::int64_t{24} * check.rank;
  collio::File file(MPI_COMM_WORLD, path, all_modes);
  file.write({{own + 16, own}, {8, 16}}, data.data());
  Doubles back(4, -1);
  file.read({{own, own + 8}, {8, 16}}, back.data(), {{8, 0, 16}, {8, 8, 8}});
  check.that(back == Doubles{3, 2, 1, -1}, "pieces of file and memory");
  file.close();
}

/// A file in subfiles that is emptied, and becomes an ordinary one.
void emptied_subfiles(Program& check) {
  const std::string path = check.temporary("emptied");
  const Doubles data{1, 2, 3};
  const std::int64_t own = std::int64_t{24} * check.rank;
  for (const bool in_subfiles : {true, false}) {
    collio::File file(MPI_COMM_WORLD, path, all_modes | collio::truncate,
                      in_subfiles ? "collio_subfiles=3" : "");
    check.equal(file.size(), 0, "bytes of an emptied file");
    file.write({{own}, {24}}, data.data());
    file.sync();
    file.close();
    check.that(std::filesystem::exists(path + ".collio") == in_subfiles, "subfiles");
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

void saved(Program& check) {
  using Numbers = std::vector<std::int64_t>;
  const std::string path = check.temporary("saved");
  const std::int64_t first = std::int64_t{4} * check.rank;
  const Numbers shape{std::int64_t{4} * check.size}, map{first + 3, -1, first, first};
  collio::Decomposition::map(shape, map).save(MPI_COMM_WORLD, path);
  auto back = collio::Decomposition::load(MPI_COMM_WORLD, path, COLLIO_DEAL_NONE, shape);
  check.that(back.shape() == shape && back.elements() == 4 && back.indices() == map, "a saved map");
  check.equal(
      thrown([&] { collio::Decomposition::load(MPI_COMM_WORLD, path, COLLIO_DEAL_NONE, {4, check.size}); }),
      COLLIO_ERR_ARGUMENT, "another shape");
  const auto whole = collio::Decomposition::load(MPI_COMM_SELF, path, COLLIO_DEAL_SHARES);
  check.equal(whole.elements(), 4LL * check.size, "elements of one rank that has all");
  if (check.size > 1)
    check.equal(thrown([&] { collio::Decomposition::load(MPI_COMM_SELF, path); }), COLLIO_ERR_ARGUMENT,
                "one rank without a rule");
  MPI_Barrier(MPI_COMM_WORLD);
}

/// Two arrays in turn in one piece of memory: the first is written before the second is put.
void epochs(Program& check) {
  const std::string path = check.temporary("epochs");
  const std::int64_t step = std::int64_t{64} * check.size;
  collio::File file(MPI_COMM_WORLD, path, all_modes);
  auto one = file.define<double>(block(check, 4), 0, step);
  auto two = file.define<double>(block(check, 4), step / 2, step);
  file.declare({one.at(), two.at()}, 1);
  check.that(file.group_end(0) == 1 && file.group_end(1) == 2, "groups");
  const Doubles four(4);
  for (int s = 0; s < 3; ++s) {
    Doubles data(4, s);
    one.put(s, data);
    file.wait_puts(1);
    data.assign(4, 100 + s);
    two.put(s, data);
    file.commit();
  }
  check.equal(thrown([&] { two.put(3, four); }), COLLIO_ERR_ARGUMENT, "a put that is not the declared one");
  check.equal(thrown([&] { file.declare({}); }), COLLIO_ERR_ARGUMENT, "the end of an epoch with an error");
  file.declare({});
  file.close();
  MPI_Barrier(MPI_COMM_WORLD);
  Doubles expected;
  for (int s = 0; s < 3; ++s) {
    expected.insert(expected.end(), static_cast<std::size_t>(4 * check.size), s);
    expected.insert(expected.end(), static_cast<std::size_t>(4 * check.size), 100 + s);
  }
  check.that(numbers_of(path) == expected, "the arrays in turn");
}

}  // namespace

int main(int argc, char** argv) {
  Program check(argc, argv);
  round_trip(check);
  requests(check);
  errors(check);
  exceptions(check);
  pieces(check);
  emptied_subfiles(check);
  saved(check);
  epochs(check);
  return check.finish();
}
