//! Memory that threads share.

/// Returns `true` if the threads of a tag see the same memory of a storage scope, so that together they make its content.
///
/// # Source
/// `CanRelaxStorageUnderThread`, `src/tir/schedule/utils.h`.
pub(crate) fn is_shared_by(storage: &str, thread_tag: &str) -> bool {
    if storage.starts_with("warp") {
        return thread_tag == "threadIdx.x";
    }
    let is_in_block = thread_tag.starts_with("threadIdx.") || thread_tag.starts_with("vthread");
    storage.starts_with("shared") && is_in_block
}
