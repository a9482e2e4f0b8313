//! Every limit: its value, its unit, and the reason for it.

/// Characters of a search query, after trimming. Long enough for a sentence; a longer text is
/// better found by a part of it.
pub const QUERY_CHARS: usize = 200;

/// Least and most characters shown on either side of a hit. Less is no context, more is reading.
pub const CONTEXT_CHARS: (u32, u32) = (10, 500);

/// Characters shown on either side of a hit when the caller names no number.
pub const CONTEXT_CHARS_DEFAULT: u32 = 50;

/// Least and most hits shown per document.
pub const MAX_RESULTS: (u32, u32) = (1, 100);

/// Hits shown per document when the caller names no number.
pub const MAX_RESULTS_DEFAULT: u32 = 10;

/// Least and most documents that a caller may ask a search to list.
pub const SEARCH_LIMIT: (u32, u32) = (1, 1000);

/// Hits listed in one answer: about what a model reads with profit. At least the largest
/// `max-results`, so that one document always fits.
pub const HITS_PER_ANSWER: u32 = 500;

/// Documents searched in one answer, so that one call's time is bounded.
pub const DOCUMENTS_PER_ANSWER: u32 = 1000;

/// Characters shown of one section in full-context mode; a section may be a whole book.
pub const SECTION_CHARS: usize = 8_000;

/// Least and most entries on a page of a listing.
pub const LIST_LIMIT: (u32, u32) = (1, 1000);

/// Entries on a page of a listing when the caller names no number.
pub const LIST_LIMIT_DEFAULT: u32 = 200;

/// Least and most levels of a tree listing.
pub const TREE_DEPTH: (u32, u32) = (1, 64);

/// Levels of a tree listing when the caller names no number.
pub const TREE_DEPTH_DEFAULT: u32 = 8;

/// Least and most matches on a page of `find-files`.
pub const FIND_LIMIT: (u32, u32) = (1, 1000);

/// Matches on a page of `find-files` when the caller names no number.
pub const FIND_LIMIT_DEFAULT: u32 = 100;

/// Levels that `find-files` goes down when the caller names no number.
pub const FIND_DEPTH_DEFAULT: u32 = 64;

/// Least and most milliseconds that a caller may give to `find-files`; the most is what hosts give
/// to a call.
pub const FIND_TIMEOUT_MS: (u32, u32) = (1, 60_000);

/// Milliseconds that `find-files` takes at most when the caller names no number: what people wait.
pub const FIND_TIMEOUT_MS_DEFAULT: u32 = 10_000;

/// Least and most files that a caller may let one call of `find-files` look at.
pub const FIND_FILES: (u32, u32) = (1, 1_000_000);

/// Files that one call of `find-files` looks at when the caller names no number.
pub const FIND_FILES_DEFAULT: u32 = 100_000;

/// Least and most directories that a caller may let one call of `find-files` list.
pub const FIND_DIRECTORIES: (u32, u32) = (1, 100_000);

/// Directories that one call of `find-files` lists when the caller names no number.
pub const FIND_DIRECTORIES_DEFAULT: u32 = 20_000;

/// Entries that `find-files` visits between two looks at the clock: some tens of microseconds.
pub const FIND_CLOCK_ENTRIES: u32 = 64;

/// Bytes of a glob; longer ones are lists of names rather than patterns.
pub const GLOB_BYTES: usize = 1024;

/// Bytes of the automaton that a glob is turned into. The longest glob of letters takes a tenth.
pub const GLOB_AUTOMATON_BYTES: usize = 1 << 20;

/// Bytes in which the states of that automaton are kept as they are met; when they are used up, it
/// begins anew.
pub const GLOB_CACHE_BYTES: usize = 1 << 20;

/// The part of the cache, one in so many, that the names of all files in known directories may take
/// beside the rest: half a million names in the cache of a desk machine.
pub const CACHE_NAMES_SHARE: usize = 8;

/// The part of the cache, one in so many, that texts of documents which are not text may take
/// beside the rest, by their content.
pub const CACHE_EXTRACTED_SHARE: usize = 4;

/// Characters of a query whose words are looked for, after trimming: a question of some sentences.
pub const QUESTION_CHARS: usize = 500;

