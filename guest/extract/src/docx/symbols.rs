//! Characters of symbol fonts, whose codes differ from Unicode.

use crate::xml::Element;

/// A symbol font: the Unicode characters of its codes from [`FIRST`] on, with `\0` where Unicode
/// has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SymbolFont(&'static str);

/// First code of a symbol font.
const FIRST: u32 = 0x20;

/// Offset of such codes in Word, in the private use area.
const PRIVATE: u32 = 0xF000;

/// Prefix of the text that stands for a symbol without a known character.
pub const UNKNOWN_SYMBOL: &str = "[symbol ";

impl SymbolFont {
    /// Returns the symbol font with this name, or `None` if its characters are those of Unicode, or
    /// unknown.
    pub fn from_name(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase().replace([' ', '-'], "");
        Some(Self(match name.as_str() {
            "symbol" | "symbolmt" | "standardsymbolsl" | "standardsymbolsps" => SYMBOL,
            "wingdings" => WINGDINGS,
            "wingdings2" => WINGDINGS_2,
            "wingdings3" => WINGDINGS_3,
            "webdings" => WEBDINGS,
            _ => return None,
        }))
    }

    /// Returns the character of a code, with or without the offset of [`PRIVATE`].
    pub fn character(self, number: u32) -> Option<char> {
        let c = self.0.chars().nth(index(number)?)?;
        (c != '\0').then_some(c)
    }

    /// Returns `text` as it is displayed in the font.
    pub fn translate(self, text: &str) -> String {
        // A text of megabytes would take seconds if each character were searched from the first on.
        let characters: Vec<char> = self.0.chars().collect();
        let shown = |c: char| {
            let found = index(c.into()).and_then(|index| characters.get(index));
            found.copied().filter(|found| *found != '\0').unwrap_or(c)
        };
        text.chars().map(shown).collect()
    }
}

/// Returns the index of a code among the characters of a symbol font.
fn index(number: u32) -> Option<usize> {
    usize::try_from(low_number(number)?.checked_sub(FIRST)?).ok()
}

/// Returns a code without the offset of [`PRIVATE`], or `None` if it belongs to no symbol font.
fn low_number(number: u32) -> Option<u32> {
    let number = number.checked_sub(PRIVATE).unwrap_or(number);
    (number <= 0xFF).then_some(number)
}

/// Returns the text of a symbol element, which names a font and a code. If Unicode has no such
/// character, the text says so: otherwise nobody could guess that a character is missing.
pub fn symbol(element: &Element<'_>) -> Option<String> {
    let number = element.attribute("char")?;
    let number = u32::from_str_radix(number.trim(), 16).ok()?;
    let font = element.attribute("font").unwrap_or_default();
    Some(symbol_text(&font, number))
}

/// Returns the text of code `number` in a font.
pub fn symbol_text(font: &str, number: u32) -> String {
    let is_unsaid = |c: &char| c.is_control() || ('\u{E000}'..='\u{F8FF}').contains(c);
    let character = match SymbolFont::from_name(font) {
        Some(font) if low_number(number).is_some() => font.character(number),
        _ => char::from_u32(number).filter(|c| !is_unsaid(c)),
    };
    match (character, font.trim()) {
        (Some(character), _) => character.to_string(),
        (None, "") => format!("{UNKNOWN_SYMBOL}{number:04X}]"),
        (None, font) => format!("{UNKNOWN_SYMBOL}{number:04X} of {font}]"),
    }
}

// The characters that Unicode has adopted from these fonts, from code 20 (hexadecimal) on, 16 per
// line.
const SYMBOL: &str = "\
    \x20!∀#∃%&∍()*+,−./\
    0123456789:;<=>?\
    ≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟ\
    ΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_\
    ‾αβχδεφγηιϕκλμνο\
    πθρστυϖωξψζ{|}~\0\
    \0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\
    \0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\
    €ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓\
    °±″≥×∝∂•÷≠≡≈…⏐⎯↵\
    ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉\
    ∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓\
    ◊〈®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪\
    \0〉∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭\0\
";

