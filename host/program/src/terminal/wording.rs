//! Translation of arguments of a tool into options of the command line. Refusals and hints name
//! arguments; people wrote options, and cannot set an argument that has no option.

use docent_host::Refusal;

/// A phrase in a refusal or hint, and its replacement for people.
type Phrase = (&'static str, &'static str);

const SEARCH: &[Phrase] = &[
    ("`query`", "`QUERY`"),
    ("`extensions`", "`--ext`"),
    ("Leave extensions out", "Leave --ext out"),
];

const FIND: &[Phrase] = &[
    ("`glob`", "`GLOB`"),
    ("Leave glob out", "Leave GLOB out"),
    ("`from`", "`--from`"),
    ("`to`", "`--to`"),
    ("Exchange from and to", "Exchange --from and --to"),
    ("maxDepth", "--max-depth"),
];

const QUERY: &[Phrase] = &[
    ("`query`", "`QUESTION`"),
    ("maxTokens", "--max-tokens"),
    ("`limit`", "`--limit`"),
    ("Leave limit out", "Leave --limit out"),
];

const TAGS: &[Phrase] = &[
    (
        "`dateRange` starts after its end; expected the earlier date as `start`",
        "`--from` is later than `--to`; expected the earlier date as `--from`",
    ),
    ("`tags`", "`TAGS`"),
    ("`content`", "`--content`"),
    ("`title`", "`--title`"),
    ("`start`", "`--from`"),
    ("`end`", "`--to`"),
    ("Exchange start and end", "Exchange --from and --to"),
    ("leave start out", "leave --from out"),
    ("leave end out", "leave --to out"),
];

const EXPLORE: &[Phrase] = &[
    ("`query`", "`--query`"),
    ("`headingPath`", "`--section`"),
    ("`section`", "`--section`"),
    ("`paths`", "`PATHS`"),
    ("view `full`", "--full"),
    ("maxResults", "--limit"),
    ("limits.maxChars", "--max-chars"),
    ("maxChars", "--max-chars"),
    ("continue with the cursor", "continue with --all"),
    ("name a directory in paths", "name a directory"),
    ("raise limits.timeoutMs", "name a smaller directory"),
];

const GREP: &[Phrase] = &[
    ("`paths`", "`PATH`"),
    (
        "Set literal to true to look for it as plain text",
        "Add -F to look for it as plain text",
    ),
    ("`pattern`", "`PATTERN`"),
    ("`context`", "`--context`"),
    ("Leave context out", "Leave --context out"),
    ("`glob`", "`--glob`"),
];

/// Longer phrases precede the shorter ones that they contain.
const CHANGE: &[Phrase] = &[
    // A command has one edit.
    ("edits[0] in ", ""),
    ("edits[0]: ", ""),
    ("`lines`, `diff`, `move`", "`--lines`"),
    ("`includeSubsections`: true", "`--subsections`"),
    ("`match` with `whitespace`", "`--ignore-blanks`"),
    ("`oldText`", "`--old`"),
    ("`newText`", "`--new`"),
    ("`line`", "`--line`"),
    ("`occurrence`", "`--occurrence`"),
    ("`within`", "`--within`"),
    ("`match`", "`--ignore-blanks`"),
    ("`insert`", "`--insert`"),
    ("`at`", "`--at`"),
    ("`anchor`", "`--anchor`"),
    ("`section`", "`--section`"),
    ("`op`", "`--op`"),
    ("`content`", "`--content`"),
    ("`includeSubsections`", "`--subsections`"),
    ("`lines`", "`--lines`"),
    ("`hash`", "`--hash`"),
    ("`diff`: ", ""),
    (
        "Edits cannot create a file: write it as a whole",
        "`docent write` creates files",
    ),
];

const WRITE: &[Phrase] = &[
    ("send `ifExists` `overwrite`", "add --overwrite"),
    ("`variables`", "`--set`"),
    ("`template`", "`--template`"),
    ("`content`", "the content"),
    ("`hash`", "`--hash`"),
];

