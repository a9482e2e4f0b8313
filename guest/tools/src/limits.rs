//! Every limit: its value, its unit, and the reason for it.

use docent_corpus::limits::{EXTRACTED_BYTES, FOREIGN_BYTES, FOREIGN_PER_CALL, WALK_DEPTH};
use docent_transaction::limits::{FILES, HISTORY, TRANSACTION_BYTES};
use docent_tree::limits::{DOCUMENT_BYTES, GLOB_BYTES, PATH_BYTES, SEGMENT_BYTES};

/// Characters of a search query, after trimming. Long enough for a sentence; a longer text is
/// better found by a part of it.
pub const QUERY_CHARS: usize = 200;

/// Least and most characters shown on either side of a hit. Fewer give no context; for more, the
/// document itself is better read.
pub const CONTEXT_CHARS: (u32, u32) = (10, 500);

/// Characters shown on either side of a hit when the caller names no number.
pub const CONTEXT_CHARS_DEFAULT: u32 = 50;

/// Least and most hits shown per document.
pub const MAX_RESULTS: (u32, u32) = (1, 100);

/// Hits shown per document when the caller names no number.
pub const MAX_RESULTS_DEFAULT: u32 = 10;

/// Least and most documents that a caller may ask a search to list.
pub const SEARCH_LIMIT: (u32, u32) = (1, 1000);

/// Maximum number of hits listed in one answer: about as many as a model can make use of. At least
/// the maximum of `max-results`, so that one document always fits.
pub const HITS_PER_ANSWER: u32 = 500;

/// Documents with hits that one answer collects before it lists the best: their paths and counts
/// are kept meanwhile. Without a budget, documents searched, so that pages do not depend on time.
pub const DOCUMENTS_PER_ANSWER: u32 = 1000;

/// Tokens of an answer of `search-documents` when the caller names no budget: some dozens of hits.
pub const SEARCH_TOKENS_DEFAULT: u32 = 4000;

/// Least and most milliseconds that a caller may give to `search-documents`.
pub const SEARCH_TIMEOUT_MS: (u32, u32) = (1, 60_000);

/// Milliseconds that `search-documents` takes at most when the caller names no number.
pub const SEARCH_TIMEOUT_MS_DEFAULT: u32 = 10_000;

/// Entries of a search after which the clock is consulted again: some tenths of a millisecond.
pub const SEARCH_CLOCK_ENTRIES: u32 = 64;

/// Bytes of a search after which the clock is consulted again: about a millisecond.
pub const SEARCH_CLOCK_BYTES: u64 = 1 << 20;

/// Tokens of a search's first lines, without the query.
pub const SEARCH_FRAME_TOKENS: u32 = 36;

/// Tokens of the sentence with the number of files whose hits are not shown.
pub const LEFT_OUT_TOKENS: u32 = 28;

/// Tokens of the sentence with the number of a file's hits that are not shown.
pub const MORE_HITS_TOKENS: u32 = 16;

/// Tokens of the sentence with the number that replaced a clamped argument.
pub const CLAMPED_TOKENS: u32 = 16;

/// Tokens of a skipped entry, without its path.
pub const SKIPPED_ENTRY_TOKENS: u32 = 8;

/// Tokens of a line with a file's path and its number of hits, without both.
pub const COUNT_LINE_TOKENS: u32 = 6;

/// Tokens around a file's path and name above its hits.
pub const FILE_FRAME_TOKENS: u32 = 8;

/// Tokens around an excerpt: its number and line.
pub const EXCERPT_FRAME_TOKENS: u32 = 10;

/// Tokens around a section with hits: its number, lines, count and fences.
pub const SECTION_HITS_TOKENS: u32 = 34;

/// Share of the budget, one in so many, that counts by file take at most if not everything fits:
/// the rest shows the hits of the best files.
pub const COUNTS_SHARE: u32 = 2;

/// Characters shown of one section in full-context mode; a section may be a whole book.
pub const SECTION_CHARS: usize = 8_000;

/// Documents whose names are examined after a search without results, to choose those that are
/// searched for similar words.
pub const NEAR_NAMES: usize = 2_000;

