//! Directive files, in which each line begins with a keyword: `go.mod`, with blocks in brackets,
//! and lists of modules.

use crate::entry::DataKind;
use crate::line::LineSpan;
use crate::path::PathStep;
use crate::scan::makefile::word;
use crate::writer::{EntryWriter, ValueSpan};

pub(super) fn scan(writer: &mut EntryWriter<'_, '_>) {
    let text = writer.text;
    let mut at = 0;
    while let Some(line) = LineSpan::at(text, at) {
        if writer.is_over() {
            return;
        }
        at = line.next;
        let (start, trimmed) = line.trim(text);
        let end = start + trimmed.len();
        if trimmed.is_empty() {
            continue;
        }
        if trimmed.starts_with("//") || trimmed.starts_with('#') {
            writer.text(start..end);
            continue;
        }
        if trimmed == ")" {
            writer.close();
            continue;
        }
        let (key, value) = word(text, start..end);
        let step = PathStep::Key(key);
        match trimmed.strip_suffix('(') {
            // Blocks do not nest, so a head within a block is a value: its bracket would
            // otherwise keep the block open after its own `)`.
            Some(head) if head.trim_end() == key && writer.depth() == 0 => {
                writer.open(&[step], DataKind::Table, &ValueSpan::new(start, end..end));
            }
            _ => writer.value(&[step], &ValueSpan::new(start, value..end)),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::format::DataFormat;
    use crate::scan::tests::check;

    #[test]
    fn module() {
        let text = "module example.com/app\n\ngo 1.22\n\nrequire (\n\tgithub.com/a/b v1.2.3 // indirect\n\t// Why.\n)\nreplace x => ../x\n";
        check(
            DataFormat::Directives,
            text,
            &[
                "1 module = example.com/app",
                "3 go = 1.22",
                "5 require:",
                "6 require.\"github.com/a/b\" = v1.2.3 // indirect",
                "7 // Why.",
                "9 replace = x => ../x",
            ],
        );
    }
}
