//! Characters of fonts whose signs have other numbers than in Unicode.

use crate::xml::Element;

/// A font of signs, by the Unicode characters of its numbers from [`FIRST`] on; `\0` where Unicode
/// has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SymbolFont(&'static str);

/// The first number that such a font has a sign for.
const FIRST: u32 = 0x20;

/// Where Word puts the numbers of such fonts, in the area for private use.
const PRIVATE: u32 = 0xF000;

/// How the text begins that stands for a sign of which no character is known.
pub const UNKNOWN_SYMBOL: &str = "[symbol ";

impl SymbolFont {
    /// Returns the font of a name; none where its characters are those of Unicode, or unknown.
    pub fn of_name(name: &str) -> Option<Self> {
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

    /// Returns the character of a sign by its number, with or without the offset of [`PRIVATE`].
    pub fn character(self, number: u32) -> Option<char> {
        let index = low_number(number)?.checked_sub(FIRST)?;
        let c = self.0.chars().nth(usize::try_from(index).ok()?)?;
        (c != '\0').then_some(c)
    }

    /// Returns `text` as it looks in the font.
    pub fn translate(self, text: &str) -> String {
        text.chars()
            .map(|c| self.character(c.into()).unwrap_or(c))
            .collect()
    }
}

/// Returns a number without the offset of [`PRIVATE`]; none where it is of no such font.
fn low_number(number: u32) -> Option<u32> {
    let number = number.checked_sub(PRIVATE).unwrap_or(number);
    (number <= 0xFF).then_some(number)
}

/// Returns the text of a character that is named by its font and number. Where no character of
/// Unicode is known for it, the text says so: nobody can guess that a sign is missing.
pub fn symbol(element: &Element<'_>) -> Option<String> {
    let number = element.attribute("char")?;
    let number = u32::from_str_radix(number.trim(), 16).ok()?;
    let font = element.attribute("font").unwrap_or_default();
    Some(symbol_of(&font, number))
}

/// Returns the text of character `number` of a font.
pub fn symbol_of(font: &str, number: u32) -> String {
    let is_unsaid = |c: &char| c.is_control() || ('\u{E000}'..='\u{F8FF}').contains(c);
    let character = match SymbolFont::of_name(font) {
        Some(font) if low_number(number).is_some() => font.character(number),
        _ => char::from_u32(number).filter(|c| !is_unsaid(c)),
    };
    match (character, font.trim()) {
        (Some(character), _) => character.to_string(),
        (None, "") => format!("{UNKNOWN_SYMBOL}{number:04X}]"),
        (None, font) => format!("{UNKNOWN_SYMBOL}{number:04X} of {font}]"),
    }
}

// As Unicode has taken up the signs of these fonts, from number 20 (hexadecimal) on, 16 a line.
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
            assert_eq!(symbol_of(font, number), expected, "{font} {number:X}");
        }
    }
}