/// Entries examined for names similar to a path that cannot be resolved.
pub const NEAR_PATH_ENTRIES: usize = 20_000;

/// Places that a search names after the texts that it shows: a caller that wants more can request
/// the next page.
pub const PLACES_NAMED: usize = 5;

/// Thousandths of the best score below which a place is not named after the texts of a search. In
/// the sets of `tests/measure/eval`, one in a hundred of the places below it was the right one, and
/// they were an eighth to two fifths of all lines.
pub const NAMED_THOUSANDTHS: u32 = 500;

/// Maximum number of plans that an instance stores.
pub const PLANS: usize = 4;

/// Maximum bytes of the edits of a stored plan, as JSON.
pub const PLAN_BYTES: usize = 256 << 10;

/// Files suggested for a broken link.
pub const NEAR_FILES_TOLD: usize = 1;

/// Anchors of a document examined for one similar to a missing section.
pub const NEAR_SECTIONS: usize = 1_000;

/// Paths suggested for one that does not exist.
pub const NEAR_PATHS_NAMED: usize = 3;

/// Documents searched for similar words.
pub const NEAR_DOCUMENTS: usize = 24;

/// Bytes examined of each of them: some milliseconds in total.
pub const NEAR_BYTES: usize = 16 << 10;

/// Paths of one call below which similar words are searched for.
pub const NEAR_PATHS: usize = 4;

/// Milliseconds after which no further document is read for similar words, in a call without a
/// deadline of its own.
pub const NEAR_MS: u64 = 200;

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

/// Levels below the start that `find-files` scans when the caller names no number.
pub const FIND_DEPTH_DEFAULT: u32 = 64;

/// Least and most milliseconds that a caller may give to `find-files`; the maximum is the time that
/// hosts give to a call.
pub const FIND_TIMEOUT_MS: (u32, u32) = (1, 60_000);

/// Maximum milliseconds of `find-files` when the caller names no number: as long as people wait.
pub const FIND_TIMEOUT_MS_DEFAULT: u32 = 10_000;

/// Least and most files to which a caller may limit one call of `find-files`.
pub const FIND_FILES: (u32, u32) = (1, 1_000_000);

/// Files that one call of `find-files` reaches when the caller names no number.
pub const FIND_FILES_DEFAULT: u32 = 100_000;

/// Least and most directories that a caller may let one call of `find-files` list.
pub const FIND_DIRECTORIES: (u32, u32) = (1, 100_000);

/// Directories that one call of `find-files` lists when the caller names no number.
pub const FIND_DIRECTORIES_DEFAULT: u32 = 20_000;

/// Entries of `find-files` after which the clock is consulted again: some tens of microseconds.
pub const FIND_CLOCK_ENTRIES: u32 = 64;

/// Share of the cache, one in so many, that the names of all files in known directories may take in
/// addition: half a million names in the cache of a desktop machine.
pub const CACHE_NAMES_SHARE: usize = 8;

/// Share of the cache, one in so many, that the resolved references of one root may take in
/// addition: some ten thousand files in the cache of a desktop machine.
pub const CACHE_GRAPH_SHARE: usize = 4;

/// Maximum characters of a query whose words are searched for, after trimming: a question of some
/// sentences.
pub const QUESTION_CHARS: usize = 500;

/// Tokens of an answer when the caller names no budget: some screens of text.
pub const TOKENS_DEFAULT: u32 = 2000;

/// Additional tokens of an answer if something was skipped.
pub const SKIPPED_FRAME_TOKENS: u32 = 12;

/// Share of an answer's budget, one in so many, for the names of documents whose text is not shown.
pub const NAMES_SHARE: u32 = 4;

/// Maximum number of pages of sections: each is found by rebuilding the earlier ones. A larger
/// budget gives more on each page.
pub const PASSAGE_PAGES: u16 = 100;

/// Maximum bytes of the line that names the next call. If the line is longer, or has more bytes
/// than the answer may have tokens, only the arguments that change are given.
pub const NEXT_CALL_BYTES: u32 = 300;

