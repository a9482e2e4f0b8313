//! Which paths a glob lets through, name by name, and which directories it can find nothing in.

use globset::GlobBuilder;
use regex_automata::Anchored;
use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::hybrid::{BuildError, LazyStateID};
use regex_automata::nfa::thompson;
use regex_automata::util::start;
use regex_automata::util::syntax;
use unicode_normalization::UnicodeNormalization as _;

use crate::limits::{GLOB_AUTOMATON_BYTES, GLOB_BYTES, GLOB_CACHE_BYTES};

/// A glob over whole paths, as globset understands it with `literal_separator`. Composed and
/// decomposed forms of a text are the same, and `?` is one character.
///
/// globset's own matcher takes whole paths. This one keeps the state that a directory's path leads
/// to, so that each name in it costs its own length only, and a state from which no match can be
/// reached shows that the directory need not be entered.
#[derive(Debug)]
pub struct Glob {
    automaton: DFA,
    cache: Cache,
}

/// Why a text is no glob: what is to be said of the text, which may be an argument's or a path's.
#[derive(Debug, thiserror::Error)]
pub enum GlobError {
    /// There is nothing in it.
    #[error("is empty; expected a pattern such as `**/*.md`")]
    Empty,
    /// It has so many bytes.
    #[error("has {0} bytes; expected at most {most}", most = GLOB_BYTES)]
    TooLong(usize),
    /// It is not written as globs are.
    #[error("cannot be read: {}; expected a pattern such as `**/*.md`", .0.kind())]
    Syntax(#[source] globset::Error),
    /// Its automaton would be too large.
    #[error("is too intricate; expected a simpler pattern")]
    TooIntricate(#[source] Box<BuildError>),
}

/// The state that the path of a directory, with `/` behind it, leads to.
#[derive(Clone, Copy, Debug)]
pub struct Reached {
    state: LazyStateID,
    /// How often the automaton had dropped its states when this one was made.
    drops: usize,
}

impl Glob {
    /// Returns the glob that a request means by `text`.
    ///
    /// # Errors
    /// When it is empty, too long, too intricate, or no glob.
    pub fn parse(text: &str) -> Result<Self, GlobError> {
        if text.is_empty() {
            return Err(GlobError::Empty);
        }
        if text.len() > GLOB_BYTES {
            return Err(GlobError::TooLong(text.len()));
        }
        // Composed first, as every name is below: in `[é]` written apart, `e` and the accent would
        // be two members of the class.
        let composed: String = text.nfc().collect();
        let glob = GlobBuilder::new(&composed)
            .literal_separator(true)
            .backslash_escape(true)
            .build()
            .map_err(GlobError::Syntax)?;
        let automaton = DFA::builder()
            // As globset itself does: file names may hold line breaks, and a glob may split what
            // is one character only in UTF-8.
            .syntax(syntax::Config::new().utf8(false).dot_matches_new_line(true))
            .thompson(
                thompson::Config::new()
                    .utf8(false)
                    .nfa_size_limit(Some(GLOB_AUTOMATON_BYTES)),
            )
            .configure(
                DFA::config()
                    .cache_capacity(GLOB_CACHE_BYTES)
                    // A pattern whose few states exceed the cache gets a larger one and works.
                    .skip_cache_capacity_check(true),
            )
            .build(&by_character(glob.regex()))
            .map_err(|error| GlobError::TooIntricate(Box::new(error)))?;
        let cache = automaton.create_cache();
        Ok(Self { automaton, cache })
    }

    /// Returns the state for what lies in `directory`, relative to the root; none where nothing in
    /// it can match, however deep.
    pub fn below(&mut self, directory: &str) -> Option<Reached> {
        let state = self.behind(directory)?;
        self.reached(state)
    }

    /// Returns the state for what lies in the directory `name` of `directory`, for which `at`
    /// stands; none where nothing in it can match.
    pub fn enter(&mut self, at: &mut Reached, directory: &str, name: &str) -> Option<Reached> {
        let state = self.renewed(at, directory)?;
        let state = self.feed(state, name)?;
        let state = self.feed(state, "/")?;
        self.reached(state)
    }

    /// Whether the entry `name` of `directory`, for which `at` stands, matches.
    pub fn matches(&mut self, at: &mut Reached, directory: &str, name: &str) -> bool {
        let state = self
            .renewed(at, directory)
            .and_then(|state| self.feed(state, name));
        state.is_some_and(|state| self.is_match(state))
    }

    /// Whether the whole `path` matches.
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

    /// Returns the state behind a directory's path and a `/`.
    fn behind(&mut self, directory: &str) -> Option<LazyStateID> {
        let state = self.beginning()?;
        if directory.is_empty() {
            return Some(state);
        }
        let state = self.feed(state, directory)?;
        self.feed(state, "/")
    }

    /// Returns the state that `at` stands for, made anew where the automaton has dropped it.
    fn renewed(&mut self, at: &mut Reached, directory: &str) -> Option<LazyStateID> {
        // A state is an index into the cache. After it was cleared the same index is another state,
        // or none; it must not be asked before this was looked at.
        if at.drops != self.cache.clear_count() {
            let state = self.behind(directory)?;
            *at = Reached {
                state,
                drops: self.cache.clear_count(),
            };
        }
        Some(at.state)
    }

    /// Returns the state behind `text`; none where no match can follow.
    fn feed(&mut self, mut state: LazyStateID, text: &str) -> Option<LazyStateID> {
        // ASCII is its own composed form, and most names are nothing else.
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
        // Dead is for ever. So `*.md` gives up `target/` at its first `/`.
        (!next.is_dead()).then_some(next)
    }

    /// Returns `state` for later use; none where nothing leads on from it.
    fn reached(&mut self, state: LazyStateID) -> Option<Reached> {
        let drops = self.cache.clear_count();
        let reached = Reached { state, drops };
        // One byte of each class stands for all: the automaton does not tell them apart.
        let classes = *self.automaton.byte_classes();
        for byte in classes
            .representatives(0..=255)
            .filter_map(|unit| unit.as_u8())
        {
            // A state of a lazy automaton does not know what follows it; it has to be tried.
            let leads_on = self.step(state, byte).is_some();
            // Once the states were dropped, this one cannot be tried any further.
            if leads_on || self.cache.clear_count() != drops {
                return Some(reached);
            }
        }
        None
    }
}

/// Returns globset's expression with `?` as any character but `/`. As globset writes it, it is any
/// byte, and none stands for a letter beyond ASCII.
fn by_character(expression: &str) -> String {
    // `*` is written with the same class and may stay one over bytes: what stands behind it begins
    // with a whole character, and an automaton over bytes is smaller.
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
    fn what_is_no_glob_is_refused() {
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

    /// Patterns of parts that mean something, so that most of them can match.
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

    /// All paths of up to three segments of `a`, `b`, `ab` and `.`-like names.
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
            // A directory that is gone into name by name is the same as one named at once.
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
        // Each of these texts leads to many states; together they do not fit.
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
