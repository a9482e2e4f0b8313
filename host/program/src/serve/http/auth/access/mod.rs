//! Authentication of clients, and their rights.

use std::collections::HashMap;
use std::fmt;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use chrono::{DateTime, Utc};
use docent_access_log::Hash;
use docent_host::grant::{Grants, Right};
use http::StatusCode;
use http::header::{AUTHORIZATION, HeaderMap, HeaderValue, WWW_AUTHENTICATE};
use tokio::sync::Notify;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::serve::caller::Caller;
use crate::serve::http::limits::{AT_ONCE, BURST, FAILURES, PEERS, PER_MINUTE};
use crate::serve::http::reply::{self, Reply};
use crate::serve::http::scheduling::fair_queue::{Allowance, QueueClient};
use crate::serve::http::scheduling::rate::{Bucket, Rate};
use crate::serve::recorder::WrongToken;
use crate::terminal::notes::note;
use crate::tokens::{Digest, Extra, Presence, TokenFile, TokenFileError, TokenRecord};

/// Challenge to a client without access. It names no metadata: with metadata, clients would start a
/// login instead of sending their token.
const CHALLENGE: HeaderValue = HeaderValue::from_static("Bearer realm=\"docent\"");

/// The names of roots and the right to each, in the order in which they were granted. Callers with
/// equal rights share a pool; others never do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RootRights(Vec<(String, Right)>);

impl RootRights {
    /// Returns all rights of `grants`.
    pub fn all(grants: &Grants) -> Self {
        let all = grants.all().iter();
        Self(all.map(|it| (it.name().to_owned(), it.right())).collect())
    }

    /// Returns the right to a root; none if it must appear not to exist.
    pub fn right(&self, root: &str) -> Option<Right> {
        let mut named = self.0.iter().filter(|(name, _)| name == root);
        named.next().map(|(_, right)| *right)
    }

    /// Returns the rights to this root alone; none if it must appear not to exist.
    pub fn alone(&self, root: &str) -> Option<Self> {
        let right = self.right(root)?;
        Some(Self(vec![(root.to_owned(), right)]))
    }

    /// Returns all sets of rights with which a holder can be served: all roots together, and each
    /// root alone.
    pub fn ways(&self) -> impl Iterator<Item = Self> + '_ {
        let roots = self.0.iter();
        let alone = roots.filter_map(|(root, _)| self.alone(root));
        std::iter::once(self.clone()).chain(alone)
    }

    /// Returns true if there is no root.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The authenticated sender of a request.
#[derive(Clone, Debug)]
pub struct Principal {
    /// Name of the token, for people. An earlier token may have had the same one.
    pub name: Arc<str>,
    /// Identity of the token, of its roots with their locations, and of its other rights. It
    /// decides on the ownership of earlier requests.
    pub id: Hash,
    /// Roots that it opens, as far as they are granted here.
    pub roots: RootRights,
    /// Rate and concurrency limits; none if unlimited.
    pub allowance: Option<Allowance>,
    /// Cancelled when it loses access: its running calls must stop.
    pub ended: CancellationToken,
    /// Roots that the token names but that are not granted here.
    missing: Vec<String>,
    rights: Vec<Extra>,
    expires: Option<DateTime<Utc>>,
}

impl Principal {
    /// Returns the principal of all clients of a listener without tokens.
    fn everybody(grants: &Grants) -> Self {
        let rights = vec![Extra::Metrics, Extra::Page, Extra::Log];
        Self {
            name: Caller::LOCAL.into(),
            id: identity(Caller::LOCAL.as_bytes(), grants, &rights),
            roots: RootRights::all(grants),
            allowance: None,
            ended: CancellationToken::new(),
            missing: Vec::new(),
            rights,
            expires: None,
        }
    }

    fn from_token(token: TokenRecord, grants: &Grants) -> Self {
        // The lesser of two rights applies: a token for writing in a root that was granted
        // read-only reads there. A token cannot extend a grant.
        let narrowed = grants.narrow(|root| token.roots.get(root).copied());
        let is_granted = |root: &&String| grants.all().iter().any(|it| it.name() == **root);
        let named = token.roots.keys();
        Self {
            id: identity(token.digest.bytes(), &narrowed, &token.rights),
            missing: named.filter(|root| !is_granted(root)).cloned().collect(),
            name: token.name.into(),
            roots: RootRights::all(&narrowed),
            allowance: Some(Allowance {
                rate: Rate {
                    burst: BURST,
                    per_minute: PER_MINUTE,
                },
                at_once: AT_ONCE,
            }),
            ended: CancellationToken::new(),
            rights: token.rights,
            expires: token.expires,
        }
    }