/// Tokens of each character of a cursor of such a page: it does not consist of words.
pub const CURSOR_CHAR_TOKENS: u32 = 1;

/// Least and most documents that a caller may ask `smart-search` for.
pub const SMART_LIMIT: (u32, u32) = (1, 50);

/// Documents of a `smart-search` answer when the caller names no number.
pub const SMART_LIMIT_DEFAULT: u32 = 5;

/// Documents, lexically best first, whose best passage is compared with a question semantically:
/// they include nine in ten of the relevant ones.
pub const SEMANTIC_DOCUMENTS: usize = 50;

/// Known passages nearest to the question that join the lexical results. Each is read again, and
/// with 100 or 200 there are no more answers among the first ten.
pub const SEMANTIC_NEAREST: usize = 50;

/// The same for a purely semantic search.
pub const SEMANTIC_NEAREST_ALONE: usize = 200;

/// Maximum number of passages passed to an embedder at once: a short call, after which the clock is
/// consulted.
pub const SEMANTIC_BATCH: usize = 8;

/// Milliseconds below which such a call is quick, so that the next one may be twice as large; the
/// first one is of a single passage.
pub const SEMANTIC_BATCH_MS: u64 = 500;

/// Milliseconds for `smart-search` and `reindex` if the host does not set a limit.
pub const SMART_MS: u32 = 60_000;

/// Maximum milliseconds of a call for the embedder, whatever time the call has, since somebody
/// waits for the answer.
pub const SEMANTIC_MS: u64 = 10_000;

/// Milliseconds that a status waits for an embedder, half of them for its name.
pub const STATUS_EMBEDDER_MS: u32 = 4_000;

/// Milliseconds after which a call that makes vectors in advance starts no further ones: short
/// enough for a person to see progress, and to stop it.
pub const REINDEX_MS: u32 = 10_000;

/// Milliseconds after which a call that makes vectors between other calls starts no further ones,
/// and the deadline for the ones already started: nobody waits for it, and it must not delay the
/// end of the host for long.
pub const NEWEST_MS: u32 = 5_000;
pub const NEWEST_END_MS: u32 = 10_000;

/// Versions of documents whose counts are passed to an embedder at once.
pub const COUNTED_AT_ONCE: usize = 512;

/// Versions of documents whose counts are requested at once: some megabytes.
pub const COUNTS_AT_ONCE: usize = 100_000;

/// Tokens reserved in an answer with semantic ranking for the description of documents not embedded
/// yet. Its pages are rebuilt when more documents are known, and the room of their texts must not
/// depend on it.
pub const UNKNOWN_TOKENS: u32 = 50;

/// Passages whose vectors are requested at once; hosts accept at most a thousand.
pub const PASSAGES_AT_ONCE: usize = 500;

/// Milliseconds in which an embedder must report its name for the configuration.
pub const CONFIG_EMBEDDER_MS: u32 = 2_000;

/// Documents searched for a lone identifier literally, the best ones first.
pub const IDENTIFIER_DOCUMENTS: usize = 1000;

/// Least and most documents on a page of a search by metadata.
pub const CONTEXT_LIMIT: (u32, u32) = (1, 200);

/// Documents on a page of a search by metadata when the caller names no number.
pub const CONTEXT_LIMIT_DEFAULT: u32 = 20;

/// Maximum characters of a text that titles or documents must contain.
pub const CRITERION_CHARS: usize = 200;

/// Tags that a search may name.
pub const CRITERION_TAGS: usize = 50;

/// Tags of one document shown in an answer; all of them are searched.
pub const TAGS_SHOWN: usize = 50;

/// Headings that a summary lists.
pub const TOC_ENTRIES: usize = 1000;

/// Links of each kind that a summary lists.
pub const LINKS: usize = 200;

/// Least and most items of a group that a caller may ask `explore` for.
pub const EXPLORE_RESULTS: (u32, u32) = (1, 200);

/// Items of a group when the caller names no number.
pub const EXPLORE_RESULTS_DEFAULT: usize = 20;

/// Items of all groups together that a search shows or names when the caller names no number: items
/// after the tenth are hardly ever the right one, and each takes a line.
pub const SEARCH_RESULTS: usize = 10;

