//! More than 100 kB of Korean: sentences written for this test, about a village and a program,
//! recombined pseudo-randomly with names and numbers. Deterministic.

const PROSE: &str = include_str!("prose.txt");
const MANUAL: &str = include_str!("manual.txt");

const NAMES: [&str; 8] = [
    "김민준",
    "이서연",
    "박도윤",
    "최하은",
    "정시우",
    "한지민",
    "오예린",
    "윤태호",
];

const IDENTIFIERS: [&str; 8] = [
    "read_file",
    "useEffect",
    "cargo build",
    "max_tokens",
    "setState",
    "docker ps",
    "HttpClient",
    "is_ready",
];

const CODE: [&str; 4] = [
    "```bash\nmkdir -p ~/.config/app\napp start --port {n} --log debug\n```\n",
    "```rust\n/// 파일을 읽어 문자열로 돌려줍니다.\nfn {id}(path: &str) -> Result<String, Error> {\n    let text = read_to_string(path)?;\n    Ok(text)\n}\n```\n",
    "```js\n// 버튼을 누르면 {n}씩 늘어납니다.\nconst [count, setCount] = useState(0);\nreturn <button onClick={() => setCount(count + {n})}>더하기</button>;\n```\n",
    "| 이름 | 기본값 | 뜻 |\n|---|---|---|\n| `port` | {n} | 기다리는 포트 |\n| `{id}` | 없음 | 결과를 저장할 위치 |\n",
];

const HEADINGS: [&str; 6] = [
    "설치",
    "설정 파일",
    "문제 해결",
    "자주 묻는 질문",
    "고급 사용법",
    "API 참고",
];

/// A deterministic pseudo-random number generator.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap_or(0) % sides
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.roll(of.len())]
    }

    /// Replaces the placeholders in `text` by names, identifiers and numbers.
    fn fill(&mut self, text: &str) -> String {
        let mut filled = text
            .replace("{name}", self.one(&NAMES))
            .replace("{id}", self.one(&IDENTIFIERS));
        while filled.contains("{n}") {
            let number = self.roll(10_000) % [12, 100, 9_999][self.roll(3)] + 1;
            filled = filled.replacen("{n}", &number.to_string(), 1);
        }
        filled
    }
}

/// Generates at least `bytes` bytes of prose in paragraphs.
pub fn prose(bytes: usize) -> String {
    let sentences: Vec<&str> = PROSE.lines().collect();
    let mut dice = Dice(0x9E37_79B9_7F4A_7C15);
    let mut text = String::new();
    while text.len() < bytes {
        for _ in 0..2 + dice.roll(5) {
            let sentence = dice.one(&sentences);
            text.push_str(&dice.fill(sentence));
            text.push(' ');
        }
        text.pop();
        text.push_str("\n\n");
    }
    text
}

/// Generates a manual in Markdown of at least `bytes` bytes, with code and tables.
pub fn manual(bytes: usize) -> String {
    let sentences: Vec<&str> = MANUAL.lines().collect();
    let mut dice = Dice(0x2545_F491_4F6C_DD1D);
    let mut text = String::new();
    while text.len() < bytes {
        let heading = dice.one(&HEADINGS);
        text.push_str(&format!("{} {heading}\n\n", "#".repeat(1 + dice.roll(3))));
        for _ in 0..1 + dice.roll(3) {
            let mark = dice.one(&["", "", "- ", "> ", "1. "]);
            for _ in 0..1 + dice.roll(4) {
                let sentence = dice.one(&sentences);
                text.push_str(mark);
                text.push_str(&dice.fill(sentence));
                text.push(if mark.is_empty() { ' ' } else { '\n' });
            }
            text.push_str("\n\n");
        }
        let code = dice.one(&CODE);
        text.push_str(&dice.fill(code));
        text.push('\n');
    }
    text
}
