//! Every limit: its value, its unit, and the reason for it.

use docent_corpus::limits::{EXTRACTED_BYTES, FOREIGN_BYTES, FOREIGN_PER_CALL, WALK_DEPTH};
use docent_transaction::limits::{FILES, HISTORY, TRANSACTION_BYTES};
use docent_tree::limits::{DOCUMENT_BYTES, GLOB_BYTES, PATH_BYTES, SEGMENT_BYTES};

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

/// Documents with hits that one answer looks at before it lists the best: their paths and counts
/// are kept meanwhile. Without a budget, documents searched, so that pages do not depend on time.
pub const DOCUMENTS_PER_ANSWER: u32 = 1000;

/// Tokens of an answer of `search-documents` when the caller names no budget: some dozens of hits.
pub const SEARCH_TOKENS_DEFAULT: u32 = 4000;

/// Least and most milliseconds that a caller may give to `search-documents`.
pub const SEARCH_TIMEOUT_MS: (u32, u32) = (1, 60_000);

/// Milliseconds that `search-documents` takes at most when the caller names no number.
pub const SEARCH_TIMEOUT_MS_DEFAULT: u32 = 10_000;

/// Entries that a search comes by between two looks at the clock: some tenths of a millisecond.
pub const SEARCH_CLOCK_ENTRIES: u32 = 64;

/// Bytes that it searches between them: about a millisecond.
pub const SEARCH_CLOCK_BYTES: u64 = 1 << 20;

/// Tokens of a search's first lines beside the query.
pub const SEARCH_FRAME_TOKENS: u32 = 36;

/// Tokens of the sentence that says of how many files no hit is shown.
pub const LEFT_OUT_TOKENS: u32 = 28;

/// Tokens of the sentence that says how many hits of a file are not shown.
pub const MORE_HITS_TOKENS: u32 = 16;

/// Tokens of the sentence that says which number was taken for an argument.
pub const CLAMPED_TOKENS: u32 = 16;

/// Tokens of a skipped entry beside its path.
pub const SKIPPED_ENTRY_TOKENS: u32 = 8;

/// Tokens of a line with a file's path and how many hits it holds, beside both.
pub const COUNT_LINE_TOKENS: u32 = 6;

/// Tokens round a file's path and name above its hits.
pub const FILE_FRAME_TOKENS: u32 = 8;

/// Tokens round an excerpt: its number and line.
pub const EXCERPT_FRAME_TOKENS: u32 = 10;

/// Tokens round a section with hits: its number, lines, count and fences.
pub const SECTION_HITS_TOKENS: u32 = 34;

/// The part of the budget, one in so many, that counts by file take at most where not everything
/// fits: the rest shows what the best of them say.
pub const COUNTS_SHARE: u32 = 2;

/// Characters shown of one section in full-context mode; a section may be a whole book.
pub const SECTION_CHARS: usize = 8_000;

/// Documents whose names are looked at where nothing was found, to choose those that near words are
/// looked for in.
pub const NEAR_NAMES: usize = 2_000;

/// Entries that are looked at for names near a path that leads nowhere.
pub const NEAR_PATH_ENTRIES: usize = 20_000;

/// Places that a search names behind the texts that it shows: whoever wants more goes on.
pub const PLACES_NAMED: usize = 5;

/// Thousandths of the best score below which a place is not named behind the texts of a search. Of
/// the places below it, one in a hundred was the one that was asked for in the sets of `tests/eval`,
/// and they were an eighth to two fifths of all lines.
pub const NAMED_THOUSANDTHS: u32 = 500;

/// Plans of edits that an instance remembers.
pub const PLANS: usize = 4;

/// Bytes of the edits of a plan that is remembered, as JSON.
pub const PLAN_BYTES: usize = 256 << 10;

/// Files that are told where a link leads to none.
pub const NEAR_FILES_TOLD: usize = 1;

/// Places of a document that are looked at for one near a section that is not there.
pub const NEAR_SECTIONS: usize = 1_000;

/// Paths that are named in the place of one that leads nowhere.
pub const NEAR_PATHS_NAMED: usize = 3;

/// Documents in which near words are looked for.
pub const NEAR_DOCUMENTS: usize = 24;

/// Bytes of each of them that are looked at: all in all some milliseconds.
pub const NEAR_BYTES: usize = 16 << 10;

/// Paths of one call below which near words are looked for.
pub const NEAR_PATHS: usize = 4;

/// Milliseconds after which no further document is read for near words, where a call has no end of
/// its own.
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

/// The part of the cache, one in so many, that the names of all files in known directories may take
/// beside the rest: half a million names in the cache of a desk machine.
pub const CACHE_NAMES_SHARE: usize = 8;

