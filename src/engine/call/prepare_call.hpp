// What a rank knows of a call, and says of it, before it meets the others.
#pragma once

#include "access/access.hpp"
#include "core/result.hpp"
#include "engine/call/call.hpp"
#include "engine/file/plan_memory.hpp"
#include "policy/plan/digest.hpp"

namespace collio::engine {

/// What a rank without memory brings to the agreement: made when there was some, and copied without any.
extern const access::FileAccess no_access;
extern const core::Error without_memory;

struct Prepared {
  access::FileAccess access = no_access;
  AccessShape shape;
  /// of this rank
  const core::Error* error = nullptr;
};

/// The bytes of the file that are asked for.
[[nodiscard]] access::FileAccess access_of(const File& file, const CallRequest& request);

/// Finds the access. What fails is in it. Not collective.
[[nodiscard]] Prepared prepare(const File& file, const CallRequest& request, observe::Steps& steps);

/// What this rank brings to the agreement.
[[nodiscard]] policy::Digest digest_of(const File& file, const Prepared& prepared,
                                       const CallRequest& request);

}  // namespace collio::engine
