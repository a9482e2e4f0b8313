//! The caps that the host sets for each call.

use std::time::Duration;

use crate::clock::Clock;

/// What a call may use. Every field can be set; the defaults suit a desk machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How long one call may take.
    pub timeout: Duration,
    /// Bytes of memory that one instance may hold.
    pub memory: usize,
    /// How long the reading of one document may take that is not text, within the time of its call.
    pub reader_timeout: Duration,
    /// Bytes of memory that the reader of one such document may hold.
    pub reader_memory: usize,
    /// Bytes of document text that a warm instance keeps between calls; 0 keeps none. Half of
    /// `memory` is used at most, for the instance needs the other half to work. Where several calls
    /// run at the same time, one instance keeps as much, and the others an eighth of it.
    pub cache: usize,
    /// Bytes of vectors that are kept in memory of what an embedder said, with the places of their
    /// texts: those of questions, and of passages that no file takes. The index of the file takes
    /// some 60 more for each passage, 27 MB at most.
    pub vectors: usize,
    /// Bytes of the file of a model, where what an embedder said of passages is kept.
    pub vector_file: u64,
    /// Bytes of text in one answer.
    pub result: usize,
    /// Threads, and so calls that run at the same time.
    pub threads: usize,
    /// Calls that may wait for a thread.
    pub queue: usize,
    /// Whether an instance serves one call alone, so that nothing which it read for one comes back in
    /// another. Nothing is kept between calls then, whatever `cache` says.
    pub one_call: bool,
    /// What the time of a call goes by. One that steps is for tests.
    pub clock: Clock,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            // Long enough for a first search of a large tree on a slow disk.
            timeout: Duration::from_secs(60),
            // A full cache, the largest document twice over, and room to work.
            memory: 512 << 20,
            // Some thousand pages. Several that end so still leave the call time for the rest.
            reader_timeout: Duration::from_secs(10),
            // The largest document, its text, and room to work.
            reader_memory: 256 << 20,
            // Ten thousand documents of ordinary length.
            cache: 96 << 20,
            // Some 30 000 passages with 384 numbers each.
            vectors: 16 << 20,
            // Some 450 000 of them, which is as many as the index holds.
            vector_file: 256 << 20,
            // No client takes more into a context; a document of 1 MiB passes.
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
    /// Whether an instance keeps anything between calls.
    pub(crate) fn keeps_a_cache(&self) -> bool {
        self.cache > 0 && !self.one_call
    }

    /// Returns the bytes of text that an instance may keep beside the one that keeps all it may.
    pub(crate) fn small_cache(&self) -> usize {
        self.cache_within_memory() / 8
    }

    /// Returns the bytes of text that an instance may keep, in a number that it can understand.
    pub(crate) fn cache_within_memory(&self) -> usize {
        self.cache.min(self.memory.min(GUEST_BYTES) / 2)
    }
}

/// Bytes that a guest can address, whatever it is given.
const GUEST_BYTES: usize = u32::MAX as usize;

/// Numbers that a vector may have; the largest common models have as many.
pub(crate) const EMBEDDING_DIMENSIONS: u32 = 4096;

/// Texts that a guest may have embedded in one call of the host; ours gives 200 at most.
pub(crate) const EMBEDDED_TEXTS: usize = 1_000;

/// Bytes of memory that an encoder may hold with its model, of which e5-small takes 150 MB.
#[cfg(feature = "encoder")]
pub(crate) const ENCODER_MEMORY: usize = 512 << 20;

/// How long an encoder may take over one step of loading its model; a tokenizer of 64 MB is the
/// longest.
#[cfg(feature = "encoder")]
pub(crate) const ENCODER_LOAD: Duration = Duration::from_secs(60);

/// How long an encoder may take over one text; the largest model that fits takes some seconds.
#[cfg(feature = "encoder")]
pub(crate) const ENCODER_TEXT: Duration = Duration::from_secs(20);

/// Bytes of the files of vectors that are kept in memory, of all files together: of 100 000 passages,
/// where a model has 384 dimensions.
pub(crate) const RESIDENT_VECTOR_BYTES: usize = 48 << 20;

/// Versions of documents whose passages are kept counted, at least; twice as many at most, some 10 MB of
/// memory and of the file beside the vectors.
pub(crate) const COUNTED_DOCUMENTS: usize = 100_000;

/// Bytes that a vector takes beside its numbers and its place.
pub(crate) const VECTOR_ENTRY_BYTES: usize = 160;

/// Entries that one table of an instance may hold. Rust components have one, of functions.
pub(crate) const TABLE_ENTRIES: usize = 20_000;

/// Memories, tables and instances of one store: a component is a few core modules.
pub(crate) const CORE_ITEMS: usize = 32;

/// Descriptors and streams that a guest may hold at a time. Deeper directories than a walk may
/// enter still fit.
pub(crate) const OPEN_RESOURCES: usize = 1_000;

/// Listings that a guest may read at a time; a walk reads one. Each holds what the kernel handed
/// over at once, some 100 KB that are not the guest's own.
pub(crate) const OPEN_LISTINGS: usize = 64;

/// Bytes that one call may write. The largest transaction writes 64 MiB of new contents, keeps
/// 256 MiB of old ones, and tells of both in a journal and a record, less than that together.
pub(crate) const WRITTEN_BYTES: u64 = 1 << 30;

/// Files, directories and renames that one call may make. A transaction of 10 000 files makes each
/// prepared file, each kept content under two names, and each rename.
pub(crate) const WRITTEN_ENTRIES: u64 = 100_000;

/// How long a call waits for another host, or another thread, to end its write.
pub(crate) const LOCK_WAIT: Duration = Duration::from_secs(5);

/// How long a call that only reads waits for it, when its instance has just been made: an instance
/// that finishes a write which was cut off is done by then, and one that writes needs no help.
pub(crate) const READER_LOCK_WAIT: Duration = Duration::from_millis(250);

/// Bytes that a guest may pass to one host call, and so to the answer, strings and lists counted
/// as they lie in memory: the largest document for its reader, and room. An answer's cap is
/// stricter and counts text alone.
pub(crate) const HOSTCALL_BYTES: usize = 72 << 20;

/// How often a running guest is asked whether it should stop.
pub(crate) const TICK: Duration = Duration::from_millis(10);

/// How long after its timeout a call may still be held by the operating system before its thread
/// is given up.
pub(crate) const GRACE: Duration = Duration::from_millis(250);

/// Threads that one root may keep with calls which the operating system never finishes, before it
/// is left alone until one of them comes back. So many may be lost elsewhere before no more calls
/// are taken. More than one, for a single file may hang where others answer.
pub(crate) const LOST_THREADS: usize = 4;

/// How long it may take to find out which directory stands at a granted path, before its root
/// counts as silent. A disk that was asleep may take longer; who asks again finds it awake.
pub(crate) const LOOK: Duration = Duration::from_secs(2);

/// How often progress is told.
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
        // A guest counts in 32 bits.
        assert_eq!(kept(8192, 16384), 2047);
    }
}
