//! Distinctions of the scanners: snippets with their expected skeletons.

use docent_code::Language;

use crate::check;

macro_rules! scans {
    ($($name:ident: $language:ident, $program:expr => $skeleton:expr;)*) => {$(
        #[test]
        fn $name() {
            check(Language::$language, $program, $skeleton);
        }
    )*};
}

scans! {
    java_several_type_parameters: Java, r#"
class M {
  public static <L, R> Pair<L, R> of(L l, R r) { return null; }
  <A, B> A conv(B b);
  public <A, B> M(A a, B b) { }
  <T> M() { }
}
"# => r#"
1-6  class M
2    public static <L, R> Pair<L, R> of(L l, R r)
3    <A, B> A conv(B b)
4    public <A, B> M(A a, B b)
5    <T> M()
"#;

    c_comments_that_begin_on_a_directive: C, r#"
#define BUFFSIZE 326 /* buffer for calcs, should
   fit */
#define MAX 128 // most
const char digits[] = "0123";
int after(void) { return 1; }
#ifdef X /* a
 b */
static int two(int a)
{ return 2; }
#endif
"# => r#"
1-2  #define BUFFSIZE 326
3  #define MAX 128
4  const char digits[] = "0123"
5  int after(void)
8-9  static int two(int a)
"#;

    ruby_global_variables: Ruby, r#"
def a(x)
  rest = $'.size
  b = $`; c = $"
end
def d
end
"# => r#"
1-4  def a(x)
5-6  def d
"#;

    ruby_backtick_as_a_method: Ruby, r#"
def `(cmd)
  1
end
def d
end
"# => r#"
1-3  def `(cmd)
4-5  def d
"#;

    shell_shifts: Shell, r#"
a() {
  echo $((1<<x))
  (( mask = 1 << bit ))
  let "a = 1 << b"
  a[1<<b]=2
  cat <<E
}
E
}
b() {
  :
}
"# => r#"
1-9  a()
10-12  b()
"#;

    unicode_blanks: CSharp, "\u{a0}\u{a0}public class J : B\n{\n\u{a0}\u{2003}public int A { get; }\n}\n" => r#"
1-4  public class J : B
3    public int A
"#;

    swift_regular_expressions: Swift, r#"
func a() {
  let r = /[{]/
  let s = #/ [{] /#
  let t = x / 2
}
func b() { }
"# => r#"
1-5  func a()
6  func b()
"#;

    cpp_operators: Cpp, r#"
struct A {
  bool operator>=(A b) const { return 1; }
  A& operator>>=(int n);
  A operator>>(int n);
  int operator->*(int m);
  auto operator<=>(const A& o) const = default;
  void f();
};
"# => r#"
1-8  struct A
2    bool operator>=(A b) const
3    A& operator>>=(int n)
4    A operator>>(int n)
5    int operator->*(int m)
6    auto operator<=>(const A& o) const
7    void f()
"#;

    java_non_sealed: Java, r#"
non-sealed class Square implements Shape { void a() { } }
public non-sealed interface I {
  void b();
}
"# => r#"
1  non-sealed class Square implements Shape
1    void a()
2-4  public non-sealed interface I
3    void b()
"#;

    java_compact_constructors: Java, r#"
record Circle(double r) {
  public Circle { check(r); }
  public @Nullable String a() { }
}
"# => r#"
1-4  record Circle(double r)
2    public Circle
3    public @Nullable String a()
"#;

    swift_operators: Swift, r#"
struct A {
  static func == (l: A, r: A) -> Bool { true }
  static func === (l: A, r: A) -> Bool { true }
  static func ... (l: A, r: A) -> A { l }
  static func >= (l: A, r: A) -> Bool { true }
  borrowing func a() { }
  consuming func b() { }
}
"# => r#"
1-8  struct A
2    static func == (l: A, r: A) -> Bool
3    static func === (l: A, r: A) -> Bool
4    static func ... (l: A, r: A) -> A
5    static func >= (l: A, r: A) -> Bool
6    borrowing func a()
7    consuming func b()
"#;

    kotlin_constructors_on_their_own_line: Kotlin, r#"
class Foo
@Inject constructor(
  private val a: Int,
) : Bar() {
  fun two() { }
}
class P
private constructor(val a: Int) {
  constructor() : this(1)
}
"# => r#"
1-6  class Foo @Inject constructor(private val a: Int) : Bar()
5    fun two()
7-10  class P private constructor(val a: Int)
9    constructor() : this(1)
"#;

    kotlin_accessors: Kotlin, r#"
class A {
  var a: Int = 1
    private set
  var b: Int
    get() { return 1 }
    set(value) {
    }
  val c: Int
    get() = 2
  fun d() { }
}
"# => r#"
1-11  class A
2-3    var a: Int = 1
4-7    var b: Int
8-9    val c: Int
10    fun d()
"#;

    php_functions_in_alternative_syntax: Php, r#"
<?php
if ( ! function_exists( 'wp_one' ) ) :
	function wp_one( $id ) { return $id; }
elseif (x()):
	function two() { }
else:
	function three() { }
endif;
function four() { }
"# => r#"
3  function wp_one($id)
5  function two()
7  function three()
9  function four()
"#;

    php_property_hooks: Php, r#"
<?php
class A {
  public string $hooked { get => 1; set(string $v) { } }
  public string $other = 'a' {
    get => 2;
  }
  public int $x;
}
"# => r#"
2-8  class A
3    public string $hooked
4-6    public string $other
7    public int $x
"#;

    cpp_macros_before_types: Cpp, r#"
FMT_EXPORT template <typename C> class Store {
 public:
  void clear() { }
};
API(1) class W {
  void f();
};
"# => r#"
1-4  template <typename C> class Store
3    void clear()
5-7  class W
6    void f()
"#;

    cpp_macros_below_comments: Cpp, r#"
/// doc
MY_NONNULL
static const char* name(int t)
{
}
"# => r#"
1-5  static const char* name(int t)  // doc
"#;

    cpp_aliases: Cpp, r#"
using X = std::vector<int>;
class A {
 public:
  using B = int;
  template <class T> using C = D<T>;
};
using namespace std;
"# => r#"
7  imports namespace std
1  using X = std::vector<int>
2-6  class A
4    using B = int
5    template <class T> using C = D<T>
"#;

    ruby_singletons_and_aliases: Ruby, r#"
class A
  class << self
    def a
    end
  end
  alias b c
  alias_method :d, :e
end
"# => r#"
1-8  class A
2-5    class << self
3-4      def a
6    alias b c
7    alias_method :d, :e
"#;

    go_embedded_pointers: Go, r#"
package a

type A struct {
	*Ptr
	*pkg.Other
	sync.Mutex
	n int
}
"# => r#"
3-8  type A struct
4    *Ptr
5    *pkg.Other
6    sync.Mutex
7    n int
"#;

    csharp_directives: CSharp, r#"
/// <summary>Thrown.</summary>
#if NETSTANDARD2_0
[Serializable]
#endif
public class Ex : Base
{
#region Members
 public int RetryAfter { get; }
#endregion
#pragma warning disable
 public Ex() { }
}
"# => r#"
1-12  [Serializable] public class Ex : Base  // Thrown.
8    public int RetryAfter
11    public Ex()
"#;

    c_directives_within_parameters: C, r#"
int f(int a,
#ifdef B // b
  int b,
#endif /* B */
  int c)
{
}
#define X 1
int g(void) { }
"# => r#"
1-7  int f(int a, int b, int c)
8  #define X 1
9  int g(void)
"#;

    swift_directives_between_imports: Swift, r#"
import A
#if canImport(B)
import B
#else
import C
#endif
func f() { }
"# => r#"
1-5  imports A, B, C
7  func f()
"#;

    cpp_macros_after_template_parameters: Cpp, r#"
template <class T> REQUIRES(T) class A {
  void f();
};
"# => r#"
1-3  template <class T> REQUIRES(T) class A
2    void f()
"#;

    ruby_classes_do_not_end_what_is_private: Ruby, r#"
class A
  private
  class B
    def c() = 1
  end
  def d() = 1
end
"# => r#"
1-7  class A
3-5    class B
4      def c()
6    def d()
"#;

    ruby_symbols_that_are_keywords: Ruby, r#"
class C
  before_action :auth, if: :logged_in?, unless: :class
  delegate :x, to: :class
  validates :a, if: -> { b? }
  def a
    @if = 1
    @end ||= self.class::if
    @@begin = A::Case
    x ? :end : :if
  end
  def b; end
end
class D < ::Base; end
"# => r#"
1-12  class C
5-10    def a
11    def b
13  class D < ::Base
"#;

    ruby_statements_on_one_line: Ruby, r#"
A = 1; B = [2, 3]; attr_reader :a; alias b c
def f = 1; def g() = 2
"# => r#"
1  A = 1
1  B = [2, 3]
1  attr_reader :a
1  alias b c
2  def f
2  def g()
"#;

    kotlin_interfaces_of_one_function: Kotlin, r#"
fun interface Cb { fun call(x: Int) }
fun after() {}
"# => r#"
1  fun interface Cb
1    fun call(x: Int)
2  fun after()
"#;

    java_several_fields_with_values: Java, r#"
class A {
  int a = 1, b = 2;
  private static final int MOST = f(1, 2), LEAST = 3;
  Map<String, Integer> m = new HashMap<String, Integer>(), n = null;
  int[] c = {1, 2}, d;
  boolean e = a < b, g = c > d;
  int h, i = 3;
}
"# => r#"
1-8  class A
2    int a
2    int b
3    private static final int MOST = f(1, 2)
3    private static final int LEAST = 3
4    Map<String, Integer> m
4    Map<String, Integer> n
5    int[] c
5    int[] d
6    boolean e
6    boolean g
7    int h, i
"#;

    c_several_variables_with_values: C, r#"
static const char *a = "x, y", *b = "z";
int c = sizeof(int), d[2] = {1, 2};
"# => r#"
1  static const char *a = "x, y"
1  static const char *b = "z"
2  int c
2  int d[2]
"#;

    java_annotations: Java, r#"
class A {
  @GetMapping("/users/{id}")
  @Nullable
  public User get(@PathVariable long id) { return null; }
  @Override
  public String toString() { return ""; }
  @A @B(1) @C("a rather long value that nobody needs") @D int a;
}
"# => r#"
1-8  class A
2-4    @GetMapping("/users/{id}") @Nullable public User get(@PathVariable long id)
5-6    public String toString()
7    @A @B(1) @C("a rather long value that nobody n... int a
"#;

    csharp_attributes_of_all: CSharp, r#"
using System;
#if CAS
[assembly: Allow]
#endif
namespace A { class B { } }
"# => r#"
1  imports System
5  namespace A
5    class B
"#;

    csharp_attributes_in_conditions: CSharp, r#"
public class A
{
#if X
    [Obsolete("b")]
#endif
    public int B { get; }
#if Y
    [Serializable]
#else
    [DataContract]
#endif
    public class C { }
}
"# => r#"
1-13  public class A
4-6    [Obsolete("b")] public int B
8-12    [Serializable] [DataContract] public class C
"#;
}