    /// Returns the client of the queue of calls.
    pub fn client(&self) -> QueueClient {
        QueueClient {
            id: self.id,
            allowance: self.allowance,
        }
    }

    /// Returns true if it has this right besides calling tools.
    pub fn has(&self, right: Extra) -> bool {
        self.rights.contains(&right)
    }

    /// Returns the caller, for a program that reports the name `client`.
    pub fn caller(&self, client: Option<&str>) -> Caller {
        Caller {
            name: Arc::clone(&self.name),
            principal: Some(self.id),
            client: client.map(Arc::from),
        }
    }

    /// Returns true if the other principal has the same name, identity, expiry and missing roots.
    fn is_same(&self, other: &Self) -> bool {
        let fields = |it: &Self| (Arc::clone(&it.name), it.id, it.expires, it.missing.clone());
        fields(self) == fields(other)
    }

    /// Returns true if its token has expired.
    fn has_expired(&self, now: DateTime<Utc>) -> bool {
        self.expires.is_some_and(|expires| expires <= now)
    }

    /// Returns the answer to a token without roots, with which nothing can be called.
    pub fn opens_nothing(&self) -> Reply {
        let problem = match self.missing_roots() {
            None => "the token opens no root of this server".to_owned(),
            Some(missing) => {
                format!("the token opens no root of this server; it names {missing}")
            }
        };
        reply::text(StatusCode::FORBIDDEN, &problem)
    }

    /// Formats the roots that its token names but that are not granted here; none if there are
    /// none.
    fn missing_roots(&self) -> Option<impl fmt::Display> {
        let names = self.missing.join("`, `");
        let (roots, are) = match self.missing.len() {
            1 => ("root", "is"),
            _ => ("roots", "are"),
        };
        (!names.is_empty()).then(|| format!("{roots} `{names}`, which {are} not granted here"))
    }
}

/// Returns a hash that identifies the holder of a token: of `token`, its roots with their locations
/// and rights, and its other rights.
fn identity(token: &[u8], roots: &Grants, rights: &[Extra]) -> Hash {
    let mut bytes = Vec::new();
    let mut add = |part: &[u8]| {
        // The length marks the end of each part, so that no other split of the same bytes has
        // the same identity.
        bytes.extend_from_slice(&(part.len() as u64).to_le_bytes());
        bytes.extend_from_slice(part);
    };
    add(token);
    for grant in roots.all() {
        add(grant.name().as_bytes());
        add(grant.path().as_os_str().as_encoded_bytes());
        add(&[u8::from(grant.right() == Right::ReadWrite)]);
    }
    for right in rights {
        add(right.name().as_bytes());
    }
    Hash::digest(&bytes)
}

/// The refusal of a client without access.
#[derive(Debug)]
pub struct AccessDenied {
    /// Reason.
    pub why: WrongToken,
    /// Reply to the client.
    pub reply: Reply,
}

/// The access policy: everybody until a token file exists, and from then on only the holders of its
/// tokens. The file is checked on each request, whether or not it existed before.
pub struct Access {
    /// Token file; none if there is no place for one.
    file: Option<TokenFile>,
    grants: Grants,
    known: Mutex<TokenFileState>,
    failures: Mutex<HashMap<Option<IpAddr>, Bucket>>,
    changed: Notify,
}

/// The cached state of the token file.
struct TokenFileState {
    presence: Presence,
    entry: AdmittedClients,
}

/// The clients that are admitted.
enum AdmittedClients {
    /// Everybody: a token file has never existed.
    Open(Arc<Principal>),
    /// Holders of tokens. Since a token file once existed, access never opens again, even if the
    /// file is removed or unreadable.
    Tokens(HashMap<Digest, Arc<Principal>>),
}

