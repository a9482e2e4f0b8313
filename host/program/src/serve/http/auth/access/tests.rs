//! Tests of tokens and rights.

use std::net::Ipv4Addr;

use docent_host::grant::RootSpec;

use super::*;
use crate::tokens::Secret;

struct Place {
    directory: tempfile::TempDir,
    grants: Grants,
    file: TokenFile,
}

impl Place {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let root = |name: &str, right| {
            let path = directory.path().join(name);
            std::fs::create_dir(&path).unwrap();
            RootSpec {
                name: None,
                path,
                right,
                sensitive: false,
            }
        };
        let roots = [root("a", Right::ReadOnly), root("b", Right::ReadWrite)];
        let grants = Grants::resolve_ambient(&roots, None).unwrap();
        let file = TokenFile::new(directory.path().join("tokens.json"));
        Self {
            directory,
            grants,
            file,
        }
    }

    fn add(&self, name: &str, expires: Option<DateTime<Utc>>) -> String {
        let secret = Secret::new().unwrap();
        let token = TokenRecord {
            name: name.to_owned(),
            digest: Digest::from_token(secret.text()),
            roots: [
                ("a", Right::ReadWrite),
                ("b", Right::ReadOnly),
                ("c", Right::ReadOnly),
            ]
            .map(|(root, right)| (root.to_owned(), right))
            .into(),
            rights: vec![Extra::Page],
            created: Utc::now(),
            expires,
        };
        let add = |tokens: &mut Vec<TokenRecord>| {
            tokens.push(token);
            Ok::<_, TokenFileError>(())
        };
        self.file.change_ambient(add).unwrap();
        secret.text().to_owned()
    }

    fn access(&self) -> Access {
        Access::new(Some(self.file.clone()), &self.grants).unwrap()
    }
}

fn asked(access: &Access, authorization: &[&str]) -> Result<Arc<Principal>, StatusCode> {
    let mut headers = HeaderMap::new();
    for value in authorization {
        headers.append(AUTHORIZATION, value.parse().unwrap());
    }
    let peer = Some(Ipv4Addr::LOCALHOST.into());
    access
        .principal(&headers, peer)
        .map_err(|denied| denied.reply.status())
}

#[test]
fn a_token_opens_what_it_and_the_server_give() {
    let place = Place::new();
    assert!(place.access().is_open(), "there is no file");
    let token = place.add("ann", None);
    let access = place.access();
    let principal = asked(&access, &[&format!("bearer {token}")]).unwrap();
    assert_eq!(&*principal.name, "ann");
    let roots = ["a", "b"].map(|root| (root.to_owned(), Right::ReadOnly));
    assert_eq!(principal.roots, RootRights(roots.into()));
    assert!(principal.has(Extra::Page) && !principal.has(Extra::Metrics));
    let refused = Some(StatusCode::UNAUTHORIZED);
    let twice = format!("Bearer {token}");
    for wrong in [
        &[][..],
        &[&*token],
        &["Bearer"],
        &[&*format!("Basic {token}")],
        &[&*format!("Bearer {token}x")],
        &[&*twice, &*twice],
    ] {
        assert_eq!(asked(&access, wrong).err(), refused, "{wrong:?}");
    }
}

#[test]
fn what_changes_in_the_file_counts_at_once() {
    let place = Place::new();
    let ann = format!("Bearer {}", place.add("ann", None));
    let access = place.access();
    assert!(asked(&access, &[&ann]).is_ok());
    let ben = format!("Bearer {}", place.add("ben", None));
    assert!(asked(&access, &[&ben]).is_ok());
    let old = format!("Bearer {}", place.add("old", Some(Utc::now())));
    assert!(asked(&access, &[&old]).is_err(), "it has expired");
    let revoke = |tokens: &mut Vec<TokenRecord>| {
        tokens.retain(|token| token.name != "ann");
        Ok::<_, TokenFileError>(())
    };
    place.file.change_ambient(revoke).unwrap();
    assert!(asked(&access, &[&ann]).is_err());
    assert!(asked(&access, &[&ben]).is_ok());
    // The roots of the expired token no longer count; a token file that is unreadable removes
    // nobody's rights.
    assert_eq!(access.all_rights_ambient().unwrap().len(), 1);
    // It never opens again: neither with a broken file nor without one.
    std::fs::write(place.file.path(), "{").unwrap();
    assert!(asked(&access, &[&ben]).is_err());
    assert_eq!(access.all_rights_ambient(), None);
    std::fs::remove_file(place.file.path()).unwrap();
    assert!(asked(&access, &[]).is_err());
    assert_eq!(access.all_rights_ambient(), None);
    drop(place.directory);
}

