//! Who asks, and what they may.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use chrono::{DateTime, Utc};
use docent_host::grant::{Grants, Right};
use http::StatusCode;
use http::header::{AUTHORIZATION, HeaderMap, HeaderValue, WWW_AUTHENTICATE};
use tokio::sync::Notify;
use tokio::time::Instant;

use super::limits::{AT_ONCE, BURST, FAILURES, PEERS, PER_MINUTE};
use super::rate::{Bucket, Rate};
use super::reply::{self, Reply};
use crate::serve::desk::Caller;
use crate::serve::recorder::WrongToken;
use crate::terminal::notes::note;
use crate::tokens::{Digest, Extra, Stamp, Token, TokenFile, TokenFileError};

/// What a client is told that may not ask. Without a place of metadata: with one, clients would
/// have a person log in there instead of sending their token.
const CHALLENGE: HeaderValue = HeaderValue::from_static("Bearer realm=\"docent\"");

/// Roots by name and what may be done to each, in the order in which they were granted. Callers with
/// equal ones share a pool, and no others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RootRights(Vec<(String, Right)>);

impl RootRights {
    /// Returns all that `grants` give.
    pub fn all(grants: &Grants) -> Self {
        let all = grants.all().iter();
        Self(all.map(|it| (it.name().to_owned(), it.right())).collect())
    }

    /// Returns what may be done to a root; none where it might as well not be there.
    pub fn right(&self, root: &str) -> Option<Right> {
        let mut named = self.0.iter().filter(|(name, _)| name == root);
        named.next().map(|(_, right)| *right)
    }

    /// Returns this root alone; none where it might as well not be there.
    pub fn alone(&self, root: &str) -> Option<Self> {
        let right = self.right(root)?;
        Some(Self(vec![(root.to_owned(), right)]))
    }

    /// Returns all ways in which somebody with these can be served: with all of them, and with each
    /// root alone.
    pub fn ways(&self) -> impl Iterator<Item = Self> + '_ {
        let roots = self.0.iter();
        let alone = roots.filter_map(|(root, _)| self.alone(root));
        std::iter::once(self.clone()).chain(alone)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Who makes a request.
#[derive(Clone, Debug)]
pub struct Principal {
    /// The name of the token.
    pub name: Arc<str>,
    /// The roots that it opens, as far as they are granted here.
    pub roots: RootRights,
    /// How often and how much at once it may call; none where that is not limited.
    pub allowance: Option<Allowance>,
    rights: Vec<Extra>,
    expires: Option<DateTime<Utc>>,
}

/// How much somebody may ask for.
#[derive(Clone, Copy, Debug)]
pub struct Allowance {
    /// Calls in the course of time.
    pub rate: Rate,
    /// Calls that run at the same time.
    pub at_once: usize,
}

impl Principal {
    /// Returns whoever reaches a listener that asks for no token.
    fn everybody(grants: &Grants) -> Self {
        Self {
            name: Caller::LOCAL.into(),
            roots: RootRights::all(grants),
            allowance: None,
            rights: vec![Extra::Metrics, Extra::Page, Extra::Log],
            expires: None,
        }
    }

    fn of(token: Token, grants: &Grants) -> Self {
        // The lesser right counts: a token gives none that was not granted.
        let narrowed = grants.narrowed(|root| token.roots.get(root).copied());
        Self {
            name: token.name.into(),
            roots: RootRights::all(&narrowed),
            allowance: Some(Allowance {
                rate: Rate {
                    burst: BURST,
                    per_minute: PER_MINUTE,
                },
                at_once: AT_ONCE,
            }),
            rights: token.rights,
            expires: token.expires,
        }
    }

    /// Returns somebody without roots.
    #[cfg(test)]
    pub fn for_tests(name: &str, allowance: Allowance) -> Self {
        Self {
            name: name.into(),
            roots: RootRights::default(),
            allowance: Some(allowance),
            rights: Vec::new(),
            expires: None,
        }
    }

    /// Whether it may do something beside calling tools.
    pub fn has(&self, right: Extra) -> bool {
        self.rights.contains(&right)
    }