/// Least and most characters of text in one answer of `explore`, and of one item of it.
pub const EXPLORE_CHARS: (u32, u32) = (1, 200_000);

/// Characters of text in an answer when the caller names no number: about 2 000 tokens.
pub const EXPLORE_CHARS_DEFAULT: usize = 8_000;

/// Bytes of text in an answer to a search when the caller names no number: the best two or three
/// sections, about 1 000 tokens.
pub const SEARCH_CHARS: usize = 4_000;

/// Maximum bytes of one of them: a section of usual length with numbers, and room for another one.
pub const SEARCH_ITEM_CHARS: usize = 2_500;

/// Maximum bytes of the best of them, if it is longer: it is the right one more often than all
/// others together. The rest is for the beginning of the second one.
pub const SEARCH_BEST_CHARS: usize = 3_400;

/// Bytes of a document that mentions a name defined in code: the paragraph or table row with the
/// name, and its introduction.
pub const MENTION_CHARS: usize = 800;

/// Bytes that an item takes in addition to its text, its path and its headings: lines, hash and
/// fence.
pub const SEARCH_FRAME_BYTES: usize = 40;

/// Room below which a search begins no text that does not fit completely: a shorter piece makes the
/// answer longer without answering anything. A fifth of the page, within these bounds.
pub const SEARCH_SPLINTER_CHARS: (usize, usize) = (400, 800);

/// Files that are read to find the one that defines a name: the best ones that contain it.
pub const DEFINITION_FILES: usize = 100;

/// Files that are outlined for this. Each takes about a millisecond, and few files look as if they
/// defined the name.
pub const DEFINITION_OUTLINES: usize = 24;

/// Parts of a section that are compared to find the best one, in the room of an item: it is shown
/// with the text before and after it.
pub const PARTS_OF_ROOM: usize = 4;

/// Tokens of the blocks of a section between which a passage is cut: some lines, so that the cuts
/// fall between paragraphs.
pub const BLOCK_TOKENS: u32 = 30;

/// Definitions and sections that an item names in addition to the one shown.
pub const OTHER_DEFINITIONS: usize = 3;

/// Lines of code that form one place: a comment, or a step of a function.
pub const PLACE_LINES: u32 = 12;

/// Bytes of texts that are read for one page: otherwise all texts of a directory of large files
/// would be in memory at once.
pub const EXPLORE_PAGE_BYTES: usize = 8 << 20;

/// Thousandths of the best score that an item needs to come with its text if a query names an
/// identifier and the item contains it: such items are short.
pub const NEAR_NAME_THOUSANDTHS: u32 = 400;

/// Lines shown of a file of code that contains an identifier from a query with other words: the
/// lines with most of the words.
pub const USES_AMONG_WORDS: usize = 5;

/// Minimum characters of an item when the caller names no number: fewer characters hardly make a
/// paragraph.
pub const EXPLORE_ITEM_CHARS: usize = 400;

/// Characters of room below which no text is begun that does not fit completely: a line says less
/// than its heading takes.
pub const EXPLORE_SPLINTER_CHARS: usize = 100;

/// Pixels of the longer side of a picture that comes whole. Services of models refuse larger ones.
pub const PICTURE_PIXELS: u32 = 8_000;

/// Least and most bytes of a file that comes whole.
pub const EXPLORE_BYTES: (u32, u32) = (1, 16 << 20);

/// Bytes of a file that comes whole when the caller names no number.
pub const EXPLORE_BYTES_DEFAULT: u32 = 1 << 20;

/// Least and most files to which a caller may let directories and globs expand.
pub const EXPLORE_FILES: (u32, u32) = (1, 20_000);

/// Files to which directories and globs expand when the caller names no number.
pub const EXPLORE_FILES_DEFAULT: u32 = 500;

/// Levels below a directory to which it expands.
pub const EXPLORE_DEPTH: usize = 5;

/// Share of places, one in so many, that is reserved for files of the preferred kinds.
pub const EXPLORE_PREFERRED_SHARE: usize = 5;

