//! What the scanners have to tell apart: snippets, and the skeletons that are expected of them.

use docent_code::{Language, outline};

macro_rules! scans {
    ($($name:ident: $language:ident, $text:expr => [$($line:expr),* $(,)?];)*) => {$(
        #[test]
        fn $name() {
            let shown = outline(Language::$language, $text).skeleton(usize::MAX).text;
            let lines: Vec<&str> = shown.lines().collect();
            assert_eq!(lines, [$($line),*] as [&str; _]);
        }
    )*};
}

scans! {
    java_several_type_parameters: Java,
        "class M {\n  public static <L, R> Pair<L, R> of(L l, R r) { return null; }\n  \
         <A, B> A conv(B b);\n  public <A, B> M(A a, B b) { }\n  <T> M() { }\n}\n" => [
        "1-6  class M",
        "2    public static <L, R> Pair<L, R> of(L l, R r)",
        "3    <A, B> A conv(B b)",
        "4    public <A, B> M(A a, B b)",
        "5    <T> M()"];
}