/// The part of the cache, one in so many, that the references of one root, with where they lead, may
/// take beside the rest: some ten thousand files in the cache of a desk machine.
pub const CACHE_GRAPH_SHARE: usize = 4;

/// Characters of a query whose words are looked for, after trimming: a question of some sentences.
pub const QUESTION_CHARS: usize = 500;

/// Tokens of an answer when the caller names no budget: some screens of text.
pub const TOKENS_DEFAULT: u32 = 2000;

/// Tokens that an answer takes more where something was not examined.
pub const SKIPPED_FRAME_TOKENS: u32 = 12;

/// The part of an answer's budget, one in so many, that the names of documents take at most whose
/// text is not shown.
pub const NAMES_SHARE: u32 = 4;

/// Pages that sections are given in at most: each is found by making those before it again. More
/// comes with a larger budget.
pub const PASSAGE_PAGES: u16 = 100;

/// Bytes of the line that names the next call; of a longer one, or one of more bytes than the answer
/// may have tokens, only what changes is told.
pub const NEXT_CALL_BYTES: u32 = 300;

/// Tokens of each character of a cursor of such a page: they are without a meaning.
pub const CURSOR_CHAR_TOKENS: u32 = 1;

/// Least and most documents that a caller may ask `smart-search` for.
pub const SMART_LIMIT: (u32, u32) = (1, 50);

/// Documents that `smart-search` gives when the caller names no number.
pub const SMART_LIMIT_DEFAULT: u32 = 5;

/// Documents, best by words first, of which the best passage is compared with a question by meaning:
/// of those that are meant, nine in ten are among so many.
pub const MEANT_DOCUMENTS: usize = 50;

/// Passages that join what words find because they are near by what is known already: each is read
/// again, and of 100 or 200 no more answers are among the first ten than of so many.
pub const MEANT_NEAREST: usize = 50;

/// The same where nothing but meaning is asked for.
pub const MEANT_NEAREST_ALONE: usize = 200;

/// Passages that an embedder is given at once at most: a short call of it, after which the clock is
/// looked at.
pub const MEANT_BATCH: usize = 8;

/// Milliseconds below which such a call is quick, so that the next one may be twice as large; the
/// first one is of a single passage.
pub const MEANT_BATCH_MS: u64 = 500;

/// Milliseconds that `smart-search` and `reindex` have where the host does not say.
pub const SMART_MS: u32 = 60_000;

/// Milliseconds of a call in which an embedder works at most, whatever the call has: somebody waits.
pub const MEANT_MS: u64 = 10_000;

/// Milliseconds that a status waits for an embedder, half of them for its name.
pub const STATUS_EMBEDDER_MS: u32 = 4_000;

/// Milliseconds in which a call that makes vectors for later ones begins with more: short enough for
/// a person to see that it goes on, and to stop it.
pub const REINDEX_MS: u32 = 10_000;

/// Milliseconds in which a call that makes vectors between others begins with more, and those that it
/// has for what it has begun: nobody waits for it, and whoever ends the host does not wait long.
pub const NEWEST_MS: u32 = 5_000;
pub const NEWEST_END_MS: u32 = 10_000;

/// Versions of documents whose counts an embedder is handed at once.
pub const COUNTED_AT_ONCE: usize = 512;

/// Versions of documents whose counts are asked for at once: some megabytes.
pub const COUNTS_AT_ONCE: usize = 100_000;

/// Tokens that an answer by meaning keeps free for saying what is not known yet. Its pages are made
/// again, and more is known by then: what they have room for must not depend on it.
pub const UNKNOWN_TOKENS: u32 = 50;

/// Passages whose vectors are asked for at once; hosts take no more than a thousand.
pub const PASSAGES_AT_ONCE: usize = 500;

/// Milliseconds that an embedder has to say its name to who asks for the configuration.
pub const CONFIG_EMBEDDER_MS: u32 = 2_000;

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

/// Tags of one document that an answer shows; all of them are looked for.
pub const TAGS_SHOWN: usize = 50;

/// Headings that a summary lists.
pub const TOC_ENTRIES: usize = 1000;

/// Links of each kind that a summary lists.
pub const LINKS: usize = 200;

/// Least and most items of a group that a caller may ask `explore` for.
pub const EXPLORE_RESULTS: (u32, u32) = (1, 200);

/// Items of a group when the caller names no number.
pub const EXPLORE_RESULTS_DEFAULT: usize = 20;

/// Items of all groups together that a search shows or names when the caller names no number: what
/// stands behind the tenth place is hardly ever what was meant, and each takes a line.
pub const SEARCH_RESULTS: usize = 10;

