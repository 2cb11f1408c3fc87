// See grants.hpp.
#include "transport/one_sided/grants.hpp"

namespace collio::transport {

using observe::Step;
using observe::Steps;

void Grants::give(const MessageHeader& asked, const Grant& grant) {
  Steps::Scope time(*link_.steps, Step::exchange);
  if (!link_.remote->by_fences()) link_.remote->sync();
  ++under_way_[asked.round];
  sends_.post(Grant(grant), [&](const Grant& sent, MPI_Request* started) {
    return MPI_Isend(&sent, sizeof sent, MPI_BYTE, asked.source,
                     answer_tag_of(link_, asked.domain, asked.round), link_.comm, started);
  });
  link_.note_sent(asked.source_node, sizeof grant);
  ++link_.counters->messages;
  link_.counters->metadata_bytes += sizeof grant;
}

int Grants::under_way(std::int64_t round) const noexcept {
  const auto found = under_way_.find(round);
  return found == under_way_.end() ? 0 : found->second;
}

bool Grants::take_note() {
  int found = 0;
  MPI_Message message;
  MPI_Improbe(MPI_ANY_SOURCE, tag_done, link_.comm, &found, &message, MPI_STATUS_IGNORE);
  if (!found) return false;
  DoneNote note;
  MPI_Mrecv(&note, sizeof note, MPI_BYTE, &message, MPI_STATUS_IGNORE);
  const auto round = under_way_.find(note.round);
  if (--round->second > 0) return true;
  under_way_.erase(round);
  link_.remote->sync();
  return true;
}

bool Grants::advance() {
  if (idle()) return false;
  Steps::Scope time(*link_.steps, Step::exchange);
  bool anything = sends_.retire([](const Grant&, const MPI_Status&) {});
  while (!link_.remote->by_fences() && !under_way_.empty() && take_note()) anything = true;
  return anything;
}

}  // namespace collio::transport
