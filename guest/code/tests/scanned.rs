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
    cpp_operators: Cpp,
        "struct A {\n  bool operator>=(A b) const { return 1; }\n  A& operator>>=(int n);\n  \
         A operator>>(int n);\n  int operator->*(int m);\n  auto operator<=>(const A& o) const = default;\n  \
         void f();\n};\n" => [
        "1-8  struct A",
        "2    bool operator>=(A b) const",
        "3    A& operator>>=(int n)",
        "4    A operator>>(int n)",
        "5    int operator->*(int m)",
        "6    auto operator<=>(const A& o) const",
        "7    void f()"];
    java_non_sealed: Java,
        "non-sealed class Square implements Shape { void a() { } }\n\
         public non-sealed interface I {\n  void b();\n}\n" => [
        "1  non-sealed class Square implements Shape",
        "1    void a()",
        "2-4  public non-sealed interface I",
        "3    void b()"];
    java_compact_constructors: Java,
        "record Circle(double r) {\n  public Circle { check(r); }\n  public @Nullable String a() { }\n}\n" => [
        "1-4  record Circle(double r)", "2    public Circle", "3    public @Nullable String a()"];
    swift_operators: Swift,
        "struct A {\n  static func == (l: A, r: A) -> Bool { true }\n  static func === (l: A, r: A) -> Bool { true }\n  \
         static func ... (l: A, r: A) -> A { l }\n  static func >= (l: A, r: A) -> Bool { true }\n  \
         borrowing func a() { }\n  consuming func b() { }\n}\n" => [
        "1-8  struct A",
        "2    static func == (l: A, r: A) -> Bool",
        "3    static func === (l: A, r: A) -> Bool",
        "4    static func ... (l: A, r: A) -> A",
        "5    static func >= (l: A, r: A) -> Bool",
        "6    borrowing func a()",
        "7    consuming func b()"];
    kotlin_constructors_on_their_own_line: Kotlin,
        "class Foo\n@Inject constructor(\n  private val a: Int,\n) : Bar() {\n  fun two() { }\n}\n\
         class P\nprivate constructor(val a: Int) {\n  constructor() : this(1)\n}\n" => [
        "1-6  class Foo @Inject constructor(private val a: Int) : Bar()",
        "5    fun two()",
        "7-10  class P private constructor(val a: Int)",
        "9    constructor() : this(1)"];
    kotlin_accessors: Kotlin,
        "class A {\n  var a: Int = 1\n    private set\n  var b: Int\n    get() { return 1 }\n    \
         set(value) {\n    }\n  val c: Int\n    get() = 2\n  fun d() { }\n}\n" => [
        "1-11  class A",
        "2-3    var a: Int = 1",
        "4-7    var b: Int",
        "8-9    val c: Int",
        "10    fun d()"];
    php_functions_in_alternative_syntax: Php,
        "<?php\nif ( ! function_exists( 'wp_one' ) ) :\n\tfunction wp_one( $id ) { return $id; }\n\
         elseif (x()):\n\tfunction two() { }\nelse:\n\tfunction three() { }\nendif;\nfunction four() { }\n" => [
        "3  function wp_one($id)", "5  function two()", "7  function three()", "9  function four()"];
    php_property_hooks: Php,
        "<?php\nclass A {\n  public string $hooked { get => 1; set(string $v) { } }\n  \
         public string $other = 'a' {\n    get => 2;\n  }\n  public int $x;\n}\n" => [
        "2-8  class A", "3    public string $hooked", "4-6    public string $other", "7    public int $x"];
    cpp_macros_before_types: Cpp,
        "FMT_EXPORT template <typename C> class Store {\n public:\n  void clear() { }\n};\n\
         API(1) class W {\n  void f();\n};\n" => [
        "1-4  template <typename C> class Store", "3    void clear()", "5-7  class W", "6    void f()"];
    cpp_macros_below_comments: Cpp,
        "/// doc\nMY_NONNULL\nstatic const char* name(int t)\n{\n}\n" => [
        "1-5  static const char* name(int t)  // doc"];
    cpp_aliases: Cpp,
        "using X = std::vector<int>;\nclass A {\n public:\n  using B = int;\n  template <class T> using C = D<T>;\n};\n\
         using namespace std;\n" => [
        "7  imports namespace std",
        "1  using X = std::vector<int>",
        "2-6  class A",
        "4    using B = int",
        "5    template <class T> using C = D<T>"];
    ruby_singletons_and_aliases: Ruby,
        "class A\n  class << self\n    def a\n    end\n  end\n  alias b c\n  alias_method :d, :e\nend\n" => [
        "1-8  class A", "2-5    class << self", "3-4      def a", "6    alias b c", "7    alias_method :d, :e"];
    go_embedded_pointers: Go,
        "package a\n\ntype A struct {\n\t*Ptr\n\t*pkg.Other\n\tsync.Mutex\n\tn int\n}\n" => [
        "3-8  type A struct", "4    *Ptr", "5    *pkg.Other", "6    sync.Mutex", "7    n int"];
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
    cpp_macros_behind_template_parameters: Cpp,
        "template <class T> REQUIRES(T) class A {\n  void f();\n};\n" => [
        "1-3  template <class T> REQUIRES(T) class A", "2    void f()"];
    ruby_classes_do_not_end_what_is_private: Ruby,
        "class A\n  private\n  class B\n    def c() = 1\n  end\n  def d() = 1\nend\n" => [
        "1-7  class A", "3-5    class B", "4      def c()", "6    def d()"];
}
