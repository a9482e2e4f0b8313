//! Tests of OLE containers whose tables and trees lie.

use docent_extract::fixtures::named;
use docent_extract::{Beyond, Format, Limits, detect, extract};

const LIMITS: Limits = Limits {
    text_bytes: 1 << 20,
    unpacked_bytes: 16 << 20,
    beyond: Beyond::Refuse,
};

/// Reads a container, whatever comes of it.
fn read(file: &[u8]) {
    let _ = detect("hwp", file, &LIMITS);
    let _ = extract(Format::Hwp, file.to_vec(), &LIMITS);
}

#[test]
fn every_number_may_be_any_other() {
    let file = named("report.hwp");
    for at in (0..file.len()).step_by(4) {
        for number in [0, 1, 2, 0x7FFF_FFFF, 0xFFFF_FFFA, 0xFFFF_FFFE, 0xFFFF_FFFF] {
            let mut changed = file.clone();
            changed[at..at + 4].copy_from_slice(&u32::to_le_bytes(number));
            read(&changed);
        }
    }
}

#[test]
fn circles_end() {
    let file = named("report.hwp");
    // The table of sectors is the last sector. Each of its entries names a sector of a circle.
    let table = file.len() - 512;
    for first in 0..8u32 {
        let mut changed = file.clone();
        for (index, entry) in changed[table..].chunks_exact_mut(4).enumerate() {
            entry.copy_from_slice(&((index as u32 + first) % 8).to_le_bytes());
        }
        read(&changed);
    }
}

#[test]
fn tables_that_repeat_a_sector_stay_small() {
    let mut file = named("report.hwp");
    let last = file.len() / 512 - 2;
    // All sectors after the first are a chain that continues the table, each with 127 names of
    // the same sector.
    for sector in 0..1000u32 {
        let mut names = [(last as u32).to_le_bytes(); 128];
        names[127] = (last as u32 + sector + 2).to_le_bytes();
        file.extend(names.concat());
    }
    file[68..72].copy_from_slice(&(last as u32 + 1).to_le_bytes());
    read(&file);
}
