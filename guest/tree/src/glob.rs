//! Globs, matched name by name, that also detect directories without any possible match.

use globset::GlobBuilder;
use regex_automata::Anchored;
use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::hybrid::{BuildError, LazyStateID};
use regex_automata::nfa::thompson;
use regex_automata::util::start;
use regex_automata::util::syntax;
use unicode_normalization::UnicodeNormalization as _;

use crate::limits::{GLOB_AUTOMATON_BYTES, GLOB_BYTES, GLOB_CACHE_BYTES};

/// A glob over whole paths, in the syntax of globset with `literal_separator`. Composed and
/// decomposed forms of a text are equal, and `?` is one character.
///
/// globset's own matcher takes whole paths. This one keeps the automaton state after the path of a
/// directory, so that each name in it only costs its own length, and a state from which no match is
/// reachable shows that the directory need not be entered.
#[derive(Debug)]
pub struct Glob {
    automaton: DFA,
    cache: Cache,
}

/// The reason that a text is not a glob, phrased as a predicate of the text, which may be an
/// argument or a path.
#[derive(Debug, thiserror::Error)]
pub enum GlobError {
    /// It is empty.
    #[error("is empty; expected a pattern such as `**/*.md`")]
    Empty,
    /// It has this number of bytes.
    #[error("has {0} bytes; expected at most {most}", most = GLOB_BYTES)]
    TooLong(usize),
    /// Its syntax is invalid.
    #[error("cannot be read: {}; expected a pattern such as `**/*.md`", .0.kind())]
    Syntax(#[source] globset::Error),
    /// Its automaton would be too large.
    #[error("is too complex; expected a simpler pattern")]
    TooIntricate(#[source] Box<BuildError>),
}

/// The automaton state after the path of a directory followed by `/`. It is an index into the cache
/// of the glob that made it, and is only valid as long as that cache was not cleared.
#[derive(Clone, Copy, Debug)]
pub struct GlobState {
    state: LazyStateID,
    /// Number of times the automaton had been cleared when this state was made.
    drops: usize,
}

impl Glob {
    /// Parses the glob of a request.
    ///
    /// # Errors
    /// If it is empty, too long, too intricate, or not a glob.
    pub fn parse(text: &str) -> Result<Self, GlobError> {
        if text.is_empty() {
            return Err(GlobError::Empty);
        }
        if text.len() > GLOB_BYTES {
            return Err(GlobError::TooLong(text.len()));
        }
        // The text is composed first, as every name is that it is matched against. In the class
        // `[é]` of a decomposed text, `e` and the accent would be two members, so that the class
        // would match one half of the letter and never the whole.
        let composed: String = text.nfc().collect();
        let glob = GlobBuilder::new(&composed)
            .literal_separator(true)
            .backslash_escape(true)
            .build()
            .map_err(GlobError::Syntax)?;
        let automaton = DFA::builder()
            // The settings are those of globset itself. File names may contain line breaks, which
            // `.` must match, and the expression of a glob may match a part of a UTF-8 character,
            // which is an error unless UTF-8 is switched off here and in the compiler.
            .syntax(syntax::Config::new().utf8(false).dot_matches_new_line(true))
            .thompson(
                thompson::Config::new()
                    .utf8(false)
                    .nfa_size_limit(Some(GLOB_AUTOMATON_BYTES)),
            )
            .configure(
                DFA::config()
                    .cache_capacity(GLOB_CACHE_BYTES)
                    // A cache must hold a minimum of states, whose size grows with the pattern, and
                    // the builder refuses a pattern whose minimum exceeds the capacity. With the
                    // check skipped, such a pattern gets a cache of that minimum and works.
                    .skip_cache_capacity_check(true),
            )
            .build(&by_character(glob.regex()))
            .map_err(|error| GlobError::TooIntricate(Box::new(error)))?;
        let cache = automaton.create_cache();
        Ok(Self { automaton, cache })
    }

    /// Returns the state for the entries of `directory`, relative to the root, or `None` if nothing
    /// in it can match, at any depth.
    pub fn below(&mut self, directory: &str) -> Option<GlobState> {
        let state = self.state_after(directory)?;
        self.check_reachable(state)
    }

    /// Returns the state for the entries of the subdirectory `name` of `directory`, whose state is
    /// `at`, or `None` if nothing in it can match.
    pub fn enter(&mut self, at: &mut GlobState, directory: &str, name: &str) -> Option<GlobState> {
        let state = self.renew(at, directory)?;
        let state = self.feed(state, name)?;
        let state = self.feed(state, "/")?;
        self.check_reachable(state)
    }

    /// Returns true if the entry `name` of `directory`, whose state is `at`, matches.
    pub fn matches(&mut self, at: &mut GlobState, directory: &str, name: &str) -> bool {
        let state = self
            .renew(at, directory)
            .and_then(|state| self.feed(state, name));
        state.is_some_and(|state| self.is_match(state))
    }

    /// Returns true if the whole `path` matches.
    pub fn matches_path(&mut self, path: &str) -> bool {
        let state = self.beginning().and_then(|state| self.feed(state, path));
        state.is_some_and(|state| self.is_match(state))
    }

    fn is_match(&mut self, state: LazyStateID) -> bool {
        let end = self.automaton.next_eoi_state(&mut self.cache, state);
        end.is_ok_and(|state| state.is_match())
    }

    fn beginning(&mut self) -> Option<LazyStateID> {
        let anchored = start::Config::new().anchored(Anchored::Yes);
        self.automaton.start_state(&mut self.cache, &anchored).ok()
    }

    /// Returns the state after the path of a directory and a `/`.
    fn state_after(&mut self, directory: &str) -> Option<LazyStateID> {
        let state = self.beginning()?;
        if directory.is_empty() {
            return Some(state);
        }
        let state = self.feed(state, directory)?;
        self.feed(state, "/")
    }

    /// Returns the state `at`, computed again if the automaton has been cleared.
    fn renew(&mut self, at: &mut GlobState, directory: &str) -> Option<LazyStateID> {
        // A state is an index into the cache. After a clear, the same index is another state, or
        // none: a search would then find wrong entries or fail. The state is therefore computed
        // again from the path of its directory before it is used.
        if at.drops != self.cache.clear_count() {
            let state = self.state_after(directory)?;
            *at = GlobState {
                state,
                drops: self.cache.clear_count(),
            };
        }
        Some(at.state)
    }

    /// Returns the state after `text`, or `None` if no match can follow.
    fn feed(&mut self, mut state: LazyStateID, text: &str) -> Option<LazyStateID> {
        // ASCII text is its own composed form, so that most names are fed without a normalization.
        // The result is the same: in either case the automaton sees the bytes of the composed name.
        if text.is_ascii() {
            for byte in text.bytes() {
                state = self.step(state, byte)?;
            }
            return Some(state);
        }
        let mut buffer = [0; 4];
        for c in text.nfc() {
            for byte in c.encode_utf8(&mut buffer).bytes() {
                state = self.step(state, byte)?;
            }
        }
        Some(state)
    }

    fn step(&mut self, state: LazyStateID, byte: u8) -> Option<LazyStateID> {
        let next = self
            .automaton
            .next_state(&mut self.cache, state, byte)
            .ok()?;
        // No match follows a dead state, so that the search ends there: `*.md` rejects the
        // directory `target` at its `/`, without a look at the entries in it.
        (!next.is_dead()).then_some(next)
    }

    /// Returns `state` for later use, or `None` if no state follows from it.
    fn check_reachable(&mut self, state: LazyStateID) -> Option<GlobState> {
        let drops = self.cache.clear_count();
        let reached = GlobState { state, drops };
        // One byte of each class is tried: the automaton does not distinguish the bytes of a class,
        // so that a few steps replace 256.
        let classes = *self.automaton.byte_classes();
        for byte in classes
            .representatives(0..=255)
            .filter_map(|unit| unit.as_u8())
        {
            // A state of a lazy automaton does not know its successors: they are computed when a
            // step asks for them. A full automaton would know, but is built as a whole before the
            // first match, and may have exponentially many states.
            let leads_on = self.step(state, byte).is_some();
            // A clear invalidates `state`, so that no further byte can be tried with it. The
            // directory counts as reachable then: entering it in vain costs time, while omitting it
            // would lose matches.
            if leads_on || self.cache.clear_count() != drops {
                return Some(reached);
            }
        }
        None
    }
}

/// Returns globset's expression with `?` as any character but `/`. In globset it is any single
/// byte, which matches no letter beyond ASCII.
fn by_character(expression: &str) -> String {
    // globset writes `*` with the same class, and `*` remains over bytes. That gives the same
    // result, because the text after it begins with a whole character, and an automaton over bytes
    // is smaller than one over characters.
    expression
        .replace("[^/]", "(?u:[^/])")
        .replace("(?u:[^/])*", "[^/]*")
}

#[cfg(test)]
mod tests {
    use globset::GlobMatcher;
    use proptest::prelude::*;

    use super::*;

    fn glob(text: &str) -> Glob {
        match Glob::parse(text) {
            Ok(glob) => glob,
            Err(error) => panic!("{error:?}"),
        }
    }

    fn matcher(text: &str) -> Option<GlobMatcher> {
        let built = GlobBuilder::new(text).literal_separator(true).build();
        built.ok().map(|glob| glob.compile_matcher())
    }

    macro_rules! globs {
        ($($name:ident: $glob:literal, yes $yes:expr, no $no:expr;)*) => {$(
            #[test]
            fn $name() {
                let mut glob = glob($glob);
                let (yes, no): (&[&str], &[&str]) = (&$yes, &$no);
                for path in yes {
                    assert!(glob.matches_path(path), "{path}");
                }
                for path in no {
                    assert!(!glob.matches_path(path), "{path}");
                }
            }
        )*};
    }

    globs! {
        anywhere: "**/*.md", yes ["a.md", "dir/a.md", "dir/sub/a.md", ".md"], no ["a.txt", "a.md/x"];
        star_stays_in_a_segment: "*.md", yes ["a.md"], no ["dir/a.md"];
        question_mark_is_one_character: "?.md", yes ["a.md", "가.md", "é.md"], no ["ab.md", "/.md", ".md"];
        whole_path: "a", yes ["a"], no ["b/a", "a/b", "ab"];
        everything: "**", yes ["a", "a/b", "."], no [];
        below: "a/**", yes ["a/b", "a/b/c"], no ["a", "b/a/c"];
        between: "a/**/b", yes ["a/b", "a/x/b", "a/x/y/b"], no ["a/xb", "b"];
        choice: "{a,b/c}/*.{md,txt}", yes ["a/x.md", "b/c/x.txt"], no ["b/x.md", "a/x.rs"];
        class: "[a-c]?[!x]", yes ["abc", "c.y"], no ["dbc", "abx"];
        escaped: "\\*", yes ["*"], no ["a"];
        the_root: "*", yes [".", "a"], no ["a/b"];
        hangul: "**/회의*.md", yes ["회의록.md", "a/회의.md"], no ["회.md"];
        composed_for_apart: "é", yes ["e\u{301}", "é"], no ["e"];
        apart_for_composed: "e\u{301}*", yes ["éa", "e\u{301}a"], no ["ea"];
    }

    #[test]
    fn invalid_globs_are_rejected() {
        for text in ["", "[", "{a", "a\\", "[z-a]", &"a".repeat(GLOB_BYTES + 1)] {
            assert!(Glob::parse(text).is_err(), "{text}");
        }
        let told = |text: &str| {
            Glob::parse(text)
                .map(|_| ())
                .map_err(|error| error.to_string())
        };
        let pattern = "expected a pattern such as `**/*.md`";
        assert_eq!(told(""), Err(format!("is empty; {pattern}")));
        assert_eq!(
            told("["),
            Err(format!(
                "cannot be read: unclosed character class; missing ']'; {pattern}"
            ))
        );
        assert!(Glob::parse(&"a".repeat(GLOB_BYTES)).is_ok());
        assert!(Glob::parse(&"**/*?".repeat(GLOB_BYTES / 5)).is_ok());
    }

    #[test]
    fn directories_without_matches_are_known() {
        for (text, yes, no) in [
            ("*.md", &[""][..], &["a", "a.md"][..]),
            ("a/*.md", &["", "a"], &["b", "a/b", "ab", "a.md"]),
            ("a/**", &["", "a", "a/b", "a/b/c"], &["b", "ab"]),
            ("**/x/*.md", &["", "a", "x", "a/x/b"], &[]),
            (
                "{a,b/c}/d",
                &["", "a", "b", "b/c"],
                &["c", "a/d", "b/c/d", "b/d"],
            ),
            ("[ab]?/x", &["", "ax", "b0"], &["cx", "a", "abc"]),
            ("a/b/c", &["", "a", "a/b"], &["a/b/c", "a/c", "b"]),
            ("가/*", &["", "가"], &["나", "가/나"]),
        ] {
            let mut glob = glob(text);
            for directory in yes {
                assert!(glob.below(directory).is_some(), "{text} {directory}");
            }
            for directory in no {
                assert!(glob.below(directory).is_none(), "{text} {directory}");
            }
        }
    }

    /// Generates patterns of meaningful parts, so that most of them can match.
    fn pattern() -> impl Strategy<Value = String> {
        let part = prop_oneof![
            Just("**/"),
            Just("/**"),
            Just("*"),
            Just("?"),
            Just("a"),
            Just("b"),
            Just("."),
            Just("/"),
            Just("{a,b}"),
            Just("{a/b,**/a,}"),
            Just("[ab]"),
            Just("[!a]"),
            Just("/**/"),
        ];
        proptest::collection::vec(part, 1..6).prop_map(|parts| parts.concat())
    }

    /// Returns all paths of up to three segments of `a`, `b`, `ab` and `.`-like names.
    fn paths() -> Vec<String> {
        let names = ["a", "b", "ab", "a.b", ".a"];
        let mut paths: Vec<String> = names.map(str::to_owned).to_vec();
        for level in 0..2 {
            let above: Vec<String> = paths
                .iter()
                .filter(|p| p.matches('/').count() == level)
                .cloned()
                .collect();
            for above in above {
                paths.extend(names.iter().map(|name| format!("{above}/{name}")));
            }
        }
        paths
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(500) })]