const WINGDINGS: &str = "\
    \x20🖉✂✁👓🕭🕮🕯🕿✆🖂🖃📪📫📬📭\
    🗀🗁🗎🗏🗐🗄⌛🖮🖰🖲🖳🖴🖫🖬✇✍\
    🖎✌🖏👍👎☜☞☝☟🖐☺😐☹💣🕱🏳\
    🏱✈☼🌢❄🕆✞🕈✠✡☪☯🕉☸♈♉\
    ♊♋♌♍♎♏♐♑♒♓🙰🙵⚫🔾◼🞏\
    🞐❑❒🞟⧫◆❖⬩⌧⮹⌘🏵🏶🙶🙷▯\
    🄋➀➁➂➃➄➅➆➇➈➉🄌➊➋➌➍\
    ➎➏➐➑➒➓🙢🙠🙡🙣🙞🙜🙝🙟∙•\
    ⬝⭘🞆🞈🞊🞋🔿▪🞎🟁🟅★🟋🟏🟓🟑\
    ⯐⌖⯎⯏⯑✪✰🕐🕑🕒🕓🕔🕕🕖🕗🕘\
    🕙🕚🕛⮰⮱⮲⮳⮴⮵⮶⮷🙪🙫🙕🙔🙗\
    🙖🙐🙑🙒🙓⌫⌦⮘⮚⮙⮛⮈⮊⮉⮋🡨\
    🡪🡩🡫🡬🡭🡯🡮🡸🡺🡹🡻🡼🡽🡿🡾⇦\
    ⇨⇧⇩⬄⇳⬁⬀⬃⬂🢬🢭🗶✓🗷🗹\0\
";

const WINGDINGS_2: &str = "\
    \x20🖊🖋🖌🖍✄✀🕾🕽🗅🗆🗇🗈🗉🗊🗋\
    🗌🗍📋🗑🗔🖵🖶🖷🖸🖭🖯🖱🖒🖓🖘🖙\
    🖚🖛👈👉🖜🖝🖞🖟🖠🖡👆👇🖢🖣🖑🗴\
    🗸🗵☑⮽☒⮾⮿🛇⦸🙱🙴🙲🙳‽🙹🙺\
    🙻🙦🙤🙥🙧🙚🙘🙙🙛⓪①②③④⑤⑥\
    ⑦⑧⑨⑩⓿❶❷❸❹❺❻❼❽❾❿\0\
    ☉🌕☽☾⸿✝🕇🕜🕝🕞🕟🕠🕡🕢🕣🕤\
    🕥🕦🕧🙨🙩⋅🞄⦁●○🞅🞇🞉⊙⦿🞌\
    🞍◾■□🞑🞒🞓🞔▣🞕🞖🞗🞘⬩⬥◇\
    🞚◈🞛🞜🞝🞞⬪⬧◊🞠◖◗⯊⯋⯀⯁\
    ⬟⯂⬣⬢⯃⯄🞡🞢🞣🞤🞥🞦🞧🞨🞩🞪\
    🞫🞬🞭🞮🞯🞰🞱🞲🞳🞴🞵🞶🞷🞸🞹🞺\
    🞻🞼🞽🞾🞿🟀🟂🟄🟆🟉🟊✶🟌🟎🟐🟒\
    ✹🟃🟇✯🟍🟔⯌⯍※⁂\0\0\0\0\0\0\
";