/// Least and most milliseconds that a caller may give to `explore`.
pub const EXPLORE_TIMEOUT_MS: (u32, u32) = (1, 60_000);

/// Milliseconds that `explore` takes at most when the caller names no number.
pub const EXPLORE_TIMEOUT_MS_DEFAULT: u32 = 10_000;

/// Maximum number of paths in one call: for more, a directory or a glob is better.
pub const EXPLORE_PATHS: usize = 100;

/// Maximum number of headings in the path of a section.
pub const HEADING_PATH: usize = 16;

/// Headings or definitions that a hint names as the nearest to one that does not exist.
pub const NEAREST_HEADINGS: usize = 5;

/// Maximum characters of two names that are compared for similarity: all pairs of adjacent
/// characters are compared with each other.
pub const COMPARED_CHARS: usize = 100;

/// Maximum number of divisions of a path into a file and a part: each is looked up on the disk, and
/// names of files hardly ever contain so many `#` and `:`.
pub const PART_READINGS: usize = 8;

/// Parts of one name that a hint distinguishes by their lines.
pub const HINTED_PARTS: usize = 8;

/// Words after which the clock is consulted again: less than a millisecond.
pub const EXPLORE_CLOCK_WORDS: u32 = 20_000;

/// Minimum ratio of the bytes of a text with its frame to those of its line numbers: if these would
/// take more than 8 in 100, some lines have no number.
pub const NUMBERS_SHARE: usize = 12;

/// Interval of numbered lines in such a text: to cite another line, one counts at most four.
pub const NUMBERED_LINES_STEP: u32 = 5;

/// The same for prose in the results of a search. Numbers share the room with the answers: with 8
/// in 100, two questions of a hundred lost their answer (`tests/measure/eval/README.md`), with 4 in
/// 100 hardly any.
pub const PROSE_NUMBERS_SHARE: usize = 25;

/// Bytes that the line numbers of such prose may always take, within the bounds for all texts: a
/// few lines keep all of their numbers.
pub const PROSE_NUMBERS_BYTES: usize = 16;

/// Interval of numbered lines in such prose.
pub const PROSE_LINES_STEP: u32 = 10;

/// Approximate bytes of a word including its space, by which the words of a long text are estimated
/// before they are counted.
pub const WORD_BYTES: usize = 6;

/// Maximum bytes of the documents that a search keeps from one of its stages to the next: more than
/// a hundred files of code.
pub const CALL_DOCUMENT_BYTES: usize = 8 << 20;

/// Words that visiting a file costs in addition to its own.
pub const EXPLORE_FILE_WORDS: u32 = 1_500;

/// Minimum number of words of a query that may be those of a message: two are often adjacent by
/// chance.
pub const MESSAGE_WORDS: usize = 3;

/// Files of a group that are read to check whether they contain a message: the best ones, which
/// contain most of its words.
pub const MESSAGE_FILES: usize = 20;

/// Hours for which a pack is valid: the duration of an agent's task.
pub const PACK_HOURS: u64 = 24;

/// Packs whose results are cached in a warm instance.
pub const REMEMBERED_PACKS: usize = 16;

/// Bytes of a section in which the words of a query are counted individually: a hundredth of a
/// second.
pub const HIT_COUNT_BYTES: usize = 256 << 10;

/// Minimum number of texts from which a word that more than half of them contain is ignored in a
/// heading: if there are fewer, most may well be about it.
pub const COMMON_WORD_TEXTS: u32 = 20;

/// Characters shown of a line of code around a hit.
pub const HIT_LINE_CHARS: usize = 160;

/// Entries of a file of settings shown for a query; a word that more of them contain is not
/// specific enough.
pub const DATA_HITS: usize = 40;

/// Characters of a value in an outline of keys: enough for a version, a name or a short command.
pub const DATA_OUTLINE_VALUE_CHARS: usize = 60;

/// Characters of an outline of keys when the caller names no number: a screen of short lines.
pub const DATA_OUTLINE_CHARS: usize = 2_400;

