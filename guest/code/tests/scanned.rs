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
    c_comments_that_begin_on_a_directive: C,
        "#define BUFFSIZE 326 /* buffer for calcs, should\n   fit */\n#define MAX 128 // most\n\
         const char digits[] = \"0123\";\nint after(void) { return 1; }\n#ifdef X /* a\n b */\n\
         static int two(int a)\n{ return 2; }\n#endif\n" => [
        "1-2  #define BUFFSIZE 326",
        "3  #define MAX 128",
        "4  const char digits[] = \"0123\"",
        "5  int after(void)",
        "8-9  static int two(int a)"];
    ruby_global_variables: Ruby,
        "def a(x)\n  rest = $'.size\n  b = $`; c = $\"\nend\ndef d\nend\n" => [
        "1-4  def a(x)", "5-6  def d"];
    ruby_backtick_as_a_method: Ruby,
        "def `(cmd)\n  1\nend\ndef d\nend\n" => ["1-3  def `(cmd)", "4-5  def d"];
    shell_shifts: Shell,
        "a() {\n  echo $((1<<x))\n  (( mask = 1 << bit ))\n  let \"a = 1 << b\"\n  a[1<<b]=2\n  \
         cat <<E\n}\nE\n}\nb() {\n  :\n}\n" => [
        "1-9  a()", "10-12  b()"];
    unicode_blanks: CSharp,
        "\u{a0}\u{a0}public class J : B\n{\n\u{a0}\u{2003}public int A { get; }\n}\n" => [
        "1-4  public class J : B", "3    public int A"];
    swift_regular_expressions: Swift,
        "func a() {\n  let r = /[{]/\n  let s = #/ [{] /#\n  let t = x / 2\n}\nfunc b() { }\n" => [
        "1-5  func a()", "6  func b()"];
    csharp_directives: CSharp,
        "/// <summary>Thrown.</summary>\n#if NETSTANDARD2_0\n[Serializable]\n#endif\n\
         public class Ex : Base\n{\n#region Members\n public int RetryAfter { get; }\n#endregion\n\
         #pragma warning disable\n public Ex() { }\n}\n" => [
        "1-12  public class Ex : Base  // Thrown.",
        "8    public int RetryAfter",
        "11    public Ex()"];
    c_directives_within_parameters: C,
        "int f(int a,\n#ifdef B // b\n  int b,\n#endif /* B */\n  int c)\n{\n}\n#define X 1\nint g(void) { }\n" => [
        "1-7  int f(int a, int b, int c)", "8  #define X 1", "9  int g(void)"];
    swift_directives_between_imports: Swift,
        "import A\n#if canImport(B)\nimport B\n#else\nimport C\n#endif\nfunc f() { }\n" => [
        "1-5  imports A, B, C", "7  func f()"];
}
