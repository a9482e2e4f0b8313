//! The deeds that the misbehaving components perform on request: by a query, or by the content of a
//! document.
//!
//! The components match on these enumerations, and the build of the sandbox tests generates copies
//! of them whose unused variants the compiler reports. So a deed cannot be forgotten on either
//! side.
#![forbid(unsafe_code)]

/// Declares an enumeration of deeds, each with the word that requests it.
macro_rules! deeds {
    ($(#[$about:meta])* $name:ident { $($(#[$does:meta])* $deed:ident = $word:literal,)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name {
            $($(#[$does])* $deed,)*
        }

        impl $name {
            /// All deeds, each with its Rust name and its word.
            pub const ALL: &[(&str, &str)] = &[$((stringify!($deed), $word),)*];

            /// Returns the deed with this word.
            #[must_use]
            pub fn from_word(word: &str) -> Option<Self> {
                match word {
                    $($word => Some(Self::$deed),)*
                    _ => None,
                }
            }
        }
    };
}

deeds! {
    /// The deeds of a guest, requested through `search-documents`. The query is the word, followed
    /// by a colon and the word's argument if it has one.
    GuestDeed {
        /// Answers with a message of its own.
        Behave = "behave",
        /// Reports its variables, arguments and working directory.
        Environment = "environment",
        /// Panics without a message.
        Panic = "panic",
        /// Panics with a message of almost a megabyte.
        PanicAtLength = "panic-at-length",
        /// Exits its process.
        Exit = "exit",
        /// Computes forever.
        Loop = "loop",
        /// Recurses forever.
        Recurse = "recurse",
        /// Allocates forever.
        Allocate = "allocate",
        /// Sleeps for an hour.
        Sleep = "sleep",
        /// Sleeps forever in naps too short to be interrupted.
        SleepOften = "sleep-often",
        /// Reads standard input to its end.
        WaitForInput = "wait-for-input",
        /// Writes half a megabyte to standard output.
        Print = "print",
        /// Writes half a megabyte to standard error.
        Complain = "complain",
        /// Answers with a given number of bytes.
        Answer = "answer",
        /// Opens directories and keeps them open.
        HoldDescriptors = "hold-descriptors",
        /// Opens listings and never closes them.
        HoldStreams = "hold-streams",
        /// Creates pollables and keeps them.
        HoldPollables = "hold-pollables",
        /// Polls millions of pollables at once.
        PollMany = "poll-many",
        /// Reads the clock forever.
        AskTheTime = "ask-the-time",
        /// Requests the status of files forever.
        AskForStatus = "ask-for-status",
        /// Reads more of a file than fits into memory.
        ReadMuch = "read-much",
        /// Opens a path with every combination of flags, and reads it.
        Open = "open",
        /// Requests the status of a path in every way.
        Look = "look",
        /// Creates links to a path, and reads an existing one.
        Links = "links",
        /// Changes everything that can be changed about a path.
        Change = "change",
        /// Writes a file beside a path and renames it over the path.
        Replace = "replace",
        /// Opens a path and keeps everything that can be derived from it.
        Keep = "keep",
        /// Writes a prepared file beside a path and renames it over the path, with and without
        /// having inspected the path.
        Put = "put",
        /// Writes to the state directory.
        WriteState = "write-state",
        /// Creates and renames files forever, and creates one that is far too large.
        Flood = "flood",
    }
}

deeds! {
    /// The deeds of a reader of documents. The document consists of the word alone.
    ReaderDeed {
        /// Reports the number of documents that its instance has read.
        Count = "count",
        /// Computes forever.
        Loop = "loop",
        /// Panics.
        Panic = "panic",
        /// Exits its process.
        Exit = "exit",
        /// Recurses forever.
        Recurse = "recurse",
        /// Allocates forever.
        Allocate = "allocate",
        /// Returns one byte more than allowed.
        TooMuch = "too much",
        /// Reports the files, variables and arguments that it can see.
        Look = "look",
        /// Reports a malformed document.
        Malformed = "malformed",
        /// Reports an encrypted document.
        Encrypted = "encrypted",
        /// Reports a document that is too large.
        TooLarge = "too large",
        /// Reports a document without text.
        NoText = "no text",
        /// Reports a document with two glyphs whose characters are unknown.
        UnknownGlyphs = "unknown glyphs",
        /// Reports that it timed out.
        TooSlow = "too slow",
        /// Reports that it stopped abnormally.
        Broken = "broken",
    }
}

deeds! {
    /// The deeds of an encoder. The text consists of the word alone.
    EncoderDeed {
        /// Computes forever.
        Loop = "loop",
        /// Panics.
        Panic = "panic",
        /// Allocates forever.
        Allocate = "allocate",
        /// Reports that it has no vector.
        Refuse = "refuse",
        /// Returns one number less than its vectors have.
        TooShort = "too short",
        /// Returns a million numbers.
        TooLong = "too long",
        /// Reports the length of the previous text.
        Recall = "recall",
        /// Reports the files, variables and arguments that it can see.
        Look = "look",
    }
}