/// Factor in thousandths for the score of a lock file or a minified file: such a file contains each
/// name of a project, and seldom the answer, which then needs only a third of its words to come
/// first.
pub const GENERATED_THOUSANDTHS: u32 = 300;

/// Factor in thousandths for the score of a file of tests unless the query asks for tests: it
/// repeats the names that it tests, and shows results, not how they come about.
pub const TEST_THOUSANDTHS: u32 = 850;

/// The same for a change log unless the query asks for changes: it mentions everything once, in a
/// line that says little more than that it exists.
pub const CHANGE_LOG_THOUSANDTHS: u32 = 700;

/// Characters of the first paragraph that a preview quotes.
pub const FIRST_PARAGRAPH_CHARS: usize = 600;

/// Least and most tokens that a caller may ask for.
pub const TOKENS: (u32, u32) = (100, 100_000);

/// Tokens of the Markdown around a document that is read, without names, numbers and text.
pub const READ_FRAME_TOKENS: u32 = 36;

/// Tokens of the sentence that names the next call, without names and numbers.
pub const NEXT_CALL_TOKENS: u32 = 32;

/// Bytes of text in one answer of `read-document`: about 250 000 tokens, more than models take.
pub const READ_BYTES: usize = 1 << 20;

/// Bytes at a document's start that a listing searches for its title.
pub const TITLE_BYTES: usize = 16 << 10;

/// Characters of a cursor.
pub const CURSOR_CHARS: usize = 4096;

/// Headings named in a hint when a section was not found.
pub const HINTED_SECTIONS: usize = 20;

/// Maximum number of edits in one call of `change`: for more, a program is better.
pub const EDITS: usize = 200;

/// Refused edits of a call that are explained: each takes up to 2 000 characters.
pub const REASONS_SHOWN: usize = 5;

/// Refused edits that are only listed, by their index.
pub const REASONS_LISTED: usize = 20;

/// Places of one edit that an answer shows.
pub const EDITED_PLACES: usize = 20;

/// Bytes of all differences in one answer: about 25 000 tokens, more than anyone reads at once.
pub const DIFFS_BYTES: usize = 100_000;

/// Links of one kind that an answer shows.
pub const LINKS_SHOWN: usize = 20;

/// Bytes of all files that one call opens to change or move: they are in memory, or were read.
pub const OPENED_BYTES: usize = 256 << 20;

/// Documents that are read only to check whether new links resolve to one of their sections.
pub const LINK_TARGETS_READ: usize = 100;

/// Maximum milliseconds for searching the links of a root: the write that follows needs its time as
/// well, within the time that hosts give to a call.
pub const LINK_INDEX_MS: u64 = 10_000;

/// Entries of a root after which the clock is consulted again.
pub const LINK_INDEX_CLOCK_ENTRIES: u32 = 64;

/// Least and most bytes of an answer of `understand`.
pub const UNDERSTAND_CHARS: (u32, u32) = (500, 200_000);

/// Bytes of its answer when the caller names no number: as much as an agent reads of a new project.
pub const UNDERSTAND_CHARS_DEFAULT: usize = 8_000;

/// Bytes that an entry takes in addition to its texts: punctuation, line numbers, evidence.
pub const UNDERSTAND_ENTRY_BYTES: usize = 24;

/// Least and most files that one call of `understand` reads.
pub const UNDERSTAND_FILES: (u32, u32) = (1, 100_000);

/// Files that it reads when the caller names no number: a large repository.
pub const UNDERSTAND_FILES_DEFAULT: usize = 20_000;

/// Maximum number of paths in one call of `understand`.
pub const UNDERSTAND_PATHS: usize = 64;

/// Least and most milliseconds that a caller may give to `understand`.
pub const UNDERSTAND_TIMEOUT_MS: (u32, u32) = (1, 60_000);

/// Milliseconds that `understand` takes at most when the caller names no number.
pub const UNDERSTAND_TIMEOUT_MS_DEFAULT: u32 = 10_000;

/// Names of `understand` after which the clock is consulted again: some tenths of a millisecond.
pub const UNDERSTAND_CLOCK_NAMES: u32 = 1024;