const WINGDINGS_3: &str = "\
    \x20⭠⭢⭡⭣⭦⭧⭩⭨⭰⭲⭱⭳⭶⭸⭻\
    ⭽⭤⭥⭪⭬⭫⭭⭍⮠⮡⮢⮣⮤⮥⮦⮧\
    ⮐⮑⮒⮓⮀⮃⭾⭿⮄⮆⮅⮇⮏⮍⮎⮌\
    ⭮⭯⎋⌤⌃⌥␣⍽⇪⮸🢠🢡🢢🢣🢤🢥\
    🢦🢧🢨🢩🢪🢫🡐🡒🡑🡓🡔🡕🡗🡖🡘🡙\
    ▲▼△▽◀▶◁▷◣◢◤◥🞀🞂🞁\0\
    🞃⯅⯆⯇⯈⮜⮞⮝⮟🠐🠒🠑🠓🠔🠖🠕\
    🠗🠘🠚🠙🠛🠜🠞🠝🠟🠀🠂🠁🠃🠄🠆🠅\
    🠇🠈🠊🠉🠋🠠🠢🠤🠦🠨🠪🠬🢜🢝🢞🢟\
    🠮🠰🠲🠴🠶🠸🠺🠹🠻🢘🢚🢙🢛🠼🠾🠽\
    🠿🡀🡂🡁🡃🡄🡆🡅🡇⮨⮩⮪⮫⮬⮭⮮\
    ⮯🡠🡢🡡🡣🡤🡥🡧🡦🡰🡲🡱🡳🡴🡵🡷\
    🡶🢀🢂🢁🢃🢄🢅🢇🢆🢐🢒🢑🢓🢔🢖🢕\
    🢗\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\
";

const WEBDINGS: &str = "\
    \x20🕷🕸🕲🕶🏆🎖🖇🗨🗩🗰🗱🌶🎗🙾🙼\
    🗕🗖🗗⏴⏵⏶⏷⏪⏩⏮⏭⏸⏹⏺🗚🗳\
    🛠🏗🏘🏙🏚🏜🏭🏛🏠🏖🏝🛣🔍🏔👁👂\
    🏞🏕🛤🏟🛳🕬🕫🕨🔈🎔🎕🗬🙽🗭🗪🗫\
    ⮔✔🚲⬜🛡📦🛱⬛🚑🛈🛩🛰🟈🕴⬤🛥\
    🚔🗘🗙❓🛲🚇🚍⛳⦸⊖🚭🗮⏐🗯🗲\0\
    🚹🚺🛉🛊🚼👽🏋⛷🏂🏌🏊🏄🏍🏎🚘🗠\
    🛢💰🏷💳👪🗡🗢🗣✯🖄🖅🖃🖆🖹🖺🖻\
    🕵🕰🖽🖾📋🗒🗓🕮📚🗞🗟🗃🗂🖼🎭🎜\
    🎘🎙🎧💿🎞📷🎟🎬📽📹📾📻🎚🎛📺💻\
    🖥🖦🖧🕹🎮🕻🕼📟🖁🖀🖨🖩🖿🖪🗜🔒\
    🔓🗝📥📤🕳🌣🌤🌥🌦☁🌨🌧🌩🌪🌬🌫\
    🌜🌡🛋🛏🍽🍸🛎🛍Ⓟ♿🛆🖈🎓🗤🗥🗦\
    🗧🛪🐿🐦🐟🐕🐈🙬🙮🙭🙯🗺🌍🌏🌎🕊\
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fonts_have_a_character_for_each_number() {
        for font in [SYMBOL, WINGDINGS, WINGDINGS_2, WINGDINGS_3, WEBDINGS] {
            assert_eq!(font.chars().count(), 0x100 - 0x20);
        }
    }

    #[test]
    fn characters_by_font_and_number() {
        for (font, number, expected) in [
            ("Wingdings", 0xF0FC, "✓"),
            ("Wingdings", 0xFE, "🗹"),
            ("wingdings 2", 0xF050, "🗸"),
            ("Wingdings 3", 0xF0B6, "🠺"),
            ("Webdings", 0xF061, "✔"),
            ("Symbol", 0xF062, "β"),
            ("Symbol", 0xF0D6, "√"),
            ("Arial", 0x2192, "→"),
            ("Symbol", 0x2022, "•"),
            ("Symbol", 0x80, "[symbol 0080 of Symbol]"),
            ("Wingdings", 0xF0FF, "[symbol F0FF of Wingdings]"),
            ("MT Extra", 0xF04C, "[symbol F04C of MT Extra]"),
            ("", 0xF04C, "[symbol F04C]"),
            ("Arial", 0xD800, "[symbol D800 of Arial]"),
        ] {
            assert_eq!(symbol_text(font, number), expected, "{font} {number:X}");
        }
    }
}
