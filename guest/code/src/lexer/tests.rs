use super::*;
use crate::lexer::token::{LexerOutput, TokenKind};

fn lex_text(language: Language, text: &str) -> LexerOutput {
    lex(language, text, &mut |_| true).unwrap_or_default()
}

fn tokens(language: Language, text: &str) -> Vec<&str> {
    lex_text(language, text)
        .tokens
        .iter()
        .map(|token| &text[token.start.index()..token.end.index()])
        .collect()
}

macro_rules! lexes {
    ($($name:ident: $language:ident, $text:expr => [$($token:expr),* $(,)?];)*) => {$(
        #[test]
        fn $name() {
            assert_eq!(tokens(Language::$language, $text), [$($token),*] as [&str; _]);
        }
    )*};
}

lexes! {
    rust_lifetimes: Rust, "fn f<'a>(x: &'a str) { 'x'; '\\''; b'{' }" => [
        "fn", "f", "<", "'", "a", ">", "(", "x", ":", "&", "'", "a", "str", ")", "{", "'x'", ";",
        "'\\''", ";", "b'{'", "}"];
    rust_raw: Rust, "r#\"a \" {\"# r#fn br\"\\\" x" => ["r#\"a \" {\"#", "r#fn", "br\"\\\"", "x"];
    rust_comments: Rust, "a /* x /* y */ z */ b // c {" => ["a", "b"];
    js_template: JavaScript, "`a${ {b: `c`} }d` e" => [
        "`a", "${", "{", "b", ":", "`c`", "}", "}", "d`", "e"];
    js_regex: JavaScript, "a = /[/}]{/g; b / c / d; if (x) /}/.test(y)" => [
        "a", "=", "/[/}]{/", "g", ";", "b", "/", "c", "/", "d", ";", "if", "(", "x", ")", "/}/",
        ".", "test", "(", "y", ")"];
    python_strings: Python, "x = f'{a}{{b' rb\"\\\"\" '''q\n'''" => [
        "x", "=", "f'", "{", "a", "}", "{{b'", "rb\"\\\"\"", "'''q\n'''"];
    kotlin_strings: Kotlin, "\"a ${f(\"}\")} b\" '{' \"\"\"\\\"\"\" `a b`" => [
        "\"a ", "${", "f", "(", "\"}\"", ")", "}", " b\"", "'{'", "\"\"\"\\\"\"\"", "`a b`"];
    swift_strings: Swift, "\"a \\(b(\")\")) c\" #\"\\(\"# #if x {\n" => [
        "\"a ", "\\(", "b", "(", "\")\"", ")", ")", " c\"", "#\"\\(\"#", "#", "if", "x", "{"];
    csharp_strings: CSharp, "@\"a\\\" $\"{b:x}{{\" \"\"\"\" \"\"\" \"\"\"\"" => [
        "@\"a\\\"", "$\"", "{", "b", ":", "x", "}", "{{\"", "\"\"\"\" \"\"\" \"\"\"\""];
    cpp_strings: Cpp, "R\"x(a)\" )x\" 1'000 'c' #a" => [
        "R\"x(a)\" )x\"", "1'000", "'c'", "#", "a"];
    ruby_strings: Ruby, "a %w[b [c] d] \"#{e '}'}\" <<~X\n {{\n  X\nb = c / d" => [
        "a", "%w[b [c] d]", "\"", "#{", "e", "'}'", "}", "\"", "<<~X", "b", "=", "c", "/", "d"];
    php_strings: Php, "html { <?php $a = <<<'X'\n{{\n  X; # {\n?> { <?= $b" => [
        "$a", "=", "<<<'X'", ";", "?>", "$b"];
    shell_strings: Shell, "a \"$(b \"}\")\" $# # {\ncat <<-'X'\n{\n\tX\nc" => [
        "a", "\"", "$(", "b", "\"}\"", ")", "\"", "$#", "cat", "<<-'X'", "c"];
    go_raw: Go, "a := `{\\` + '{'" => ["a", ":", "=", "`{\\`", "+", "'{'"];
    c_directives: C, "#define A {\\\n {\nint a;" => ["#define A {\\\n {", "int", "a", ";"];
    unterminated: Java, "a = \"b {\nc" => ["a", "=", "\"b {", "c"];
    names_in_other_scripts: Java, "int 이름 = 1;" => ["int", "이름", "=", "1", ";"];
}

fn partners(language: Language, text: &str) -> Vec<(usize, usize)> {
    let tokens = lex_text(language, text).tokens;
    let opens = tokens.iter().filter(|token| token.kind == TokenKind::Open);
    opens
        .map(|token| {
            let close = tokens[token.partner.index()];
            (token.start.index(), close.start.index())
        })
        .collect()
}

#[test]
fn brackets_find_each_other_across_mistakes() {
    assert_eq!(partners(Language::Java, "{(}"), [(0, 2), (1, 1)]);
    assert_eq!(partners(Language::Java, "({)}"), [(0, 0), (1, 3)]);
    assert_eq!(partners(Language::Java, "[(])"), [(0, 2), (1, 1)]);
    assert_eq!(partners(Language::Java, "}{}"), [(1, 2)]);
}

#[test]
fn branches_of_the_preprocessor_are_alternatives() {
    let text = "#if A\nvoid f(int a) {\n#else\nvoid f(void) {\n#endif\n}\n";
    let braces: Vec<_> = partners(Language::C, text)
        .into_iter()
        .filter(|(open, _)| text.as_bytes()[*open] == b'{')
        .collect();
    assert_eq!(braces, [(20, 20), (41, 50)]);
}
