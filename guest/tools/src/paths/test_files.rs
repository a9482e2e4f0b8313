//! Recognition of test files, by the names that test runners look for.

/// Returns true if a path is that of a test: below a directory of tests, or named as test runners
/// expect, `test_cache.py`, `cache_test.go`, `cache.spec.ts`, `CacheTest.java`.
pub fn is_test(path: &str) -> bool {
    let (directories, name) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = name.split('.').next().unwrap_or(name);
    let middle = name.split('.').rev().nth(1).unwrap_or_default();
    directories.split('/').any(is_of_tests)
        || stem.starts_with("test_")
        || stem.ends_with("_test")
        || stem.ends_with("_spec")
        || (name.contains('.') && stem != middle && is_of_tests(middle))
        || stem
            .strip_suffix("Test")
            .or(stem.strip_suffix("Tests"))
            .is_some_and(|of| !of.is_empty())
}

fn is_of_tests(name: &str) -> bool {
    matches!(
        name,
        "test" | "tests" | "__tests__" | "spec" | "specs" | "testing" | "testdata"
    )
}

/// Returns true if a query asks for tests.
pub fn asks_for_tests(query: &str) -> bool {
    let query = query.to_lowercase();
    let mut words = query.split(|c: char| !c.is_alphanumeric());
    words.any(|word| {
        word.starts_with("test") || word.starts_with("spec") || word.starts_with("테스트")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_by_their_names() {
        for (path, expected) in [
            ("tests/unit/cache.tcl", true),
            ("src/cache/__tests__/store.ts", true),
            ("src/test/java/app/Cache.java", true),
            ("src/CacheTest.java", true),
            ("src/CacheTests.kt", true),
            ("cache_test.go", true),
            ("app/test_cache.py", true),
            ("src/cache.spec.ts", true),
            ("src/cache.test.tsx", true),
            ("src/cache.ts", false),
            ("src/latest.rs", false),
            ("src/contest/mod.rs", false),
            ("src/test.rs", false),
            ("src/Test.java", false),
        ] {
            assert_eq!(is_test(path), expected, "{path}");
        }
    }

    #[test]
    fn queries_for_tests() {
        for (query, expected) in [
            ("test of the cache", true),
            ("how is eviction tested", true),
            ("캐시 테스트는 어디에", true),
            ("the latest cache", false),
            ("evict keys", false),
        ] {
            assert_eq!(asks_for_tests(query), expected, "{query}");
        }
    }
}