const MANAGE: &[Phrase] = &[
    (
        "This host keeps no history: ask the person to start it with a state directory.",
        "Leave --no-state out, or name a directory with `--state DIR`.",
    ),
    (
        "This host keeps no history: nothing can be undone.",
        "no history is kept; leave --no-state out, or name a directory with `--state DIR`",
    ),
    (
        "Send `command` `history` to see the changes",
        "`docent history` lists the changes",
    ),
    (
        "send `redo` with the number of its undo",
        "give `docent redo` the number of its undo",
    ),
];

/// Phrases addressed to models, and their replacements for the person at the command line.
const PERSON: &[Phrase] = &[
    ("Ask the person to make ", "Make "),
    ("Ask the person to save ", "Save "),
    ("Ask the person to look ", "Look "),
    ("; ask the person to copy it", "; copy it"),
    ("; ask the person for a backup", "; look for a backup"),
    (
        "or ask the person to create the file",
        "or create the file in another way",
    ),
    ("or ask the person to edit it", "or edit it in another way"),
    (" Try again; if it fails again, tell the person.", ""),
];

/// Arguments without an option.
const WITHOUT_OPTION: [&str; 6] = [
    "allowBinary",
    "allowGlobs",
    "allowSensitive",
    "maxBytes",
    "maxItemChars",
    "timeoutMs",
];

/// Rewrites a refusal of `function` for people.
pub fn refusal(function: &str, refusal: Refusal) -> Refusal {
    // The lines after the first quote a file. A word in them that looks like an argument is its
    // content and is shown unchanged.
    let (first, lines) = refusal
        .message
        .split_at(refusal.message.find('\n').unwrap_or(refusal.message.len()));
    Refusal {
        message: text(function, first) + lines,
        hint: hint(function, &refusal.hint),
        ..refusal
    }
}

/// Rewrites a hint of `function` for people; empty if no option can follow it.
pub fn hint(function: &str, hint: &str) -> String {
    let hint = text(function, hint);
    if WITHOUT_OPTION.iter().any(|name| hint.contains(name)) {
        return String::new();
    }
    hint
}

/// Rewrites a text of `function` with the names of the command line.
pub fn text(function: &str, text: &str) -> String {
    let phrases = phrases(function).iter().chain(PERSON);
    phrases.fold(text.to_owned(), |text, (said, told)| {
        text.replace(said, told)
    })
}

fn phrases(function: &str) -> &'static [Phrase] {
    match function {
        "search-documents" => SEARCH,
        "find-files" => FIND,
        "smart-search" | "query-document" => QUERY,
        "context-search" => TAGS,
        "explore" => EXPLORE,
        "grep" => GREP,
        "change" => CHANGE,
        "write" => WRITE,
        "manage" => MANAGE,
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_stand_for_arguments() {
        let message = "`maxTokens` is 99; expected 100 to 100000";
        assert_eq!(
            text("smart-search", message),
            "`--max-tokens` is 99; expected 100 to 100000"
        );
        assert_eq!(
            hint("query-document", "Leave maxTokens out for its default."),
            "Leave --max-tokens out for its default."
        );
        assert_eq!(text("context-search", "`end` is `x`"), "`--to` is `x`");
        assert_eq!(text("get-config", "`end` is `x`"), "`end` is `x`");
    }

    #[test]
    fn lines_of_a_file_stay_as_they_are() {
        let refused = Refusal {
            code: "edit-ambiguous".to_owned(),
            message: "edits[0] in a.md: `line` is 3\nline 4 after `line`".to_owned(),
            hint: "Add a neighbouring line to `oldText`, or send `line`: 4.".to_owned(),
        };
        let told = refusal("change", refused);
        assert_eq!(told.message, "a.md: `--line` is 3\nline 4 after `line`");
        let hint = "Add a neighbouring line to `--old`, or send `--line`: 4.";
        assert_eq!(told.hint, hint);
    }

    #[test]
    fn what_cannot_be_done_is_not_advised() {
        assert_eq!(hint("explore", "Set allowBinary to true."), "");
        assert_eq!(hint("explore", "Raise limits.maxBytes to 9."), "");
        assert_eq!(
            hint("explore", "Raise limits.maxChars to 9000."),
            "Raise --max-chars to 9000."
        );
    }
}
