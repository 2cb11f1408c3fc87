// See subfiled_storage.hpp.
#include "storage/subfiles/subfiled_storage.hpp"

#include <fcntl.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <mutex>
#include <set>
#include <utility>

namespace collio::storage {

namespace {

/// A part of a transfer, in one subfile.
struct Part {
  /// of the file
  core::Extent extent;
  Storage* subfile = nullptr;
  Ticket ticket = 0;
  Transfer moved;
};

/// What was started.
struct Started {
  core::Extent extent;
  std::vector<Part> parts;
  /// of a read
  std::byte* to = nullptr;
};

/// Of the writes to one subfile.
class SubfileWatch final : public WriteWatch {
 public:
  SubfileWatch(std::shared_ptr<LayoutInForce> in_force, std::int64_t number)
      : in_force_(std::move(in_force)), number_(number) {}
  bool wanted() override { return in_force_->times().wanted(number_); }
  void took(std::int64_t bytes, double seconds) override { in_force_->times().took(number_, bytes, seconds); }

 private:
  const std::shared_ptr<LayoutInForce> in_force_;
  const std::int64_t number_;
};

class SubfiledStorage final : public Storage {
 public:
  SubfiledStorage(SubfileSet set, std::shared_ptr<LayoutInForce> in_force, StorageRequest request)
      : set_(std::move(set)), in_force_(std::move(in_force)), request_(std::move(request)) {}

  /// The subfile, opened if it was not. Null: `why`. Thread-safe.
  Storage* subfile(std::int64_t number, core::Error& why) {
    const std::lock_guard lock(opening_);
    std::unique_ptr<Storage>& open = open_[number];
    if (open) return open.get();
    auto opened = open_one(number);
    if (!opened)
      why = opened.error();
    else
      open = std::move(opened.value().file);
    return open.get();
  }
  /// The first one. Not thread-safe.
  core::Result<Opened> open_first(std::int64_t number) {
    auto opened = open_one(number);
    if (!opened) return opened;
    overlaps_ = opened.value().file->overlaps();
    open_[number] = std::move(opened.value().file);
    return opened;
  }

  Transfer write(const core::Extent& extent, const std::byte* from) override {
    return at_once(extent, nullptr, [&](Storage& file, const SubfilePart& part, std::int64_t position) {
      return file.write(part.extent, from + position);
    });
  }
  Transfer read(const core::Extent& extent, std::byte* to) override {
    return at_once(before_end(extent), to,
                   [&](Storage& file, const SubfilePart& part, std::int64_t position) {
                     return file.read(part.extent, to + position);
                   });
  }

  Ticket start_write(const core::Extent& extent, const std::byte* from) override {
    return start(extent, nullptr, [&](Storage& file, const SubfilePart& part, std::int64_t position) {
      return file.start_write(part.extent, from + position);
    });
  }
  Ticket start_read(const core::Extent& extent, std::byte* to) override {
    return start(before_end(extent), to, [&](Storage& file, const SubfilePart& part, std::int64_t position) {
      return file.start_read(part.extent, to + position);
    });
  }
  bool done(Ticket ticket) override {
    bool all = true;
    for (const Part& part : started_[ticket].parts)
      all = (!part.subfile || part.subfile->done(part.ticket)) && all;
    return all;
  }
  Transfer finish(Ticket ticket) override {
    Started started = std::move(started_[ticket]);
    started_.give_back(ticket);
    for (Part& part : started.parts)
      if (part.subfile) part.moved = part.subfile->finish(part.ticket);
    return combined(started.extent, started.parts, started.to);
  }
  [[nodiscard]] bool overlaps() const noexcept override { return overlaps_; }

  core::Error sync() override {
    return for_each_open([](Storage& file) { return file.sync(); });
  }
  core::Error close() override {
    return for_each_open([](Storage& file) { return file.close(); });
  }
  core::Error register_buffers(std::span<const std::span<std::byte>> buffers) override {
    buffers_.assign(buffers.begin(), buffers.end());
    return for_each_open([&](Storage& file) { return file.register_buffers(buffers); });
  }
  [[nodiscard]] std::string remarks() const override {
    const std::lock_guard lock(opening_);
    std::set<std::string> texts;
    for (const auto& [number, file] : open_)
      if (file) texts.insert(file->remarks());
    std::string all;
    for (const std::string& text : texts) all += (all.empty() || text.empty() ? "" : "; ") + text;
    return all;
  }

 private:
  [[nodiscard]] core::Extent before_end(const core::Extent& extent) const {
    return {extent.offset, std::clamp<std::int64_t>(set_.end() - extent.offset, 0, extent.length)};
  }
  core::Result<Opened> open_one(std::int64_t number) {
    StorageRequest request = request_;
    request.path = set_.subfile_path(number);
    if (in_force_) request.watch = std::make_shared<SubfileWatch>(in_force_, number);
    auto opened = open_storage(request);
    if (!opened) return with_limit(opened.error(), request.path);
    if (!buffers_.empty()) static_cast<void>(opened.value().file->register_buffers(buffers_));
    return opened;
  }

  /// The error with what this rank has open, if the process may not open more.
  [[nodiscard]] core::Error with_limit(core::Error error, const std::string& path) const {
    rlimit limit{};
    if (OpenedFile(path, O_RDONLY).error() != EMFILE || ::getrlimit(RLIMIT_NOFILE, &limit) != 0) return error;
    const auto held = std::ranges::count_if(open_, [](const auto& one) { return one.second != nullptr; });
    error.message += "; this rank has " + std::to_string(held) + " of the " +
                     std::to_string(set_.layout().count) + " subfiles of " + set_.path() +
                     " open, and its process may have " + std::to_string(limit.rlim_cur) +
                     " descriptors in all: raise ulimit -n, or keep the file in fewer subfiles";
    return error;
  }