impl Access {
    /// Creates the access policy of a listener: by the tokens in `file`, or open while it does not
    /// exist.
    ///
    /// # Errors
    /// Returns an error if the file cannot be used.
    pub fn new(file: Option<TokenFile>, grants: &Grants) -> Result<Self, TokenFileError> {
        let access = Self {
            known: Mutex::new(TokenFileState {
                presence: Presence::Absent,
                entry: AdmittedClients::Open(Arc::new(Principal::everybody(grants))),
            }),
            // All grants are kept, and not only those of the present tokens: tokens may be
            // added while the server runs.
            grants: grants.narrow(|root| RootRights::all(grants).right(root)),
            file,
            failures: Mutex::default(),
            changed: Notify::new(),
        };
        if let Some(file) = &access.file {
            let presence = file.presence_ambient();
            if let Some(tokens) = access.tokens_ambient(file)? {
                *access.lock() = TokenFileState {
                    presence,
                    entry: AdmittedClients::Tokens(
                        access.principals(tokens, &AdmittedClients::admit_nobody()),
                    ),
                };
            }
        }
        Ok(access)
    }

    /// Returns true if everybody has access, as of the last check.
    pub fn is_open(&self) -> bool {
        matches!(self.lock().entry, AdmittedClients::Open(_))
    }

    /// Returns the rights of all who have access; none if that is currently unknown.
    pub fn all_rights_ambient(&self) -> Option<Vec<RootRights>> {
        if let AdmittedClients::Open(everybody) = &self.lock().entry {
            return Some(vec![everybody.roots.clone()]);
        }
        let now = Utc::now();
        let mut tokens = self.file.as_ref()?.read_ambient().ok()??;
        tokens.retain(|token| !token.has_expired(now));
        let rights = |token| Principal::from_token(token, &self.grants).roots;
        Some(tokens.into_iter().map(rights).collect())
    }

    /// Waits until the tokens change.
    pub async fn wait_for_change(&self) {
        self.changed.notified().await;
    }

    /// Checks the token file, and stops the calls of those who lost access.
    pub fn look_ambient(&self) {
        let known = self.current_ambient();
        if let AdmittedClients::Tokens(principals) = &known.entry {
            let now = Utc::now();
            let expired = principals.values().filter(|it| it.has_expired(now));
            expired.for_each(|principal| principal.ended.cancel());
        }
    }

    /// Authenticates a request.
    ///
    /// # Errors
    /// Returns the reply to a client without access, and the reason.
    pub fn principal(
        &self,
        headers: &HeaderMap,
        peer: Option<IpAddr>,
    ) -> Result<Arc<Principal>, Box<AccessDenied>> {
        let known = self.current_ambient();
        let principals = match &known.entry {
            AdmittedClients::Open(everybody) => return Ok(Arc::clone(everybody)),
            AdmittedClients::Tokens(principals) => principals,
        };
        let Some(token) = bearer(headers) else {
            return Err(Box::new(AccessDenied {
                why: WrongToken::Missing,
                reply: challenge("expected `Authorization: Bearer TOKEN`"),
            }));
        };
        let principal = principals.get(&Digest::from_token(token)).cloned();
        drop(known);
        match principal {
            Some(it) if !it.has_expired(Utc::now()) => Ok(it),
            // Wrong tokens are counted by the address of their sender, and valid ones never.
            // Otherwise somebody who guesses tokens from an address, or through the same proxy,
            // could lock out the holder of a valid one.
            _ => Err(Box::new(AccessDenied {
                why: WrongToken::Wrong,
                reply: match self.count_wrong_token(peer) {
                    Ok(()) => no_good_token(),
                    Err(seconds) => {
                        let problem = "too many wrong tokens; try again later";
                        let reply = reply::text(StatusCode::TOO_MANY_REQUESTS, problem);
                        reply::retry_after(reply, seconds)
                    }
                },
            })),
        }
    }

