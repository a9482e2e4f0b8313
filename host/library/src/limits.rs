//! The limits that the host sets for each call.

use std::time::Duration;

use crate::clock::Clock;

/// The resources that a call may use. The defaults suit a desktop machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Maximum duration of one call.
    pub timeout: Duration,
    /// Maximum bytes of memory of one instance.
    pub memory: usize,
    /// Maximum time to read one document other than text, within the time of its call.
    pub reader_timeout: Duration,
    /// Maximum bytes of memory of the reader of one such document.
    pub reader_memory: usize,
    /// Bytes of document text that a warm instance caches between calls; 0 caches none. At most
    /// half of `memory` is used, because the instance needs the other half to work. If several
    /// calls run at the same time, one instance caches this much, and each of the others an eighth
    /// of it.
    pub cache: usize,
    /// Maximum number of files that an instance with a whole cache watches for changes, so that a
    /// repeated question need not check each of them; 0 watches none. Each takes some kilobyte of
    /// the kernel's memory, and one of the watches that the system grants to a user. Only Linux
    /// watches files.
    pub watched_files: usize,
    /// Bytes of vectors cached in memory, with the places of their texts: those of queries, and
    /// those of passages that are in no file. The index of the file takes some 60 bytes more for
    /// each passage, 27 MB at most.
    pub vectors: usize,
    /// Maximum size in bytes of a model's vector file, which stores the vectors of passages.
    pub vector_file: u64,
    /// Maximum bytes of text in one answer.
    pub result: usize,
    /// Number of threads, and so of calls that run at the same time.
    pub threads: usize,
    /// Maximum number of calls that wait for a thread.
    pub queue: usize,
    /// True if an instance serves only one call, so that nothing that it read for one call appears
    /// in another. Nothing is cached between calls then, whatever `cache` is.
    pub one_call: bool,
    /// Clock that measures the time of a call. A stepping clock is for tests.
    pub clock: Clock,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            // Long enough for a first search of a large tree on a slow disk.
            timeout: Duration::from_secs(60),
            // A full cache, the largest document twice over, and room to work.
            memory: 512 << 20,
            // Some thousand pages. Several documents that time out still leave the call time for
            // the rest.
            reader_timeout: Duration::from_secs(10),
            // The largest document, its text, and room to work.
            reader_memory: 256 << 20,
            // Ten thousand documents of ordinary length.
            cache: 96 << 20,
            // As many as the cache holds. Systems grant a user from 8 192 to a million.
            watched_files: 10_000,
            // Some 30 000 passages with 384 numbers each.
            vectors: 16 << 20,
            // Some 450 000 such passages, as many as the index holds.
            vector_file: 256 << 20,
            // No client puts more into a context; a document of 1 MiB fits.
            result: 4 << 20,
            // Calls of one agent rarely overlap; each warm instance costs memory.
            threads: 2,
            queue: 64,
            one_call: false,
            clock: Clock::system(),
        }
    }
}

impl Limits {
    /// Returns true if an instance keeps anything between calls.
    pub(crate) fn keeps_a_cache(&self) -> bool {
        self.cache > 0 && !self.one_call
    }

    /// Returns the cache size in bytes of an instance beside the one with the whole cache.
    pub(crate) fn small_cache(&self) -> usize {
        self.cache_within_memory() / 8
    }

    /// Returns the cache size in bytes of the instance with the whole cache, within its address
    /// space.
    pub(crate) fn cache_within_memory(&self) -> usize {
        self.cache.min(self.memory.min(GUEST_BYTES) / 2)
    }
}

/// Bytes that a guest can address, whatever its memory limit.
const GUEST_BYTES: usize = u32::MAX as usize;

/// Maximum number of dimensions of a vector, as many as the largest common models have.
pub(crate) const EMBEDDING_DIMENSIONS: u32 = 4096;

/// Maximum number of texts that a guest may embed in one host call; ours passes 200 at most.
pub(crate) const EMBEDDED_TEXTS: usize = 1_000;

/// Maximum bytes of memory of an encoder with its model, of which e5-small takes 150 MB.
#[cfg(feature = "encoder")]
pub(crate) const ENCODER_MEMORY: usize = 512 << 20;

/// Maximum duration of one step of loading an encoder's model; a tokenizer of 64 MB takes the
/// longest.
#[cfg(feature = "encoder")]
pub(crate) const ENCODER_LOAD: Duration = Duration::from_secs(60);