#[test]
fn a_file_that_comes_later_counts_at_once() {
    let place = Place::new();
    let access = place.access();
    let everybody = asked(&access, &[]).unwrap();
    assert!(access.is_open() && everybody.has(Extra::Log));
    let ann = format!("Bearer {}", place.add("ann", None));
    assert!(!everybody.ended.is_cancelled());
    assert_eq!(asked(&access, &[]).err(), Some(StatusCode::UNAUTHORIZED));
    assert!(!access.is_open() && asked(&access, &[&ann]).is_ok());
    assert!(
        everybody.ended.is_cancelled(),
        "what runs for everybody ends"
    );
    std::fs::remove_file(place.file.path()).unwrap();
    assert!(asked(&access, &[&ann]).is_err() && asked(&access, &[]).is_err());
    let ben = format!("Bearer {}", place.add("ben", None));
    assert!(asked(&access, &[&ben]).is_ok() && asked(&access, &[&ann]).is_err());
}

#[test]
fn a_file_that_comes_later_and_is_no_good_lets_nobody_in() {
    type Spoil = fn(&Place);
    let spoilt: [Spoil; 3] = [
        |place| std::fs::write(place.file.path(), "{").unwrap(),
        |place| std::fs::create_dir(place.file.path()).unwrap(),
        |place| {
            place.add("ann", None);
            #[cfg(unix)]
            {
                use std::os::unix::fs::PermissionsExt as _;

                let open = std::fs::Permissions::from_mode(0o622);
                std::fs::set_permissions(place.file.path(), open).unwrap();
            }
        },
    ];
    for spoil in spoilt {
        let place = Place::new();
        let access = place.access();
        assert!(asked(&access, &[]).is_ok());
        spoil(&place);
        assert!(asked(&access, &[]).is_err() && !access.is_open());
    }
}

#[test]
fn a_file_that_comes_to_lie_in_a_root_lets_nobody_in() {
    let place = Place::new();
    let file = TokenFile::new(place.directory.path().join("b/conf/tokens.json"));
    let access = Access::new(Some(file.clone()), &place.grants).unwrap();
    assert!(asked(&access, &[]).is_ok());
    let none = |_: &mut Vec<TokenRecord>| Ok::<_, TokenFileError>(());
    file.change_ambient(none).unwrap();
    assert!(asked(&access, &[]).is_err());
}

#[test]
fn whoever_may_no_longer_ask_is_told_to_end() {
    let place = Place::new();
    let [ann, ben] = ["ann", "ben"].map(|name| format!("Bearer {}", place.add(name, None)));
    let access = place.access();
    let [first, other] = [&ann, &ben].map(|token| asked(&access, &[token]).unwrap());
    let change = |change: fn(&mut TokenRecord)| {
        let change = |tokens: &mut Vec<TokenRecord>| {
            change(&mut tokens[0]);
            Ok::<_, TokenFileError>(())
        };
        place.file.change_ambient(change).unwrap();
        access.look_ambient();
    };
    // The same token with fewer rights is another principal.
    change(|token| {
        token.roots.remove("b");
    });
    assert!(first.ended.is_cancelled() && !other.ended.is_cancelled());
    let second = asked(&access, &[&ann]).unwrap();
    assert_ne!(first.id, second.id);
    change(|token| token.expires = Some(Utc::now()));
    assert!(second.ended.is_cancelled() && !other.ended.is_cancelled());
    // So is a new token with an old name and the same rights.
    let again = |tokens: &mut Vec<TokenRecord>| {
        tokens.retain(|token| token.name != "ben");
        Ok::<_, TokenFileError>(())
    };
    place.file.change_ambient(again).unwrap();
    let ben = format!("Bearer {}", place.add("ben", None));
    assert_ne!(asked(&access, &[&ben]).unwrap().id, other.id);
    assert!(other.ended.is_cancelled());
}

#[test]
fn who_guesses_is_told_to_wait_and_keeps_nobody_out() {
    let place = Place::new();
    let ann = format!("Bearer {}", place.add("ann", None));
    let access = place.access();
    let guess = || asked(&access, &["Bearer dct_x"]).unwrap_err();
    for _ in 0..FAILURES.burst {
        assert_eq!(guess(), StatusCode::UNAUTHORIZED);
    }
    assert_eq!(guess(), StatusCode::TOO_MANY_REQUESTS);
    assert!(asked(&access, &[&ann]).is_ok());
}
