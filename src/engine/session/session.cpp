// See session.hpp.
#include "engine/session/session.hpp"

#include "access/mpi_life.hpp"
#include "engine/background/library_progress.hpp"
#include "engine/background/own_calls.hpp"
#include "engine/report/say.hpp"
#include "observe/trace.hpp"
#include "transport/node_memory/words.hpp"
#include "transport/waiting/mpi_library.hpp"

namespace collio::engine {

void Session::announce(MPI_Comm comm, const std::string& origins) {
  say_opened(*engine, comm, origins);
  warnings_said_ = engine->records.warnings.size();
  observe::start_trace(access::rank_in_world(engine->rank));
  report_.opened(*engine);
}

WorkQueue& Session::queue() {
  if (!queue_) {
    queue_ = std::make_unique<WorkQueue>(transport::any_thread_may_call(), [] { own_calls(1); });
    if (!queue_->by_thread()) step_in_library_calls();
  }
  return *queue_;
}

void Session::drain() {
  if (queue_) queue_->drain();
}

void Session::note_call() { report_.call_over(*engine); }

void Session::note_independent() {
  ++engine->records.times.independent_calls;
  if (!queue_) note_call();  // else the thread of collective calls does so
}

void Session::note_by_library() {
  ++engine->records.times.library_calls;
  note_call();
}

core::Error Session::flush(const Ranks& ranks, const core::Error& mine) {
  core::Error own = engine->stored.sync();
  if (own.ok()) own = mine;
  core::Error error = ranks.agreement.worst(own, "cannot flush " + engine->path);
  return error.ok() && engine->stored.subfiles ? note_flushed(ranks) : error;
}

core::Error Session::check_size(const Ranks& ranks, std::int64_t bytes, const core::Error& mode) const {
  transport::Same<std::int64_t> asked{bytes};
  if (core::Error error = agree(ranks.agreement, {}, "", asked); !error.ok()) return error;
  if (!asked.agreed())
    return {core::ErrorClass::not_same, engine->path + ": ranks ask for sizes from " +
                                            std::to_string(asked.least) + " to " +
                                            std::to_string(asked.value) + " bytes"};
  if (bytes < 0)
    return {core::ErrorClass::argument,
            engine->path + ": the size is " + std::to_string(bytes) + "; allowed: 0 and more"};
  return mode;
}

core::Error Session::close_in_visit(const Visit& visit, const Closing& closing) {
  File& file = *engine;
  file.gather(visit);
  core::Error error;
  if (closing.agree) error = File::worst_in_close(visit, closing.mine, closing.what);
  ReportWishes wishes = report_.wishes(file);
  core::keep_worst(error, file.close_storage(visit, wishes));
  if (file.rank == 0 && closing.alone) closing.alone();
  if (file.stored.subfiles && (error.ok() || closing.subfiles == AtClose::remove))
    error = close_subfiles(visit, closing.subfiles);
  core::keep_worst(error, file.late());
  say_rest(visit.comm, file.records.warnings, warnings_said_);
  report_.closed(visit, wishes);
  return error;
}

core::Error Session::close(const Closing& closing) {
  drain();
  queue_.reset();
  core::Error error;
  {
    const Visit visit(*engine, "close");
    error = close_in_visit(visit, closing);
  }
  engine->part();
  engine.reset();  // requests that are waited for later keep nothing of it
  return error;
}

}  // namespace collio::engine