    /// Returns who calls, for a program that calls itself `client`.
    pub fn caller(&self, client: Option<&str>) -> Caller {
        Caller {
            name: Arc::clone(&self.name),
            client: client.map(Arc::from),
        }
    }
}

/// Somebody who may not ask.
#[derive(Debug)]
pub struct Denied {
    /// Why not.
    pub why: WrongToken,
    /// What they are answered.
    pub reply: Reply,
}

/// Who may ask.
pub enum Access {
    /// Everybody who reaches the listener.
    Open(Arc<Principal>),
    /// Who has a token.
    Tokens(Box<Tokens>),
}

/// The tokens of a file, which are read again whenever it changes.
pub struct Tokens {
    file: TokenFile,
    grants: Grants,
    known: Mutex<Known>,
    failures: Mutex<HashMap<Option<IpAddr>, Bucket>>,
    changed: Notify,
}

struct Known {
    stamp: Option<Stamp>,
    principals: HashMap<Digest, Arc<Principal>>,
}

impl Access {
    /// Returns the access of a listener: by the tokens in `file`, or open where there is no file.
    ///
    /// # Errors
    /// When the file cannot be used.
    pub fn new(file: Option<TokenFile>, grants: &Grants) -> Result<Self, TokenFileError> {
        let Some(file) = file else {
            return Ok(Self::open(grants));
        };
        let Some(tokens) = file.read_ambient()? else {
            return Ok(Self::open(grants));
        };
        let roots = grants.all().iter();
        file.keep_out_ambient(roots.map(|root| (root.name(), root.path())))?;
        for token in &tokens {
            let mut named = token.roots.keys();
            if let Some(root) = named.find(|name| grants.all().iter().all(|it| it.name() != **name))
            {
                note(format_args!(
                    "token `{}` names root `{root}`, which is not granted",
                    token.name
                ));
            }
        }
        let tokens = Tokens {
            known: Mutex::new(Known {
                stamp: None,
                principals: HashMap::new(),
            }),
            // All of them, for the tokens that come later.
            grants: grants.narrowed(|root| RootRights::all(grants).right(root)),
            file,
            failures: Mutex::default(),
            changed: Notify::new(),
        };
        Ok(Self::Tokens(Box::new(tokens)))
    }

    fn open(grants: &Grants) -> Self {
        Self::Open(Arc::new(Principal::everybody(grants)))
    }

    /// Whether everybody may ask.
    pub fn is_open(&self) -> bool {
        matches!(self, Self::Open(_))
    }

    /// Returns what everybody may who may ask; none where that cannot be told now.
    pub fn all_rights_ambient(&self) -> Option<Vec<RootRights>> {
        match self {
            Self::Open(everybody) => Some(vec![everybody.roots.clone()]),
            Self::Tokens(tokens) => tokens.all_rights_ambient(),
        }
    }

    /// Waits until a request has met other tokens than the one before.
    pub async fn changed(&self) {
        match self {
            Self::Open(_) => std::future::pending().await,
            Self::Tokens(tokens) => tokens.changed.notified().await,
        }
    }

    /// Returns who makes a request.
    ///
    /// # Errors
    /// The answer to somebody who may not ask, and why.
    pub fn principal(
        &self,
        headers: &HeaderMap,
        peer: Option<IpAddr>,
    ) -> Result<Arc<Principal>, Box<Denied>> {
        match self {
            Self::Open(everybody) => Ok(Arc::clone(everybody)),
            Self::Tokens(tokens) => tokens.principal(headers, peer),
        }
    }
}

impl Tokens {
    fn principal(
        &self,
        headers: &HeaderMap,
        peer: Option<IpAddr>,
    ) -> Result<Arc<Principal>, Box<Denied>> {
        let Some(token) = bearer(headers) else {
            return Err(Box::new(Denied {
                why: WrongToken::Missing,
                reply: challenged("expected `Authorization: Bearer TOKEN`"),
            }));
        };
        let principal = self.known(Digest::of(token));
        let now = Utc::now();
        match principal {
            Some(it) if it.expires.is_none_or(|expires| expires > now) => Ok(it),
            // By address, and only for those that fail: nobody can keep a good token out.
            _ => Err(Box::new(Denied {
                why: WrongToken::Wrong,
                reply: match self.failed(peer) {
                    Ok(()) => challenged("the token is unknown, revoked or expired"),
                    Err(seconds) => {
                        let problem = "too many wrong tokens; try again later";
                        let reply = reply::text(StatusCode::TOO_MANY_REQUESTS, problem);
                        reply::retry_after(reply, seconds)
                    }
                },
            })),
        }
    }