/// Tokens of an answer when the caller names no budget: some screens of text.
pub const TOKENS_DEFAULT: u32 = 2000;

/// Tokens that a part of a long section has, where it can be cut so: some paragraphs, so that what
/// answers comes without much that does not.
pub const PART_TOKENS: u32 = 400;

/// Thousandths of the best section's ranked score below which another one counts as not relevant:
/// it shares no more than common words with the query.
pub const RELEVANT_THOUSANDTHS: u32 = 250;

/// Tokens that the Markdown of an answer takes beside paths, headings and contents: its first lines.
pub const FRAME_TOKENS: u32 = 24;

/// Tokens that it takes more where something was not examined.
pub const SKIPPED_FRAME_TOKENS: u32 = 12;

/// Tokens that it takes for one document beside path, name and sections.
pub const DOCUMENT_FRAME_TOKENS: u32 = 8;

/// Tokens that the best documents have for their sections at least, while there are any: less holds
/// hardly a paragraph.
pub const SHARE_TOKENS: u32 = 150;

/// Tokens that it takes for one section beside headings and content: lines, part, score and fences.
pub const SECTION_FRAME_TOKENS: u32 = 34;

/// Least and most documents that a caller may ask `smart-search` for.
pub const ANSWERING: (u32, u32) = (1, 50);

/// Documents that `smart-search` gives when the caller names no number.
pub const ANSWERING_DEFAULT: u32 = 5;

/// Documents in which a lone identifier is looked for letter by letter, the best ones first.
pub const IDENTIFIER_DOCUMENTS: usize = 1000;

/// Least and most documents on a page of a search by metadata.
pub const CONTEXT_LIMIT: (u32, u32) = (1, 200);

/// Documents on a page of a search by metadata when the caller names no number.
pub const CONTEXT_LIMIT_DEFAULT: u32 = 20;

/// Characters of a text that titles or documents have to hold.
pub const CRITERION_CHARS: usize = 200;

/// Tags that a search may name.
pub const CRITERION_TAGS: usize = 50;

/// Characters of a tag.
pub const TAG_CHARS: usize = 100;

/// Tags of one document that are known; more are no help in finding it.
pub const TAGS_SHOWN: usize = 50;

/// Headings that a summary lists.
pub const TOC_ENTRIES: usize = 1000;

/// Sentences that a summary quotes.
pub const KEY_POINTS: usize = 10;

/// Characters of a sentence that a summary quotes; longer ones are no sentences to mark.
pub const KEY_POINT_CHARS: usize = 400;

/// Links of each kind that a summary lists.
pub const LINKS: usize = 200;

/// Least and most items of a group that a caller may ask `explore` for.
pub const EXPLORE_RESULTS: (u32, u32) = (1, 200);

/// Items of a group when the caller names no number.
pub const EXPLORE_RESULTS_DEFAULT: u32 = 20;

/// Least and most characters of text in one answer of `explore`, and of one item of it.
pub const EXPLORE_CHARS: (u32, u32) = (1, 200_000);

/// Characters of text in an answer when the caller names no number: about 2 000 tokens.
pub const EXPLORE_CHARS_DEFAULT: u32 = 8_000;

/// Characters that an item has at least where the caller names no number: less holds hardly a
/// paragraph.
pub const EXPLORE_ITEM_CHARS: u32 = 400;

/// Least and most bytes of a file that comes whole.
pub const EXPLORE_BYTES: (u32, u32) = (1, 16 << 20);

/// Bytes of a file that comes whole when the caller names no number.
pub const EXPLORE_BYTES_DEFAULT: u32 = 1 << 20;

/// Least and most files that a caller may let directories and globs stand for.
pub const EXPLORE_FILES: (u32, u32) = (1, 20_000);

/// Files that directories and globs stand for when the caller names no number.
pub const EXPLORE_FILES_DEFAULT: u32 = 500;

/// Levels below a directory that it stands for.
pub const EXPLORE_DEPTH: usize = 5;

/// One in so many places is kept for files of the preferred kinds.
pub const EXPLORE_PREFERRED_SHARE: usize = 5;

/// Least and most milliseconds that a caller may give to `explore`.
pub const EXPLORE_TIMEOUT_MS: (u32, u32) = (1, 60_000);

