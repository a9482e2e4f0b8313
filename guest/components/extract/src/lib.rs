//! The shell of the component that reads documents other than text: one function.
#![deny(missing_docs)]
// Native code calls `docent-extract` directly.
#![cfg(target_family = "wasm")]

/// The bindings generated from `wit/`.
#[allow(
    missing_docs,
    unsafe_code,
    clippy::all,
    clippy::pedantic,
    reason = "generated from wit/, where the documentation stands"
)]
mod bindings {
    wit_bindgen::generate!({
        path: "../../../wit",
        world: "extractor",
    });
}

use bindings::exports::docent::docent::extract::{
    Beyond, ExtractedDocument, Failure, Guest, Limits, ListedMember, Member, MemberList,
    UnknownGlyphs,
};

/// The component's exports.
struct Component;

impl Guest for Component {
    fn extract(
        extension: String,
        content: Vec<u8>,
        limits: Limits,
    ) -> Result<ExtractedDocument, Failure> {
        let limits = reader_limits(limits);
        let document = docent_extract::detect(&extension, &content, &limits).and_then(|format| {
            Ok(ExtractedDocument {
                format: format.name().to_owned(),
                has_members: docent_extract::may_have_members(format, &content),
                text: docent_extract::extract(format, content, &limits)?,
            })
        });
        document.map_err(failure)
    }

    fn list_members(
        extension: String,
        content: Vec<u8>,
        limits: Limits,
    ) -> Result<MemberList, Failure> {
        let limits = reader_limits(limits);
        let found = docent_extract::list_members(&extension, &content, &limits);
        let found = found.map_err(failure)?;
        let members = found.members.into_iter().map(|member| ListedMember {
            path: member.path,
            claimed_bytes: member.claimed_bytes,
        });
        Ok(MemberList {
            members: members.collect(),
            omitted: u32::try_from(found.omitted).unwrap_or(u32::MAX),
        })
    }

    fn unpack(
        extension: String,
        content: Vec<u8>,
        paths: Option<Vec<String>>,
        limits: Limits,
    ) -> Result<Vec<Member>, Failure> {
        let limits = reader_limits(limits);
        let found = docent_extract::unpack(&extension, &content, paths.as_deref(), &limits);
        let members = found.map_err(failure)?.into_iter().map(|member| Member {
            path: member.path,
            content: member.content.map_err(failure),
        });
        Ok(members.collect())
    }
}

fn reader_limits(limits: Limits) -> docent_extract::Limits {
    docent_extract::Limits {
        text_bytes: limits.text_bytes as usize,
        unpacked_bytes: u64::from(limits.unpacked_bytes),
        beyond: match limits.beyond {
            Beyond::Refuse => docent_extract::Beyond::Refuse,
            Beyond::LeaveOut => docent_extract::Beyond::LeaveOut,
        },
    }
}

fn failure(failure: docent_extract::Failure) -> Failure {
    match failure {
        docent_extract::Failure::Malformed => Failure::Malformed,
        docent_extract::Failure::Encrypted => Failure::Encrypted,
        docent_extract::Failure::TooLarge => Failure::TooLarge,
        docent_extract::Failure::NoText => Failure::NoText,
        docent_extract::Failure::Unsupported(name) => Failure::Unsupported(name.to_owned()),
        docent_extract::Failure::UnknownGlyphs(unknown) => Failure::UnknownGlyphs(UnknownGlyphs {
            glyphs: unknown.glyphs,
            pages: unknown.pages,
        }),
    }
}

bindings::export!(Component with_types_in bindings);
