// See open_agreement.hpp.
#include "mpiio/open/open_agreement.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>

#include "transport/waiting/waiting.hpp"

namespace collio::mpiio {

namespace {

/// Says once that ranks do not come: a rank without collio never does.
class OpenLookout final : public transport::Lookout {
 public:
  OpenLookout(MPI_Comm comm, const char* path, double patience_s)
      : path_(path), patience_s_(patience_s), before_(transport::set_lookout(this)) {
    MPI_Comm_rank(comm, &rank_);
  }
  OpenLookout(const OpenLookout&) = delete;
  ~OpenLookout() { transport::set_lookout(before_); }

  void look(double now_s, double since_s) noexcept override {
    if (said_ || patience_s_ <= 0 || now_s - since_s < patience_s_) return;
    said_ = true;
    std::fprintf(stderr,
                 "collio: %s: MPI_File_open has waited for %.1f s for other ranks to say that collio is "
                 "there. It must be preloaded on all ranks that open "
                 "the file, or on none: see LD_PRELOAD of each program of the job [rank %d]\n",
                 path_, now_s - since_s, rank_);
  }
  void moved() noexcept override {}

 private:
  const char* path_;
  double patience_s_;
  transport::Lookout* before_;
  int rank_ = 0;
  bool said_ = false;
};

}  // namespace

static_assert(collio_open_words == collio_open_word + engine::OpenWord::words);
static_assert(collio_open_invitation == engine::Reception::invitation_words);

OpenAgreement::OpenAgreement(const At& at, const OpenWords& mine, const engine::Proposal* proposal) {
  std::array<int, collio_open_words> least{};
  least[collio_open_engine] = 1;
  least[collio_open_memory] = mine.has_memory ? 1 : 0;
  least[collio_open_path] = mine.path.ok() ? 1 : 0;
  least[collio_open_by_library] = mine.opened ? 1 : 0;
  least[collio_open_mode] = mine.mode;
  least[collio_open_minus_mode] = -mine.mode;
  least[collio_open_unchecked] = mine.check ? 0 : 1;
  least[collio_open_plain] = mine.in_subfiles ? 0 : 1;
  least[collio_open_first_without] = std::numeric_limits<int>::max();
  const engine::OpenWord::Words words = proposal ? proposal->words() : engine::OpenWord::none();
  std::ranges::copy(words, least.begin() + collio_open_word);
  {
    const OpenLookout lookout(at.comm, at.path, mine.patience_s);
    at.reception.meet(least, {collio_open_in_memory, collio_open_noted, collio_open_engine});
  }
  std::copy(least.begin() + collio_open_word, least.end(), engines.begin());
  opened = least[collio_open_by_library] != 0;
  same_mode = least[collio_open_mode] == -least[collio_open_minus_mode];
  check = least[collio_open_unchecked] == 0;
  in_subfiles = least[collio_open_plain] == 0;
  if (!least[collio_open_engine])
    why_not = "the engine is not loaded on all ranks";
  else if (!least[collio_open_memory])
    why_not = "a rank has no memory";
  else if (!least[collio_open_path])
    why_not = mine.path.ok() ? std::string_view("a rank does not know the file that the library opened")
                             : mine.path.message;
}

}  // namespace collio::mpiio
