#include "case.hpp"

#include <algorithm>
#include <sstream>

namespace collio::differential {
namespace {

/// Draws a hint value, or leaves the hint out.
void draw_hint(Random& random, Case& out, const char* key, const std::vector<std::string>& values) {
  if (random.chance(45)) out.hints[key] = random.pick(values);
}

void draw_hints(Random& random, Case& out) {
  if (random.chance(25)) return;
  draw_hint(random, out, "cb_buffer_size",
            {"37", "64", "1000", "4096", "5000", "65536", "1048576", "16777216"});
  draw_hint(random, out, "cb_nodes", {"1", "2", "3", "4", "100"});
  draw_hint(random, out, "collio_path", {"auto", "two_layer", "two_layer", "two_phase", "independent"});
  draw_hint(random, out, "collio_window", {"64", "1000", "4096", "65536"});
  draw_hint(random, out, "collio_local_aggregators", {"1", "2", "3", "100"});
  draw_hint(random, out, "collio_sends", {"standard"});
  draw_hint(random, out, "collio_nodes_per_group", {"2", "3"});
  draw_hint(random, out, "COLLIO_RANKS_PER_NODE", {"1", "2", "3", "5"});
  draw_hint(random, out, "collio_aggregators", {"round_robin", "spread", "one_per_node", "topology_aware"});
  draw_hint(random, out, "collio_domains", {"even", "aligned", "static_cyclic", "group_cyclic", "balanced"});
  draw_hint(random, out, "collio_assignment",
            {"in_order", "locality_aware", "least_hop_bytes", "least_congestion"});
  draw_hint(random, out, "striping_factor", {"1", "2", "3"});
  draw_hint(random, out, "collio_schedule",
            {"none", "communication", "write", "write_communication", "write_communication_2", "dataflow"});
  draw_hint(random, out, "collio_buffers", {"3", "5"});
  draw_hint(random, out, "collio_transfer", {"two_sided", "fence", "lock"});
  draw_hint(random, out, "collio_transfer_piece", {"1", "16", "100"});
  draw_hint(random, out, "collio_storage", {"posix", "threads", "uring"});
  draw_hint(random, out, "collio_direct", {"enable"});
  draw_hint(random, out, "collio_holes", {"auto", "piecewise", "sieve"});
  draw_hint(random, out, "romio_cb_write", {"enable", "automatic", "disable"});
  draw_hint(random, out, "romio_cb_read", {"enable", "automatic", "disable"});
  draw_hint(random, out, "romio_ds_write", {"enable", "automatic", "disable"});
  draw_hint(random, out, "romio_ds_read", {"enable", "automatic", "disable"});
  draw_hint(random, out, "striping_unit", {"100", "512", "4096", "1048576"});
}

/// Which awkward features a case may use. Cases without them are those the MPI library's own I/O can be
/// compared with.
struct Manner {
  bool plain = false;
  bool bottom = false;
};

Access draw_access(Random& random, const Layout& layout, std::size_t rank, std::int64_t at_bytes,
                   Manner manner) {
  const RankView& view = layout.views[rank];
  const Type& etype = layout.etype;
  Access access;
  const std::int64_t unit = etype->shape.size;
  access.offset = at_bytes / unit;
  access.memory = random_memory(random, packed_unit(etype), {view.end - at_bytes, manner.plain});
  access.bottom = manner.bottom && random.chance(50);
  return access;
}

Call draw_call(Random& random, const Phase& phase, std::vector<std::int64_t>& pointers, bool write,
               Manner manner) {
  Call call;
  call.write = write;
  call.explicit_offset = random.chance(45);
  call.large_count = random.chance(20);
  call.data_seed = random.next();
  constexpr Form forms[] = {Form::blocking, Form::blocking, Form::nonblocking, Form::split};
  call.form = forms[call.data_seed % 4];
  const std::int64_t unit = phase.layout.etype->shape.size;
  for (std::size_t r = 0; r < phase.layout.views.size(); ++r) {
    const RankView& view = phase.layout.views[r];
    std::int64_t at = pointers[r];
    if (call.explicit_offset)
      at = view.begin + (random.chance(50) ? 0 : random.between(0, (view.end - view.begin) / unit) * unit);
    call.access.push_back(draw_access(random, phase.layout, r, at, manner));
    if (!call.explicit_offset) pointers[r] += call.access.back().bytes();
  }
  return call;
}

/// Without set_view the view is bytes from 0, the same for all.
void use_default_view(Phase& phase, std::int64_t stream_bytes) {
  phase.set_view = false;
  phase.layout.name = "default view";
  phase.layout.etype = basic(1, 0);
  std::int64_t begin = 0;
  for (RankView& view : phase.layout.views) {
    view = {0, phase.layout.etype, begin, begin + stream_bytes};
    begin += stream_bytes;
  }
}

Phase draw_phase(Random& random, int ranks, bool write, const LayoutLimits& limits) {
  const Manner manner{limits.plain, random.chance(20)};
  Phase phase;
  phase.layout =
      write ? random_disjoint_layout(random, ranks, limits) : random_reading_layout(random, ranks, limits);
  std::vector<std::int64_t> pointers;
  const bool skip = random.chance(40);
  for (const RankView& view : phase.layout.views) {
    const std::int64_t unit = phase.layout.etype->shape.size;
    pointers.push_back(view.begin +
                       (skip ? random.between(0, (view.end - view.begin) / unit / 2) * unit : 0));
  }
  const int calls = random.small(1, 3);
  for (int i = 0; i < calls; ++i) phase.calls.push_back(draw_call(random, phase, pointers, write, manner));
  return phase;
}

void print_access(std::ostream& out, const Access& access, int rank) {
  out << "      rank " << rank << " at etype " << access.offset << ": " << access.memory.count << " x "
      << text(access.memory.type) << (access.bottom ? " from MPI_BOTTOM" : "") << "  = " << access.bytes()
      << " B\n";
}

void print_phase(std::ostream& out, const Phase& phase) {
  out << "  view '" << phase.layout.name << "'" << (phase.set_view ? "" : " (not set)") << " etype "
      << text(phase.layout.etype) << '\n';
  for (std::size_t r = 0; r < phase.layout.views.size(); ++r)
    out << "    rank " << r << " displacement " << phase.layout.views[r].displacement << " filetype "
        << text(phase.layout.views[r].filetype) << '\n';
  for (const Call& call : phase.calls) {
    out << "    MPI_File_" << (call.form == Form::nonblocking ? "i" : "") << (call.write ? "write" : "read")
        << (call.explicit_offset ? "_at_all" : "_all") << (call.form == Form::split ? "_begin" : "")
        << (call.large_count ? "_c" : "") << '\n';
    for (std::size_t r = 0; r < call.access.size(); ++r)
      print_access(out, call.access[r], static_cast<int>(r));
  }
}

}  // namespace

Case random_case(std::uint64_t seed, int ranks, std::int64_t max_bytes) {
  Random random(seed);
  Case out;
  out.seed = seed;
  const int draw = random.small(0, 99);
  out.mode = draw < 45 ? Mode::read_write : draw < 70 ? Mode::write_only : Mode::read_only;
  out.file_exists = out.mode == Mode::read_only || random.chance(50);
  // Most cases are small, so that many run; a few fill the limit.
  LayoutLimits limits;
  limits.stream_bytes =
      random.chance(10) ? max_bytes : std::min<std::int64_t>(max_bytes, random.between(16, 2048));
  limits.file_bytes = 4 * limits.stream_bytes;
  limits.plain = random.chance(60);
  limits.overlap = out.mode == Mode::read_only && random.chance(50);
  if (out.file_exists) out.old_bytes = random.chance(15) ? 0 : random.between(0, ranks * limits.file_bytes);
  draw_hints(random, out);
  const int phases = random.chance(70) ? 1 : 2;
  for (int i = 0; i < phases; ++i) {
    const bool write =
        out.mode == Mode::write_only || (out.mode == Mode::read_write && (i == 0 || random.chance(50)));
    out.phases.push_back(draw_phase(random, ranks, write, limits));
  }
  if (random.chance(8)) {
    Phase& first = out.phases[0];
    use_default_view(first, limits.stream_bytes);
    std::vector<std::int64_t> pointers;
    for (const RankView& view : first.layout.views) pointers.push_back(view.begin);
    const bool write = first.calls[0].write;
    first.calls.assign(1, draw_call(random, first, pointers, write, {limits.plain, false}));
  }
  return out;
}

Case read_back_case(const Case& written, std::int64_t file_bytes) {
  Case out = written;
  out.mode = Mode::read_only;
  out.file_exists = true;
  out.old_bytes = file_bytes;
  for (Phase& phase : out.phases)
    for (Call& call : phase.calls) call.write = false;
  return out;
}

unsigned char data_byte(std::uint64_t data_seed, int rank, std::int64_t index) {
  const std::uint64_t word = mix(data_seed + static_cast<std::uint64_t>(rank) * 0x1000193ULL +
                                 static_cast<std::uint64_t>(index >> 3));
  return static_cast<unsigned char>(word >> (8 * (index & 7)));
}

unsigned char old_byte(std::uint64_t seed, std::int64_t offset) {
  return data_byte(seed ^ 0x5eedULL, -1, offset);
}

std::string text(const Case& subject) {
  std::ostringstream out;
  constexpr const char* modes[] = {"RDWR", "WRONLY", "RDONLY"};
  out << "mode " << modes[static_cast<int>(subject.mode)] << ", file "
      << (subject.file_exists ? "of " + std::to_string(subject.old_bytes) + " B" : "new") << ", hints {";
  for (const auto& [key, value] : subject.hints) out << ' ' << key << '=' << value;
  out << " }\n";
  for (const Phase& phase : subject.phases) print_phase(out, phase);
  return out.str();
}

}  // namespace collio::differential