/// Least and most characters of text in one answer of `explore`, and of one item of it.
pub const EXPLORE_CHARS: (u32, u32) = (1, 200_000);

/// Characters of text in an answer when the caller names no number: about 2 000 tokens.
pub const EXPLORE_CHARS_DEFAULT: usize = 8_000;

/// Characters of a pattern at most.
pub const PATTERN_CHARS: usize = 1_000;

/// Bytes of the automata of a pattern: enough for some hundred repetitions of a class of letters,
/// and as much as an instance can spare beside its texts.
pub const PATTERN_NFA_BYTES: usize = 2 << 20;
/// The same of the states that are made on the way.
pub const PATTERN_DFA_BYTES: usize = 2 << 20;

/// Bytes of a text in which a pattern is looked for at once. Between them the clock is asked; each
/// of them begins anew to look for the pattern's literals.
pub const PATTERN_CHUNK_BYTES: usize = 64 << 10;

/// Lines of context round a matching line at most.
pub const PATTERN_CONTEXT: (u32, u32) = (0, 20);

/// Bytes of a matching line that are shown: one of a minified file would fill the answer.
pub const PATTERN_LINE_BYTES: usize = 300;

/// Different texts that are counted of one pattern, and their bytes: beyond that memory would be
/// without bounds.
pub const PATTERN_VALUES: usize = 100_000;
/// See [`PATTERN_VALUES`].
pub const PATTERN_VALUE_BYTES: usize = 4 << 20;

/// Files that are named with the number of lines that an answer does not show.
pub const PATTERN_REST_FILES: usize = 10;

/// Bytes of text in an answer to a search when the caller names no number: the best two or three
/// sections, about 1 000 tokens.
pub const SEARCH_CHARS: usize = 4_000;

/// Bytes of one of them: a section of usual length with numbers, and room for another one.
pub const SEARCH_ITEM_CHARS: usize = 2_500;

/// Bytes of the best of them, where it is longer: it is what was asked for more often than all others
/// together. What is left is for the beginning of the second one.
pub const SEARCH_BEST_CHARS: usize = 3_400;

/// Bytes of a document that speaks of a name which code holds: the paragraph or the row of a table
/// where it stands, and what introduces it.
pub const MENTION_CHARS: usize = 800;

/// Bytes that an item takes beside its text, its path and its headings: lines, hash and fence.
pub const SEARCH_FRAME_BYTES: usize = 40;

/// Room below which no text of a search is begun that does not end there: less is a splinter, which
/// makes the answer longer and answers nothing. A fifth of the page, within these bounds.
pub const SEARCH_SPLINTER_CHARS: (usize, usize) = (400, 800);

/// Files that are read to see which of them defines a name: the best ones that hold it.
pub const DEFINITION_FILES: usize = 100;

/// Files of which an outline is made to see it. Each takes about a millisecond; hardly ever do more
/// than a few look as if they did.
pub const DEFINITION_OUTLINES: usize = 24;

/// Parts of a section that are compared to find the best one, in the room of an item: it comes with
/// what stands before and behind it.
pub const PARTS_OF_ROOM: usize = 4;

/// Tokens of the blocks of a section between which a passage is cut: some lines, so that the cuts
/// fall between paragraphs.
pub const BLOCK_TOKENS: u32 = 30;

/// Definitions and sections that an item names beside the one that it shows.
pub const OTHER_DEFINITIONS: usize = 3;

/// Lines of code that stand in one place: a comment, or a step of a function.
pub const PLACE_LINES: u32 = 12;

/// Bytes of texts that are read for one page: those of a directory of large files would else stand
/// in memory side by side.
pub const EXPLORE_PAGE_BYTES: usize = 8 << 20;

/// Thousandths of the best score that an item needs to come with its text where a query names an
/// identifier and the item holds it: such items are short.
pub const NEAR_NAME_THOUSANDTHS: u32 = 400;

/// Lines of a file of code that holds an identifier among the words of a query: those which hold
/// most of the words come.
pub const USES_AMONG_WORDS: usize = 5;

/// Characters that an item has at least where the caller names no number: less holds hardly a
/// paragraph.
pub const EXPLORE_ITEM_CHARS: usize = 400;

/// Characters of room below which no further text is begun that does not end there: a line, which
/// says less than its heading takes.
pub const EXPLORE_SPLINTER_CHARS: usize = 100;

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

/// Headings or definitions that a hint names as the nearest to one that is not there.
pub const NEAREST_HEADINGS: usize = 5;