        #[test]
        fn matches_what_globset_matches(text in pattern()) {
            let Some(matcher) = matcher(&text) else {
                prop_assert!(Glob::parse(&text).is_err());
                return Ok(());
            };
            let mut glob = glob(&text);
            let paths = paths();
            for path in &paths {
                let expected = matcher.is_match(path);
                prop_assert_eq!(glob.matches_path(path), expected, "{} {}", &text, path);
                let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
                match glob.below(directory) {
                    Some(mut at) => prop_assert_eq!(glob.matches(&mut at, directory, name), expected),
                    None => prop_assert!(!expected, "{} {}", &text, path),
                }
            }
            // A directory entered name by name has the same state as one given at once.
            for path in &paths {
                let below = glob.below(path).is_some();
                let (above, name) = path.rsplit_once('/').unwrap_or(("", path));
                let entered = glob.below(above).and_then(|mut at| glob.enter(&mut at, above, name));
                prop_assert_eq!(below, entered.is_some());
                let inside = format!("{path}/");
                let has_match = paths.iter().any(|p| p.starts_with(&inside) && matcher.is_match(p));
                prop_assert!(below || !has_match, "{} {}", &text, path);
            }
        }

        #[test]
        fn no_text_faults(text in ".{0,60}", path in ".{0,30}") {
            if let Ok(mut glob) = Glob::parse(&text) {
                glob.matches_path(&path);
                glob.below(&path);
            }
        }
    }

    #[test]
    fn states_that_were_dropped_are_made_again() {
        // Each of these texts produces many states; together they exceed the cache.
        let mut glob = glob("**/*a?????????????????a*/**/*b??????????????????b/x/*");
        let mut at = Vec::new();
        let mut random: u64 = 1;
        for _ in 0..400 {
            let mut name = String::new();
            for _ in 0..60 {
                random = random
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                name.push(if random >> 63 == 0 { 'a' } else { 'b' });
            }
            let mut root = match glob.below("") {
                Some(root) => root,
                None => panic!("everything begins here"),
            };
            if let Some(reached) = glob.enter(&mut root, "", &name) {
                at.push((name, reached));
            }
        }
        assert!(glob.cache.clear_count() > 0);
        let tail = format!("{}/x", "b".repeat(20));
        for (name, mut reached) in at {
            let below = format!("{name}/{tail}");
            let expected = glob.matches_path(&format!("{below}/y"));
            let mut inner = match glob.enter(&mut reached, &name, &"b".repeat(20)) {
                Some(inner) => inner,
                None => panic!("{name} leads on"),
            };
            let above = format!("{name}/{}", "b".repeat(20));
            let mut inner = match glob.enter(&mut inner, &above, "x") {
                Some(inner) => inner,
                None => panic!("{above} leads on"),
            };
            assert_eq!(glob.matches(&mut inner, &below, "y"), expected);
        }
    }
}