  /// `Error call(Storage&)` on every subfile that is open: the worst error.
  template <class Call>
  core::Error for_each_open(Call&& call) {
    const std::lock_guard lock(opening_);
    core::Error worst;
    for (const auto& [number, file] : open_)
      if (file) core::keep_worst(worst, call(*file));
    return worst;
  }

  /// Calls each(part, position in the extent) by the layout that the transfer goes by.
  template <class Each>
  void split(const core::Extent& extent, bool is_write, Each&& each) {
    if (!in_force_) return set_.for_each_part(extent, each);
    const LayoutInForce::Layout layout = is_write ? in_force_->for_write(extent) : in_force_->now();
    for_each_part(*layout, extent, each);
  }
  /// Where the file's length is asked for.
  [[nodiscard]] SubfileSet set_now() const {
    SubfileSet set = set_;
    if (in_force_) set.manifest().layout = *in_force_->now();
    return set;
  }
  /// The parts of an extent with their subfiles, or why a subfile cannot be opened. After an error the others
  /// are moved all the same: their bytes are not lost with it.
  template <class Move>
  std::vector<Part> each_part(const core::Extent& extent, bool is_write, Move&& move) {
    std::vector<Part> parts;
    split(extent, is_write, [&](const SubfilePart& where, std::int64_t position) {
      Part& part = parts.emplace_back();
      part.extent = {extent.offset + position, where.extent.length};
      if (where.subfile == SubfilePart::none) return;
      part.subfile = subfile(where.subfile, part.moved.error);
      if (part.subfile)
        move(part, where, position);
      else
        part.moved.error.message +=
            ", at offset " + std::to_string(part.extent.offset) + " of " + set_.path();
    });
    return parts;
  }
  template <class Move>
  Transfer at_once(const core::Extent& extent, std::byte* to, Move&& move) {
    std::vector<Part> parts =
        each_part(extent, !to, [&](Part& part, const SubfilePart& where, std::int64_t position) {
          part.moved = move(*part.subfile, where, position);
        });
    return combined(extent, parts, to);
  }
  template <class Begin>
  Ticket start(const core::Extent& extent, std::byte* to, Begin&& begin) {
    const Ticket ticket = started_.take();
    std::vector<Part> parts =
        each_part(extent, !to, [&](Part& part, const SubfilePart& where, std::int64_t position) {
          part.ticket = begin(*part.subfile, where, position);
        });
    started_[ticket] = {extent, std::move(parts), to};
    return ticket;
  }

  /// Bytes up to the first that is missing, and the error there. `to`: of a read, where holes become zeros;
  /// null: a write.
  Transfer combined(const core::Extent& extent, std::vector<Part>& parts, std::byte* to) {
    Transfer all;
    if (to) fill_holes(extent, parts, to);
    for (Part& part : parts) {
      const bool whole = part.moved.error.ok() && part.moved.bytes == part.extent.length;
      all.bytes += part.moved.bytes;
      if (!part.moved.error.ok()) all.error = std::move(part.moved.error);
      if (!whole) break;
    }
    return all;
  }

  void fill_holes(const core::Extent& extent, std::vector<Part>& parts, std::byte* to) {
    const auto is_short = [](const Part& p) { return p.moved.error.ok() && p.moved.bytes < p.extent.length; };
    const auto first = std::ranges::find_if(parts, is_short);
    if (first == parts.end()) return;
    // What was read behind it shows how far the file goes at least; else the subfiles are asked.
    std::int64_t end = 0;
    for (const Part& part : parts)
      if (part.moved.bytes > 0) end = part.extent.offset + part.moved.bytes;
    if (set_.has_arrays()) end = extent.end();  // also between the subfiles, and where nobody wrote
    if (std::ranges::any_of(parts, [&](const Part& p) { return is_short(p) && p.extent.end() > end; })) {
      auto length = length_by(set_now(), {}, extent.end());
      if (!length) {
        first->moved.error = length.error();
        return;
      }
      end = std::max(end, std::min(extent.end(), length.value()));
    }
    for (Part& part : parts) {
      if (!is_short(part)) continue;
      const std::int64_t bytes = std::clamp<std::int64_t>(end - part.extent.offset, 0, part.extent.length);
      if (bytes <= part.moved.bytes) continue;
      std::fill_n(to + (part.extent.offset - extent.offset) + part.moved.bytes, bytes - part.moved.bytes,
                  std::byte{0});
      part.moved.bytes = bytes;
    }
  }

  const SubfileSet set_;
  /// null: the layout is the set's
  const std::shared_ptr<LayoutInForce> in_force_;
  const StorageRequest request_;
  bool overlaps_ = false;
  /// of open_
  mutable std::mutex opening_;
  std::map<std::int64_t, std::unique_ptr<Storage>> open_;
  /// announced, for subfiles that are opened later
  std::vector<std::span<std::byte>> buffers_;
  Tickets<Started> started_;
};

}  // namespace

core::Result<Opened> open_subfiled(const SubfileSet& set, const StorageRequest& request, std::int64_t first,
                                   std::shared_ptr<LayoutInForce> in_force) {
  StorageRequest each = request;
  each.holder.reset();
  auto all = std::make_unique<SubfiledStorage>(set, std::move(in_force), std::move(each));
  auto opened = all->open_first(first % set.layout().count);
  if (!opened) return opened;
  Opened& of_all = opened.value();
  of_all.file = std::move(all);
  of_all.holder = {};
  return opened;
}

}  // namespace collio::storage