/// Characters of two names that are compared to tell how alike they are: the pairs in them are
/// compared each with each.
pub const COMPARED_CHARS: usize = 100;

/// Ways to divide a path into a file and a part of it: each is looked for on the disk, and names of
/// files hardly ever hold so many `#` and `:`.
pub const PART_READINGS: usize = 8;

/// Parts of one name that a hint tells apart by their lines.
pub const HINTED_PARTS: usize = 8;

/// Words read between two looks at the clock: less than a millisecond.
pub const EXPLORE_CLOCK_WORDS: u32 = 20_000;

/// How many times the bytes that the numbers of lines take fit into a text with its frame, at least:
/// where they would take more than 8 in 100, some lines have none.
pub const NUMBERS_SHARE: usize = 12;

/// Of such a text the first line in each so many has its number: whoever cites another line counts
/// four at most.
pub const NUMBERED_LINES_STEP: u32 = 5;

/// The same of prose that a search shows. Numbers share its room with what answers: with 8 in 100 two
/// questions of a hundred lost theirs (`tests/eval/README.md`), with 4 in 100 hardly any.
pub const PROSE_NUMBERS_SHARE: usize = 25;

/// Bytes that the numbers of such prose take in any case, within the bounds of all texts: a few lines
/// are spared none.
pub const PROSE_NUMBERS_BYTES: usize = 16;

/// Of such prose the first line in each so many has its number.
pub const PROSE_LINES_STEP: u32 = 10;

/// Bytes that a word has about, its blank included: by them the words of a long text are told before
/// they are counted.
pub const WORD_BYTES: usize = 6;

/// Words that a file costs beside its own, looking for it.
pub const EXPLORE_FILE_WORDS: u32 = 1_500;

/// Words of a query that may be those of a message, at least: two stand together by chance.
pub const MESSAGE_WORDS: usize = 3;

/// Files of a group that are read to see which of them hold a message: the best ones, which hold most
/// of its words.
pub const MESSAGE_FILES: usize = 20;

/// Hours for which a pack can be asked for: what an agent's task takes.
pub const PACK_HOURS: u64 = 24;

/// Packs whose results are remembered in a warm instance.
pub const REMEMBERED_PACKS: usize = 16;

/// Bytes of a section in which the words of a query are counted one by one: a hundredth of a second.
pub const HIT_COUNT_BYTES: usize = 256 << 10;

/// Texts from which on a word that more than half of them hold tells nothing in a heading: of fewer
/// ones most may well be about it.
pub const COMMON_WORD_TEXTS: u32 = 20;

/// Characters of a line of code that are shown round a hit.
pub const HIT_LINE_CHARS: usize = 160;

/// Entries of a file of settings that are shown of a query; a word that more of them hold is no
/// question.
pub const DATA_HITS: usize = 40;

/// Characters of a value in an outline of keys: enough for a version, a name or a short command.
pub const DATA_OUTLINE_VALUE_CHARS: usize = 60;

/// Characters of an outline of keys where the caller names no number: a screen of short lines.
pub const DATA_OUTLINE_CHARS: usize = 2_400;

/// Thousandths that the score of a lock file or of a minified one counts: such a file holds each
/// name of a project, and seldom the answer, which has to hold a third of its words to come first.
pub const GENERATED_THOUSANDTHS: u32 = 300;

/// Thousandths that the score of a file of tests counts where the query does not ask for tests: it
/// repeats the names of what it tests, and shows what comes of them, not how.
pub const TEST_THOUSANDTHS: u32 = 850;

/// The same of a list of changes where the query does not ask for these: it names everything once,
/// in a line that tells no more than that it is there.
pub const CHANGE_LOG_THOUSANDTHS: u32 = 700;

/// Characters of the first paragraph that a preview quotes.
pub const FIRST_PARAGRAPH_CHARS: usize = 600;

/// Least and most tokens that a caller may ask for.
pub const TOKENS: (u32, u32) = (100, 100_000);

/// Tokens that the Markdown of a document that is read takes beside names, numbers and text.
pub const READ_FRAME_TOKENS: u32 = 36;

/// Tokens that the sentence takes which names the next call, beside names and numbers.
pub const NEXT_CALL_TOKENS: u32 = 32;

/// Bytes of text in one answer of `read-document`: about 250 000 tokens, more than models take.
pub const READ_BYTES: usize = 1 << 20;

/// Bytes at a document's start that a listing looks through for its title.
pub const TITLE_BYTES: usize = 16 << 10;

/// Characters of a cursor.
pub const CURSOR_CHARS: usize = 4096;

/// Headings named in a hint when a section was not found.
pub const HINTED_SECTIONS: usize = 20;

