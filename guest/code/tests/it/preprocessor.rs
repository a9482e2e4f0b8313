//! C and C++ with their preprocessor: its lines, and macros in the place of declarations.

use docent_code::Language::{C, Cpp};
use docent_code::outline;

use crate::check;

#[test]
fn a_macro_without_a_semicolon_takes_nothing_in() {
    let text = r#"
POP_()
#define X(a) \
  do { } while(0)
int f() { return 1; }
POP_()  // 4251

#ifdef A
PUSH_(4251 \
/* why */)

namespace a {
void g();
}
#endif
"#;
    check(
        Cpp,
        text,
        r#"
2-3  #define X(a)
4  int f()
11-13  namespace a
12    void g()
"#,
    );
    check(
        C,
        r#"
BEGIN_DECLS
#define X 1
int f(void);
DECLARE(a, b)
#define Y 2
"#,
        r#"
2  #define X 1
3  int f(void)
5  #define Y 2
"#,
    );
}

#[test]
fn a_function_without_a_type_is_no_macro() {
    check(
        Cpp,
        r#"
class A {
 public:
  A(int a)
#ifdef B
    : a_(a)
#endif
  {
  }
  A()
  {
  }
};
"#,
        r#"
1-12  class A
3-8    A(int a)
9-11    A()
"#,
    );
}

#[test]
fn lines_of_the_preprocessor_are_no_part_of_a_signature() {
    check(
        Cpp,
        r#"
template <typename T,
          typename U
#if defined(A) && B >= 2
          , typename V
#endif
          >
#ifdef C
inline
#endif
auto f(T t) -> int
{
  return 1;
}
[[nodiscard]]
#if D
constexpr
#endif
int g();
"#,
        r#"
1-13  template <typename T, typename U, typename V > inline auto f(T t) -> int
14-18  constexpr int g()
"#,
    );
}

#[test]
fn the_first_of_two_heads_with_one_body_is_shown() {
    check(
        Cpp,
        r#"
/// A literal.
NON_NULL(1)
#if !defined(A) || B(4, 9)
inline json operator ""_json(const char* s)
#else
#if C
inline wide operator "" _json(const char* s)
#endif
inline json operator "" _json(const char* s)
#endif
{
  return 1;
}
"#,
        "4-13  inline json operator \"\"_json(const char* s)",
    );
}

#[test]
fn a_macro_with_arguments_before_the_type() {
    check(
        Cpp,
        r#"
class Area {
 public:
  template<typename T>
  WARN_UNUSED
  DEPRECATED_FOR(3.8.0, parse(ptr, ptr + len))
  static Area parse(const T* ptr);
  DEPRECATED(1) Area(int a);
  DEPRECATED(1) const Area& get() const;
  int NUMBER(int a) const override;
  VOID RUN(int a) NOEXCEPT { }
};
"#,
        r#"
1-11  class Area
3-6    template<typename T> WARN_UNUSED DEPRECATED_FOR(3.8.0, parse(ptr, ptr + len)) static Area parse(const T* ptr)
7    DEPRECATED(1) Area(int a)
8    DEPRECATED(1) const Area& get() const
9    int NUMBER(int a) const override
10    VOID RUN(int a) NOEXCEPT
"#,
    );
}

#[test]
fn a_name_after_much_is_in_its_row() {
    let long = "detail::negation<std::is_same<Value, Other>>, ".repeat(20);
    let header = format!("template <typename Value, enable_if<conjunction<{long}int>::value> = 0>");
    for (text, expected) in [
        (
            format!("{header}\nEXPLICIT operator Value() const;\n"),
            "1-2  template <...> EXPLICIT operator Value() const",
        ),
        (
            format!("{header}\nDEPRECATED_FOR({long} contains(a))\nbool contains(int a);\n"),
            "1-3  template <...> DEPRECATED_FOR(...) bool contains(int a)",
        ),
    ] {
        check(Cpp, &text, expected);
    }
    let many = "ATTRIBUTE_OF_A_KIND ".repeat(12);
    let shown = outline(C, &format!("{many} int f(int a) {{ }}\n"));
    let shown = shown.skeleton(usize::MAX).text;
    assert_eq!(shown, "1  ... ATTRIBUTE_OF_A_KIND int f(int a)");
}

#[test]
fn functions_of_old_c() {
    check(
        C,
        r#"
/* Adds. */
static int add(a, b)
    int a;
    register int *b[];
{
    return a;
}
main(argc, argv)
int argc; char **argv;
{
}
int f(a);
int b(c, d) int c, d; { }
"#,
        r#"
1-7  static int add(a, b)  // Adds.
8-11  main(argc, argv)
12  int f(a)
13  int b(c, d)
"#,
    );
}
