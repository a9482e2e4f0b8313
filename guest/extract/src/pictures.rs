//! Pictures of a document: their names as members of the file, and the marks that name them where
//! they stand in the text, `[image3.png: a red car]`.

use std::collections::{BTreeMap, HashMap};

use crate::limits::MEMBERS;
use crate::markdown::one_line;
use crate::members::MemberNames;
use crate::package::{Package, Relationship, RelationshipTarget};
use crate::pptx::is_file_name;

/// Extensions of the pictures that are members of a document.
const EXTENSIONS: [&str; 5] = ["gif", "jpeg", "jpg", "png", "webp"];

/// The pictures of a document that are members of its file.
#[derive(Debug, Default)]
pub struct PictureNames {
    /// Paths of members by the names of their parts or streams in lower case.
    members: HashMap<String, String>,
    /// The first of them that may stand in the text.
    example: Option<String>,
}

impl PictureNames {
    /// Finds the pictures of a package.
    pub fn find(package: &Package<'_>) -> Self {
        Self::new(picture_parts(package).map(|part| (file_name(&part).to_owned(), part)))
    }

    /// Names pictures, each with the name under which it is gathered as a member and that of its
    /// part, in the order of the members.
    pub fn new(pictures: impl Iterator<Item = (String, String)>) -> Self {
        let mut found = Self::default();
        let mut names = MemberNames::default();
        for (name, part) in pictures.take(MEMBERS) {
            let Some(member) = names.unique_path(&name) else {
                continue;
            };
            let part = part.to_ascii_lowercase();
            // The preview of the first page is a picture as well.
            if found.example.is_none() && !part.contains("thumbnail") {
                found.example = Some(member.clone());
            }
            found.members.entry(part).or_insert(member);
        }
        found
    }

    /// Returns the path of the member that is the picture in a part.
    pub fn member(&self, part: &str) -> Option<&str> {
        let part = part.trim_start_matches(['.', '/']).to_ascii_lowercase();
        self.members.get(&part).map(String::as_str)
    }

    /// Returns the paths of members by the ids of relationships.
    pub fn by_relationship(
        &self,
        relationships: &BTreeMap<String, Relationship>,
    ) -> BTreeMap<String, String> {
        let pictures = relationships.iter().filter_map(|(id, relationship)| {
            let RelationshipTarget::Part(part) = &relationship.target else {
                return None;
            };
            Some((id.clone(), self.member(part)?.to_owned()))
        });
        pictures.collect()
    }

    /// Returns the names of one and of several pictures that are left out, which say how they are
    /// had if they can be.
    pub fn nouns(&self) -> [String; 2] {
        match &self.example {
            None => ["picture".to_owned(), "pictures".to_owned()],
            Some(name) => [
                format!("picture (explore FILE!/{name} shows it)"),
                format!("pictures (explore FILE!/{name} shows one)"),
            ],
        }
    }
}

/// Returns the text that stands for a picture: its name as a member of the file, if it has one, and
/// its alternative text. `None` if it has neither.
pub fn picture_mark(member: Option<&str>, description: &str) -> Option<String> {
    let description = one_line(description);
    // Programs insert a picture with its name as alternative text.
    let has_description = !description.is_empty() && !is_file_name(&description);
    match (member, has_description) {
        (Some(name), true) => Some(format!("[{name}: {description}]")),
        (Some(name), false) => Some(format!("[{name}]")),
        (None, true) => Some(format!("[Picture: {description}]")),
        (None, false) => None,
    }
}

/// Returns the number of bytes of a text without blanks: a paragraph with no more than those of its
/// marks consists of pictures.
pub fn visible_bytes(text: &str) -> usize {
    text.bytes()
        .filter(|byte| !byte.is_ascii_whitespace())
        .count()
}

/// Returns the names of the parts that are pictures, in the order in which they are members.
pub fn picture_parts(package: &Package<'_>) -> impl Iterator<Item = String> {
    let parts = package.names().filter(|part| is_picture(part));
    parts.map(std::borrow::Cow::into_owned)
}

/// Returns true if a part or a stream is a picture that is a member, by its name.
pub fn is_picture(part: &str) -> bool {
    let extension = file_name(part).rsplit_once('.').map(|(_, it)| it);
    extension.is_some_and(|it| {
        EXTENSIONS
            .iter()
            .any(|known| it.eq_ignore_ascii_case(known))
    })
}

/// Returns the last component of the name of a part.
pub fn file_name(part: &str) -> &str {
    part.rsplit('/').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_have_what_is_known() {
        for (member, description, expected) in [
            (
                Some("image1.png"),
                " A red\ncar ",
                Some("[image1.png: A red car]"),
            ),
            (Some("image1.png"), "IMG_1.JPG", Some("[image1.png]")),
            (Some("image1.png"), "", Some("[image1.png]")),
            (None, "A red car", Some("[Picture: A red car]")),
            (None, "", None),
        ] {
            assert_eq!(picture_mark(member, description).as_deref(), expected);
        }
    }
}