/// Edits of one call of `change`: more are better made by a program.
pub const EDITS: usize = 200;

/// Edits of a call that cannot be made and are explained: each takes up to 2 000 characters.
pub const REASONS_SHOWN: usize = 5;

/// Edits that are only named, by their index.
pub const REASONS_LISTED: usize = 20;

/// Places of one edit that an answer shows.
pub const EDITED_PLACES: usize = 20;

/// Bytes of all differences in one answer: about 25 000 tokens, more than anyone reads at once.
pub const DIFFS_BYTES: usize = 100_000;

/// Links of one kind that an answer shows.
pub const LINKS_SHOWN: usize = 20;

/// Bytes of all files that one call opens to change or move: they are in memory, or were read.
pub const OPENED_BYTES: usize = 256 << 20;

/// Documents that are read only to know whether new links lead to a section of theirs.
pub const LINK_TARGETS_READ: usize = 100;

/// Milliseconds in which the links of a root are looked at: the writing that follows needs its
/// time as well, within what hosts give to a call.
pub const SURVEY_MS: u64 = 10_000;

/// Entries of a root between two looks at the clock.
pub const SURVEY_CLOCK_ENTRIES: u32 = 64;

/// Least and most bytes that an answer of `understand` may tell.
pub const UNDERSTAND_CHARS: (u32, u32) = (500, 200_000);

/// Bytes that it tells when the caller names no number: what an agent reads of a new project.
pub const UNDERSTAND_CHARS_DEFAULT: usize = 8_000;

/// Bytes that an entry takes beside its texts: signs, line numbers, how it is known.
pub const UNDERSTAND_ENTRY_BYTES: usize = 24;

/// Least and most files that one call of `understand` reads.
pub const UNDERSTAND_FILES: (u32, u32) = (1, 100_000);

/// Files that it reads when the caller names no number: a large repository.
pub const UNDERSTAND_FILES_DEFAULT: usize = 20_000;

/// Paths that one call of `understand` is about.
pub const UNDERSTAND_PATHS: usize = 64;

/// Least and most milliseconds that a caller may give to `understand`.
pub const UNDERSTAND_TIMEOUT_MS: (u32, u32) = (1, 60_000);

/// Milliseconds that `understand` takes at most when the caller names no number.
pub const UNDERSTAND_TIMEOUT_MS_DEFAULT: u32 = 10_000;

/// Names that `understand` comes by between two looks at the clock: some tenths of a millisecond.
pub const UNDERSTAND_CLOCK_NAMES: u32 = 1024;

/// Files that it reads between them: some milliseconds.
pub const UNDERSTAND_CLOCK_FILES: u32 = 16;

/// Files of one import that are told each by itself; more are told as their directory.
pub const FILES_TOLD_ALONE: usize = 4;

/// Files that are read again for the lines in which a name stands.
pub const USE_FILES: usize = 2_000;

/// Names of definitions that a change takes out of one file, of which it is looked who uses them.
pub const GONE_NAMES: usize = 20;

/// Lines that hold a name and are told; of a name that stands everywhere nobody reads more.
pub const USE_LINES: usize = 20_000;

/// Lines that a statement is followed back over to where it begins.
pub const STATEMENT_LINES: usize = 30;

/// Steps of a deep look, from which on the callers of callers are followed.
pub const DEEP_DEPTH: u32 = 5;

/// Callers whose own uses are looked for, a step: each file is held against each of them.
pub const CALLERS: usize = 50;

/// Imports over which a file may come to a definition that it uses.
pub const USE_STEPS: u32 = 5;

/// Characters of a line that uses a name, as answers show it.
pub const SHOWN_LINE_CHARS: usize = 160;

/// Names that are told where nothing is called by the one that was asked for.
pub const NEAREST_SYMBOLS: usize = 5;

/// Definitions of one name that are shown where more than one is called so: enough to see which file
/// to name, and each is looked up in its text.
pub const AMBIGUOUS_SHOWN: usize = 20;

/// Characters of the name of a definition that is looked for in other files.
pub const HOT_SYMBOL_CHARS: usize = 4;

/// Definitions of one file that are looked for in others.
pub const HOT_SYMBOLS: usize = 500;

/// Lines of what changed in a file since, in an error.
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

/// Bytes of a template: many times what people fill in.
pub const TEMPLATE_BYTES: usize = 1 << 20;

/// Templates of a root that are named where one is not there.
pub const TEMPLATES_NAMED: usize = 20;

/// Names that are tried for a probe.
pub const PROBES: u32 = 10;

/// Milliseconds of a day.
const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// The limits that `get-config` tells: name, value, unit.
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
