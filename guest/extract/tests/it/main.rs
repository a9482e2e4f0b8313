//! Tests of the readers from outside, in one binary: linking takes longer than running all of them.

mod damage;
mod detect;
mod doc;
mod docx;
mod epub;
mod html;
mod hwp;
mod hwpx;
mod ipynb;
mod mail;
mod members;
mod msg;
mod odp;
mod ods;
mod odt;
mod ole;
mod pdf;
mod pdf_text;
mod pictures;
mod pictures_binary;
mod ppt;
mod ppt_damage;
mod pptx;
mod pptx_charts;
mod rtf;
mod rtf_structure;
mod salvage;
mod xls;
mod xlsx;

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "the modules of the tests are files"
)]
fn no_file_of_tests_is_forgotten() {
    let modules: Vec<String> = include_str!("main.rs")
        .lines()
        .filter_map(|line| Some(line.strip_prefix("mod ")?.strip_suffix(';')?.to_owned()))
        .collect();
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it");
    let mut files: Vec<String> = std::fs::read_dir(directory)
        .expect("the tests are there")
        .map(|entry| entry.expect("it can be listed").path())
        .map(|path| {
            path.file_stem()
                .expect("it has a name")
                .display()
                .to_string()
        })
        .filter(|name| name != "main")
        .collect();
    files.sort();
    assert_eq!(files, modules);
}