/// Milliseconds that `explore` takes at most when the caller names no number.
pub const EXPLORE_TIMEOUT_MS_DEFAULT: u32 = 10_000;

/// Paths that one call may name: more are better said by a directory or a glob.
pub const EXPLORE_PATHS: usize = 100;

/// Headings of a path to a section.
pub const HEADING_PATH: usize = 16;

/// Headings that a hint names as the nearest to one that is not there.
pub const NEAREST_HEADINGS: usize = 5;

/// Words read between two looks at the clock: less than a millisecond.
pub const EXPLORE_CLOCK_WORDS: u32 = 20_000;

/// Words that a file costs beside its own, looking for it.
pub const EXPLORE_FILE_WORDS: u32 = 1_500;

/// Hours for which a pack can be asked for: what an agent's task takes.
pub const PACK_HOURS: u64 = 24;

/// Packs whose results are remembered in a warm instance.
pub const REMEMBERED_PACKS: usize = 16;

/// Characters of a line of code that are shown round a hit.
pub const HIT_LINE_CHARS: usize = 160;

/// Characters of the first paragraph that a preview quotes.
pub const FIRST_PARAGRAPH_CHARS: usize = 600;

/// Least and most tokens that a caller may ask for.
pub const TOKENS: (u32, u32) = (100, 100_000);

/// Bytes of one document that is opened for searching or for reading a part. The guest holds one
/// at a time, beside its decoded form, within the memory that hosts grant.
pub const DOCUMENT_BYTES: usize = 64 << 20;

/// Bytes of one document that is not text: it is held twice for a moment, once by its reader.
pub const FOREIGN_BYTES: usize = 64 << 20;

/// Bytes of text that a reader makes of one document: several books, or a sheet of some hundred
/// thousand rows. It is held beside the document, and searched like any text.
pub const EXTRACTED_BYTES: usize = 32 << 20;

/// Bytes that the compressed parts of one document may have when they are unpacked. Ten times the
/// text that they may give, for its markup; a bomb ends here after a second or two.
pub const UNPACKED_BYTES: u32 = 320 << 20;

/// Documents that are not text which one call reads: some hundredths of a second each, within the
/// time that hosts give to a call.
pub const FOREIGN_PER_CALL: u32 = 500;

/// Bytes of text in one answer of `read-document`: about 250 000 tokens, more than models take.
pub const READ_BYTES: usize = 1 << 20;

/// Bytes at a document's start that are looked through for a NUL byte.
pub const BINARY_PROBE_BYTES: usize = 8 << 10;

/// Bytes at a document's start that a listing looks through for its title.
pub const TITLE_BYTES: usize = 16 << 10;

/// Bytes of front matter; what is longer is text between two rules.
pub const FRONT_MATTER_BYTES: usize = 64 << 10;

/// Bytes of one ignore file; rules beyond it would cost more than the walk.
pub const IGNORE_BYTES: usize = 64 << 10;

/// Levels of directories below a root that are walked: each level holds a descriptor.
pub const WALK_DEPTH: usize = 256;

/// Bytes of a path in a request.
pub const PATH_BYTES: usize = 4096;

/// Bytes of one segment of a path; what file systems allow.
pub const SEGMENT_BYTES: usize = 255;

/// Bytes of a path as JSON in a cursor, so that every cursor stays within [`CURSOR_CHARS`]. The
/// walk goes no deeper than it can come back to.
pub const CURSOR_PATH_BYTES: usize = 2_800;

/// Characters of a cursor.
pub const CURSOR_CHARS: usize = 4096;

/// File name extensions that one search may name.
pub const EXTENSIONS: usize = 64;

/// Bytes of one file name extension.
pub const EXTENSION_BYTES: usize = 32;

/// Bytes at a document's start in which headings are looked for; what follows belongs to the last
/// section found. A parser needs some hundred bytes of memory for each heading.
pub const HEADING_BYTES: usize = 2 << 20;

/// Sections that one document is divided into; the last one holds all the rest.
pub const SECTIONS: usize = 200_000;

/// Characters of a name, title or heading in an answer; the rest is cut.
pub const NAME_CHARS: usize = 300;

/// Bytes outside ASCII that a legacy encoding has to show before its detection counts as certain.
pub const LEGACY_EVIDENCE_BYTES: usize = 4;