    fn known(&self, digest: Digest) -> Option<Arc<Principal>> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let stamp = self.file.stamp_ambient();
        if known.stamp != stamp || stamp.is_none() {
            // Before it is read: what is written meanwhile has another.
            known.stamp = stamp;
            known.principals = self.read();
            self.changed.notify_one();
        }
        known.principals.get(&digest).cloned()
    }

    /// Returns what the tokens open that are good now; none where their file is not there or not as it
    /// should be.
    fn all_rights_ambient(&self) -> Option<Vec<RootRights>> {
        let now = Utc::now();
        let mut tokens = self.file.read_ambient().ok()??;
        tokens.retain(|token| !token.has_expired(now));
        let rights = |token| Principal::of(token, &self.grants).roots;
        Some(tokens.into_iter().map(rights).collect())
    }

    /// Reads the file. Where that fails nobody may ask: it may have said so.
    fn read(&self) -> HashMap<Digest, Arc<Principal>> {
        let tokens = match self.file.read_ambient() {
            Ok(tokens) => tokens.unwrap_or_default(),
            Err(error) => {
                note(format_args!(
                    "{error}; no token is taken until it is mended"
                ));
                Vec::new()
            }
        };
        let principal = |token: Token| {
            let digest = token.digest;
            (digest, Arc::new(Principal::of(token, &self.grants)))
        };
        tokens.into_iter().map(principal).collect()
    }

    /// Counts a wrong token from `peer`. Fails with the seconds after which one more may come.
    fn failed(&self, peer: Option<IpAddr>) -> Result<(), u64> {
        let now = Instant::now();
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        if failures.len() >= PEERS && !failures.contains_key(&peer) {
            failures.retain(|_, bucket| !bucket.is_full(now));
            if failures.len() >= PEERS {
                return Err(1);
            }
        }
        let bucket = failures
            .entry(peer)
            .or_insert_with(|| Bucket::new(FAILURES, now));
        bucket.take(now)
    }
}

/// Returns the one token in the one header where tokens come.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let value = values.next()?.to_str().ok()?;
    if values.next().is_some() {
        return None;
    }
    let (scheme, token) = value.split_once(' ')?;
    scheme
        .eq_ignore_ascii_case("bearer")
        .then_some(token.trim())
}

fn challenged(problem: &str) -> Reply {
    let mut reply = reply::text(StatusCode::UNAUTHORIZED, problem);
    reply.headers_mut().insert(WWW_AUTHENTICATE, CHALLENGE);
    reply
}

#[cfg(test)]
mod tests {
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
            let token = Token {
                name: name.to_owned(),
                digest: Digest::of(secret.text()),
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
            let add = |tokens: &mut Vec<Token>| {
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
        let revoke = |tokens: &mut Vec<Token>| {
            tokens.retain(|token| token.name != "ann");
            Ok::<_, TokenFileError>(())
        };
        place.file.change_ambient(revoke).unwrap();
        assert!(asked(&access, &[&ann]).is_err());
        assert!(asked(&access, &[&ben]).is_ok());
        // What the expired one opens counts no more; and nobody has fewer rights because of a file
        // that says nothing.
        assert_eq!(access.all_rights_ambient().unwrap().len(), 1);
        // Never open again: neither with a broken file nor without one.
        std::fs::write(place.file.path(), "{").unwrap();
        assert!(asked(&access, &[&ben]).is_err());
        assert_eq!(access.all_rights_ambient(), None);
        std::fs::remove_file(place.file.path()).unwrap();
        assert!(asked(&access, &[]).is_err());
        assert_eq!(access.all_rights_ambient(), None);
        drop(place.directory);
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
}
