// See rehearsal.hpp.
#include "rehearsal.hpp"

#include <fstream>
#include <vector>

#include "in_subfiles.hpp"

namespace collio::differential {

namespace {

std::string random_who(Random& random, int ranks) {
  if (random.chance(40)) return "all";
  if (random.chance(15)) return "aggregators";
  if (random.chance(15)) return "aggregator=" + std::to_string(random.small(0, ranks - 1));
  return std::to_string(random.small(0, ranks - 1)) +
         (random.chance(30) ? "," + std::to_string(random.small(0, ranks - 1)) : "");
}

std::string random_which(Random& random) {
  if (random.chance(40)) return "";
  const int first = random.small(1, 4);
  return std::to_string(first) + (random.chance(50)   ? "+"
                                  : random.chance(50) ? "-" + std::to_string(first + random.small(0, 3))
                                                      : "");
}

/// A read that moves nothing is the end of the file, and no error.
std::string random_effect(Random& random, bool write) {
  std::vector<std::string> effects;
  if (random.chance(20)) effects.push_back("delay=0.00" + std::to_string(random.small(1, 4)));
  if (random.chance(5)) effects.push_back("stuck=0.0" + std::to_string(random.small(2, 6)));
  if (random.chance(25)) effects.push_back("EINTR=" + std::to_string(random.small(1, 5)));
  if (random.chance(35))
    effects.push_back("short=" + std::to_string(random.small(0, random.chance(50) ? 10 : 3000)));
  const std::vector<std::string> errors{"ENOSPC",
                                        "EDQUOT",
                                        "EIO",
                                        "EFBIG",
                                        "EROFS",
                                        "EACCES",
                                        "ESTALE",
                                        "ENOMEM",
                                        "EBADF",
                                        "EINVAL",
                                        write ? "ZERO" : "EIO"};
  if (effects.empty() || random.chance(60)) effects.push_back(random.pick(errors));
  std::string text;
  for (const std::string& one : effects) text += (text.empty() ? "" : ",") + one;
  return text;
}

}  // namespace

std::string random_faults(Random& random, int ranks) {
  std::string rules;
  for (int i = random.small(1, 3); i > 0; --i) {
    const bool write = random.chance(55);
    rules += (rules.empty() ? "" : "/") + random_who(random, ranks);
    rules += (write ? ":write" : ":read") + random_which(random) + ":" + random_effect(random, write);
  }
  return rules;
}

void set_faults(MPI_Comm comm, const std::string& path, const std::string& rules) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Barrier(comm);
  if (rank == 0) std::ofstream(path) << rules << '\n';
  MPI_Barrier(comm);
}

std::string disagreement_of(MPI_Comm comm, int error_class) {
  int extremes[2] = {error_class, -error_class};
  MPI_Allreduce(MPI_IN_PLACE, extremes, 2, MPI_INT, MPI_MAX, comm);
  if (extremes[0] == -extremes[1]) return {};
  return "error class " + std::to_string(error_class) + " here, elsewhere from " +
         std::to_string(-extremes[1]) + " to " + std::to_string(extremes[0]);
}

std::string untruth_of(const TriedWrite& write) {
  const std::string found = content_of(write.path);
  const auto& before = write.before.bytes();
  const auto& after = write.after.bytes();
  if (found.size() < before.size() || found.size() > after.size())
    return "the file has " + std::to_string(found.size()) + " bytes, before " +
           std::to_string(before.size()) + ", at most " + std::to_string(after.size());
  std::string untruth;
  const std::int64_t first = write.access.offset * write.phase.layout.etype->shape.size;
  for_each_file_piece(write.phase.layout.views[static_cast<std::size_t>(write.rank)], first, write.counted,
                      [&](std::int64_t offset, std::int64_t index, std::int64_t length) {
                        for (std::int64_t i = 0; i < length && untruth.empty(); ++i) {
                          const auto at = static_cast<std::size_t>(offset + i);
                          if (at >= found.size() || static_cast<unsigned char>(found[at]) != after[at])
                            untruth = "byte " + std::to_string(index + i) + " of " +
                                      std::to_string(write.counted) +
                                      " counted ones is not in the file, at offset " + std::to_string(at);
                        }
                      });
  for (std::size_t at = 0; at < found.size() && untruth.empty(); ++at) {
    const auto byte = static_cast<unsigned char>(found[at]);
    const bool was_there = at < before.size() ? byte == before[at] : byte == 0;
    const bool written = byte == after[at] && write.after.origin(at) == FileModel::Origin::written;
    if (!was_there && !written)
      untruth = "the byte at offset " + std::to_string(at) + " is neither old nor new";
  }
  return untruth;
}

}  // namespace collio::differential