/// Bytes from the first one outside ASCII on that the detection of an encoding looks at. More does
/// not make it surer, and the whole text is decoded afterwards without an error or not at all.
pub const LEGACY_PROBE_BYTES: usize = 256 << 10;

/// Bytes looked at on either side of a place to tell whether a grapheme cluster spans it. Clusters
/// in real text are far shorter; without a bound a hostile one would cost its length at each hit.
pub const CLUSTER_BYTES: usize = 256;

/// Candidates for a first heading that are tried one by one before the whole document is parsed:
/// each try parses up to it, and the first nearly always is one.
pub const HEADING_TRIES: usize = 3;

/// Entries of `skipped` that are shown; the rest is counted.
pub const SKIPPED_SHOWN: usize = 20;

/// Headings named in a hint when a section was not found.
pub const HINTED_SECTIONS: usize = 20;

/// Queries whose documents without hits are remembered in a warm instance.
pub const REMEMBERED_QUERIES: usize = 8;

/// Calls for which cached text is kept although it was not used, so that a scan over several pages
/// does not push out its own beginning.
pub const CACHE_KEEP_CALLS: u64 = 64;

/// Bytes that one known entry of a directory counts for in the cache, beside its name.
pub const CACHE_ENTRY_BYTES: usize = 64;

/// File name extensions of documents, in lower case.
pub const DOCUMENT_EXTENSIONS: [&str; 10] = [
    "md", "mdx", "markdown", "txt", "rst", "adoc", "log", "docx", "xlsx", "pdf",
];

/// The limits that `get-config` tells: name, value, unit.
pub const TOLD: [(&str, u64, &str); 33] = [
    ("query", QUERY_CHARS as u64, "characters"),
    ("question", QUESTION_CHARS as u64, "characters"),
    ("smart-search-limit", ANSWERING.1 as u64, "documents"),
    ("context-chars", CONTEXT_CHARS.1 as u64, "characters"),
    ("max-results", MAX_RESULTS.1 as u64, "hits per document"),
    ("search-limit", SEARCH_LIMIT.1 as u64, "documents"),
    ("hits-per-answer", HITS_PER_ANSWER as u64, "hits"),
    (
        "documents-per-answer",
        DOCUMENTS_PER_ANSWER as u64,
        "documents",
    ),
    ("section", SECTION_CHARS as u64, "characters"),
    ("list-limit", LIST_LIMIT.1 as u64, "entries"),
    ("tree-depth", TREE_DEPTH.1 as u64, "levels"),
    ("find-limit", FIND_LIMIT.1 as u64, "matches"),
    ("find-timeout", FIND_TIMEOUT_MS.1 as u64, "milliseconds"),
    ("find-files", FIND_FILES.1 as u64, "files"),
    ("find-directories", FIND_DIRECTORIES.1 as u64, "directories"),
    ("glob", GLOB_BYTES as u64, "bytes"),
    (
        "explore-results",
        EXPLORE_RESULTS.1 as u64,
        "items per group",
    ),
    ("explore-chars", EXPLORE_CHARS.1 as u64, "characters"),
    ("explore-bytes", EXPLORE_BYTES.1 as u64, "bytes"),
    ("explore-files", EXPLORE_FILES.1 as u64, "files"),
    (
        "explore-timeout",
        EXPLORE_TIMEOUT_MS.1 as u64,
        "milliseconds",
    ),
    ("explore-paths", EXPLORE_PATHS as u64, "paths"),
    ("max-tokens", TOKENS.1 as u64, "tokens"),
    ("document", DOCUMENT_BYTES as u64, "bytes"),
    ("foreign-document", FOREIGN_BYTES as u64, "bytes"),
    ("extracted-text", EXTRACTED_BYTES as u64, "bytes"),
    (
        "foreign-documents-per-call",
        FOREIGN_PER_CALL as u64,
        "documents",
    ),
    ("read", READ_BYTES as u64, "bytes"),
    ("title", TITLE_BYTES as u64, "bytes"),
    ("walk-depth", WALK_DEPTH as u64, "levels"),
    ("path", PATH_BYTES as u64, "bytes"),
    ("segment", SEGMENT_BYTES as u64, "bytes"),
    ("cursor", CURSOR_CHARS as u64, "characters"),
];