/// Files of `understand` after which the clock is consulted again: some milliseconds.
pub const UNDERSTAND_CLOCK_FILES: u32 = 16;

/// Maximum number of files of one import listed one by one; more are listed as their directory.
pub const FILES_TOLD_ALONE: usize = 4;

/// Files that are read again for the lines that contain a name.
pub const USE_FILES: usize = 2_000;

/// Maximum number of definitions removed from one file whose uses are searched for.
pub const GONE_NAMES: usize = 20;

/// Maximum number of lines with a name that are listed; for a name that occurs everywhere nobody
/// reads more.
pub const USE_LINES: usize = 20_000;

/// Maximum number of lines searched backwards for the beginning of a statement.
pub const STATEMENT_LINES: usize = 30;

/// Steps of a deep request, and the minimum at which transitive callers are followed.
pub const DEEP_DEPTH: u32 = 5;

/// Callers per step whose own uses are searched for: each file is searched for each of them.
pub const CALLERS: usize = 50;

/// Maximum number of imports between a file and a definition that it uses.
pub const USE_STEPS: u32 = 5;

/// Maximum characters shown of a line that uses a name.
pub const SHOWN_LINE_CHARS: usize = 160;

/// Names suggested if no definition has the requested one.
pub const NEAREST_SYMBOLS: usize = 5;

/// Definitions listed for an ambiguous name: enough to see which file to name, and each is looked
/// up in its text.
pub const AMBIGUOUS_SHOWN: usize = 20;

/// Minimum characters of the name of a definition that is searched for in other files.
pub const HOT_SYMBOL_CHARS: usize = 4;

/// Definitions of one file that are searched for in others.
pub const HOT_SYMBOLS: usize = 500;

/// Maximum lines of a file's changes in an error.
pub const CONFLICT_DIFF_LINES: usize = 40;

/// Least and most hexadecimal digits of a hash in a request.
pub const HASH_DIGITS: (usize, usize) = (12, 64);

/// Files of one operation that the history shows.
pub const RECORDED_FILES: usize = 20;

/// Least and most operations on a page of the history.
pub const HISTORY_LIMIT: (u32, u32) = (1, 100);

/// Operations on a page of the history when the caller names no number.
pub const HISTORY_LIMIT_DEFAULT: u32 = 20;

/// Conflicts of one root that `manage` shows.
pub const CONFLICTS_SHOWN: usize = 20;

/// Maximum bytes of a template: many times the size of usual ones.
pub const TEMPLATE_BYTES: usize = 1 << 20;

/// Templates of a root that are named if the requested one does not exist.
pub const TEMPLATES_NAMED: usize = 20;

/// Maximum number of names tried for a probe.
pub const PROBES: u32 = 10;

/// Milliseconds of a day.
const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// The limits in the answer of `get-config`: name, value, unit.
pub const CONFIG_LIMITS: [(&str, u64, &str); 41] = [
    ("query", QUERY_CHARS as u64, "characters"),
    ("question", QUESTION_CHARS as u64, "characters"),
    ("smart-search-limit", SMART_LIMIT.1 as u64, "documents"),
    ("context-chars", CONTEXT_CHARS.1 as u64, "characters"),
    ("max-results", MAX_RESULTS.1 as u64, "hits per document"),
    ("search-limit", SEARCH_LIMIT.1 as u64, "documents"),
    ("hits-per-answer", HITS_PER_ANSWER as u64, "hits"),
    (
        "documents-per-answer",
        DOCUMENTS_PER_ANSWER as u64,
        "documents",
    ),
    ("search-timeout", SEARCH_TIMEOUT_MS.1 as u64, "milliseconds"),
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
    ("edits", EDITS as u64, "edits"),
    ("changed-files", FILES as u64, "files"),
    ("changed-bytes", TRANSACTION_BYTES as u64, "bytes"),
    ("history-limit", HISTORY_LIMIT.1 as u64, "changes"),
    ("history", HISTORY.operations as u64, "changes"),
    ("history-age", (HISTORY.age_ms / DAY_MS) as u64, "days"),
    ("history-bytes", HISTORY.bytes, "bytes"),
];