    fn lock(&self) -> MutexGuard<'_, TokenFileState> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the state after a check of the file.
    fn current_ambient(&self) -> MutexGuard<'_, TokenFileState> {
        let mut known = self.lock();
        let Some(file) = &self.file else {
            return known;
        };
        // The state of the file is taken before it is read. If somebody writes it in between,
        // the remembered state is older than the content, and the next request reads it again.
        // In the other order a revocation could be missed until the next change.
        let presence = file.presence_ambient();
        if presence == known.presence && presence != Presence::Hidden {
            return known;
        }
        let tokens = match self.tokens_ambient(file) {
            // There was no token file and there still is none. Access stays open; after a file
            // has once been seen, it never opens again, even if the file is removed.
            Ok(None) if matches!(known.entry, AdmittedClients::Open(_)) => {
                known.presence = presence;
                return known;
            }
            Ok(tokens) => tokens.unwrap_or_default(),
            // A file that cannot be read may have revoked any token, so nobody is admitted
            // until it can be read again. Keeping the tokens of the last good file would let a
            // typing error undo a revocation.
            Err(error) => {
                if presence != known.presence {
                    let closed = "no token is accepted until it is fixed";
                    note(format_args!("{error}; {closed}"));
                }
                Vec::new()
            }
        };
        if matches!(known.entry, AdmittedClients::Open(_)) {
            note("there is a token file now: every request needs a token");
        }
        let principals = self.principals(tokens, &known.entry);
        let before = std::mem::replace(&mut known.entry, AdmittedClients::Tokens(principals));
        before.end_all_but(&known.entry);
        known.presence = presence;
        self.changed.notify_one();
        known
    }

    /// Reads the tokens; none if there is no file.
    ///
    /// # Errors
    /// Returns an error if it cannot be read, or is in a place where a call could change it.
    fn tokens_ambient(&self, file: &TokenFile) -> Result<Option<Vec<TokenRecord>>, TokenFileError> {
        let Some(tokens) = file.read_ambient()? else {
            return Ok(None);
        };
        let roots = self.grants.all().iter();
        file.keep_out_ambient(roots.map(|root| (root.name(), root.path())))?;
        Ok(Some(tokens))
    }

    /// Returns the principals of these tokens. A principal with unchanged rights is kept.
    fn principals(
        &self,
        tokens: Vec<TokenRecord>,
        before: &AdmittedClients,
    ) -> HashMap<Digest, Arc<Principal>> {
        let tokens = tokens.into_iter().map(|token| {
            let digest = token.digest;
            let new = Principal::from_token(token, &self.grants);
            let principal = match before.find(&digest) {
                Some(known) if known.is_same(&new) => Arc::clone(known),
                _ => {
                    if let Some(missing) = new.missing_roots() {
                        let opens = if new.roots.is_empty() {
                            "; it opens none"
                        } else {
                            ""
                        };
                        note(format_args!("token `{}` names {missing}{opens}", new.name));
                    }
                    Arc::new(new)
                }
            };
            (digest, principal)
        });
        tokens.collect()
    }

    /// Counts a wrong token from `peer`. Returns an error with the seconds to wait before the next
    /// attempt.
    fn count_wrong_token(&self, peer: Option<IpAddr>) -> Result<(), u64> {
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

impl AdmittedClients {
    /// Returns an entry that admits nobody.
    fn admit_nobody() -> Self {
        Self::Tokens(HashMap::new())
    }

    fn find(&self, digest: &Digest) -> Option<&Arc<Principal>> {
        match self {
            Self::Open(_) => None,
            Self::Tokens(principals) => principals.get(digest),
        }
    }

    /// Stops the calls of principals that `after` no longer contains, or contains with other
    /// rights.
    fn end_all_but(&self, after: &Self) {
        match self {
            Self::Open(everybody) => everybody.ended.cancel(),
            Self::Tokens(principals) => {
                for (digest, principal) in principals {
                    let stays = after
                        .find(digest)
                        .is_some_and(|it| Arc::ptr_eq(it, principal));
                    if !stays {
                        principal.ended.cancel();
                    }
                }
            }
        }
    }
}

/// Returns the reply to a token that is invalid or expired.
pub fn no_good_token() -> Reply {
    challenge("the token is unknown, revoked or expired")
}

/// Returns the token of the single `Authorization` header.
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

fn challenge(problem: &str) -> Reply {
    let mut reply = reply::text(StatusCode::UNAUTHORIZED, problem);
    reply.headers_mut().insert(WWW_AUTHENTICATE, CHALLENGE);
    reply
}

#[cfg(test)]
mod tests;
