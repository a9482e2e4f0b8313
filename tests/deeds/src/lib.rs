//! What the components that misbehave can be told to do: by a query, or by what a document holds.
//!
//! Those components match on these enumerations, and the build of the sandbox's tests makes others
//! of them whose variants the compiler wants to see used. So a deed is neither forgotten there nor
//! here.
#![forbid(unsafe_code)]

/// Makes an enumeration of deeds, each with the word by which it is called.
macro_rules! deeds {
    ($(#[$about:meta])* $name:ident { $($(#[$does:meta])* $deed:ident = $word:literal,)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name {
            $($(#[$does])* $deed,)*
        }

        impl $name {
            /// All deeds, each with its name in Rust and its word.
            pub const ALL: &[(&str, &str)] = &[$((stringify!($deed), $word),)*];

            /// Returns the deed that is called by a word.
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
    /// What a guest does that is called through `search-documents`. The query is the word, and
    /// after a colon what the word needs.
    GuestDeed {
        /// Answers in its own words.
        Behave = "behave",
        /// Tells what it knows of variables, arguments and the working directory.
        Environment = "environment",
        /// Panics without a message.
        Panic = "panic",
        /// Panics with a message of almost a megabyte.
        PanicAtLength = "panic-at-length",
        /// Ends the process that it takes itself for.
        Exit = "exit",
        /// Computes for ever.
        Loop = "loop",
        /// Calls itself for ever.
        Recurse = "recurse",
        /// Takes memory for ever.
        Allocate = "allocate",
        /// Sleeps for an hour.
        Sleep = "sleep",
        /// Sleeps for ever in naps so short that none of them is worth interrupting.
        SleepOften = "sleep-often",
        /// Reads standard input to its end.
        WaitForInput = "wait-for-input",
        /// Writes half a megabyte to standard output.
        Print = "print",
        /// Writes as much to standard error.
        Complain = "complain",
        /// Answers with so many bytes.
        Answer = "answer",
        /// Opens directories and keeps them open.
        HoldDescriptors = "hold-descriptors",
        /// Starts listings and never ends them.
        HoldStreams = "hold-streams",
        /// Makes things to wait for and keeps them.
        HoldPollables = "hold-pollables",
        /// Waits for millions of things at once.
        PollMany = "poll-many",
        /// Asks for the time for ever.
        AskTheTime = "ask-the-time",
        /// Asks for the status of files for ever.
        AskForStatus = "ask-for-status",
        /// Asks for more of a file than anybody has memory for.
        ReadMuch = "read-much",
        /// Opens a path in every way there is, and reads it.
        Open = "open",
        /// Asks for the status of a path in every way there is.
        Look = "look",
        /// Makes links to a path, and reads the one that stands there.
        Links = "links",
        /// Changes all there is to change about a path.
        Change = "change",
        /// Writes a file beside a path and moves it over.
        Replace = "replace",
        /// Opens a path and keeps all that can be made from it.
        Keep = "keep",
        /// Writes a prepared file beside a path and moves it over, having looked at the path or
        /// not.
        Put = "put",
        /// Writes to the state directory.
        WriteState = "write-state",
        /// Makes files and moves them for ever, and one that is far too large.
        Flood = "flood",
    }
}

deeds! {
    /// What a reader of documents does. The document holds the word and nothing else.
    ReaderDeed {
        /// Tells how many documents its instance has read.
        Count = "count",
        /// Computes for ever.
        Loop = "loop",
        /// Panics.
        Panic = "panic",
        /// Ends the process that it takes itself for.
        Exit = "exit",
        /// Calls itself for ever.
        Recurse = "recurse",
        /// Takes memory for ever.
        Allocate = "allocate",
        /// Gives a byte more than it was allowed.
        TooMuch = "too much",
        /// Tells what it can see of files, variables and arguments.
        Look = "look",
        /// Says that the document is malformed.
        Malformed = "malformed",
        /// Says that the document wants a password.
        Encrypted = "encrypted",
        /// Says that the document is too large.
        TooLarge = "too large",
        /// Says that the document has no text.
        NoText = "no text",
        /// Says that the document does not tell the characters of two glyphs.
        UnknownGlyphs = "unknown glyphs",
        /// Says that it was too slow itself.
        TooSlow = "too slow",
        /// Says that it stopped abnormally itself.
        Broken = "broken",
    }
}

deeds! {
    /// What an encoder does. The text holds the word and nothing else.
    EncoderDeed {
        /// Computes for ever.
        Loop = "loop",
        /// Panics.
        Panic = "panic",
        /// Takes memory for ever.
        Allocate = "allocate",
        /// Says that it has no vector.
        Refuse = "refuse",
        /// Gives a number less than its vectors have.
        TooShort = "too short",
        /// Gives a million numbers.
        TooLong = "too long",
        /// Tells how long the text was that its instance was given before.
        Recall = "recall",
        /// Tells what it can see of files, variables and arguments.
        Look = "look",
    }
}