/// Maximum time that an encoder may take for one text; the largest model that fits takes some
/// seconds.
#[cfg(feature = "encoder")]
pub(crate) const ENCODER_TEXT: Duration = Duration::from_secs(20);

/// Maximum bytes of vector files kept in memory, over all files: enough for 100 000 passages of a
/// model with 384 dimensions.
pub(crate) const RESIDENT_VECTOR_BYTES: usize = 48 << 20;

/// Minimum number of document versions whose passage counts are kept; at most twice as many, which
/// take some 10 MB of memory and of the file beside the vectors.
pub(crate) const COUNTED_DOCUMENTS: usize = 100_000;

/// Bytes of a cached vector's entry beside its numbers and its place.
pub(crate) const VECTOR_ENTRY_BYTES: usize = 160;

/// Maximum entries of one table of an instance. Rust components have one table, of functions.
pub(crate) const TABLE_ENTRIES: usize = 20_000;

/// Maximum memories, tables and instances of one store: a component has a few core modules.
pub(crate) const CORE_ITEMS: usize = 32;

/// Maximum descriptors and streams that a guest may hold open. This suffices for the deepest
/// directory that a walk may enter.
pub(crate) const OPEN_RESOURCES: usize = 1_000;

/// Maximum listings that a guest may read at a time; a walk reads one. Each buffers the entries
/// that the kernel returned at once, some 100 KB of the host's memory.
pub(crate) const OPEN_LISTINGS: usize = 64;

/// Maximum bytes that one call may write. The largest transaction writes 64 MiB of new contents,
/// keeps 256 MiB of old ones, and writes a journal and a record, which are smaller than the two
/// together.
pub(crate) const WRITTEN_BYTES: u64 = 1 << 30;

/// Maximum files, directories and renames that one call may create. A transaction of 10 000 files
/// creates each prepared file, each kept content under two names, and each rename.
pub(crate) const WRITTEN_ENTRIES: u64 = 100_000;

/// Maximum time that a call waits for another host, or another thread, to finish its write.
pub(crate) const LOCK_WAIT: Duration = Duration::from_secs(5);

/// Maximum time that a read-only call on a new instance waits for the write lock. An instance that
/// completes an interrupted write is done by then, and one that performs a write needs no help.
pub(crate) const READER_LOCK_WAIT: Duration = Duration::from_millis(250);

/// Maximum bytes that a guest may pass in one host call, and so in its answer; strings and lists
/// count as they are laid out in memory. It fits the largest document passed to its reader, with
/// room to spare. The limit of an answer is stricter and counts text alone.
pub(crate) const HOSTCALL_BYTES: usize = 72 << 20;

/// Time after the timeout that the operating system may still hold a call before its thread is
/// abandoned.
pub(crate) const GRACE: Duration = Duration::from_millis(250);

/// Maximum threads that one root may hold with calls that the operating system never completes,
/// before the root is no longer accessed until one of them returns. If as many are lost elsewhere,
/// no more calls are accepted. More than one, because a single file may hang while others answer.
pub(crate) const LOST_THREADS: usize = 4;

/// Maximum time to look up the directory at a granted path, before its root counts as silent. A
/// disk that was asleep may take longer; the next attempt finds it awake.
pub(crate) const LOOK: Duration = Duration::from_secs(2);

/// Interval between progress reports.
pub(crate) const PROGRESS: Duration = Duration::from_millis(500);

/// Bytes of a guest's standard error that are kept for the host's log.
pub(crate) const STDERR_BYTES: usize = 8 << 10;

#[cfg(test)]
mod tests {
    use super::Limits;

    #[test]
    fn a_cache_has_half_of_the_memory_at_most() {
        let kept = |cache: usize, memory: usize| {
            let limits = Limits {
                cache: cache << 20,
                memory: memory << 20,
                ..Limits::default()
            };
            limits.cache_within_memory() >> 20
        };
        assert_eq!(kept(96, 512), 96);
        assert_eq!(kept(4096, 512), 256);
        assert_eq!(kept(0, 512), 0);
        let limits = Limits::default();
        assert_eq!(limits.small_cache() * 8, limits.cache);
        // A guest has 32-bit addresses.
        assert_eq!(kept(8192, 16384), 2047);
    }
}
