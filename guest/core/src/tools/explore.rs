//! `explore`: finding and reading in one call.

use docent_api::pillars::{
    Degradation, ExploreAnswer, ExploreData, ExploreNext, ExploreOptions, ExploreStats,
    ExploreStatus, Pack as ShownPack, View,
};
use docent_api::types::Error;

use crate::Docent;
use crate::bm25::Collection;
use crate::digest::with;
use crate::disk::Disk;
use crate::explore::candidate::Candidates;
use crate::explore::cursor::{self, Place, Read, Rest};
use crate::explore::expand::{Expansion, Taking};
use crate::explore::kinds::Kind;
use crate::explore::pack::{Pack, hour_of, start_of};
use crate::explore::page::{Deadline, Outcome, Page};
use crate::explore::render::Manner;
use crate::explore::request::{Limits, Shape, Subject, invalid};
use crate::explore::scope::Places;
use crate::explore::search::Survey;
use crate::limits::PACK_HOURS;
use crate::locate::choose_root;
use crate::passages::{Question, count};
use crate::skips::Skips;
use crate::time::iso_8601_expanded;

const NO_OPTIONS: ExploreOptions = ExploreOptions {
    query: None,
    paths: None,
    intent: None,
    view: None,
    section: None,
    pack_id: None,
    cursor: None,
    include: None,
    full_paths: None,
    allow_sensitive: None,
    allow_binary: None,
    allow_globs: None,
    limits: None,
    root: None,
};

/// What there is to show, before any of it is read.
struct Plan {
    candidates: Candidates,
    /// Digest of what the candidates were made from.
    sources: u64,
    /// The documents that are searched.
    collection: Collection,
    skips: Skips,
    blocked: Vec<docent_api::pillars::BlockedPath>,
    files: u32,
    hit: bool,
    reasons: Vec<Degradation>,
}

/// A request with its pack, if one is given.
struct Request {
    root: usize,
    shown_root: Option<String>,
    subject: Subject,
    given: Option<Pack>,
    shape: Shape,
    limits: Limits,
}

impl<D: Disk> Docent<D> {
    /// Finds and reads; see `wit/world.wit`.
    ///
    /// # Errors
    /// A request that cannot be met; never a file that cannot be read.
    pub fn explore(&mut self, options: Option<ExploreOptions>) -> Result<ExploreAnswer, Error> {
        let started = self.disk.monotonic_ms();
        let options = options.unwrap_or(NO_OPTIONS);
        let hour = hour_of(self.disk.unix_ms());
        let request = self.request(&options, hour)?;
        let deadline = Deadline::new(&self.disk, request.limits.timeout_ms);
        let subject = &request.subject;
        let digest = subject.fingerprint();
        let of_shape = request.shape.add_to(digest);
        let cursor = options.cursor.as_ref();
        let items = cursor.and_then(|cursor| cursor.items.as_deref());
        let content = cursor.and_then(|cursor| cursor.content.as_deref());
        let mut items: Option<Read<Place>> = items
            .map(|text| cursor::decode(digest, "items", text))
            .transpose()?;
        let mut content: Option<Read<Rest>> = content
            .map(|text| cursor::decode(of_shape, "content", text))
            .transpose()?;
        if content.is_some_and(|content| !content.at.is_possible()) {
            content = None;
        }
        self.store.begin_call();
        let asked = subject
            .query
            .as_deref()
            .map(|query| Question::new(query, None));
        let mut plan = match &asked {
            Some(asked) => self.searched(&request, asked, &deadline)?,
            None => self.named(&request, &options, &deadline)?,
        };
        if let Shape::Full(only) = &request.shape {
            refuse_unknown(only, &plan)?;
        }
        let sources = plan.sources;
        // A cursor counts places in this very list, which limits and views decide as well.
        let list = with(plan.candidates.sources(), sources);
        let is_other_pack = request
            .given
            .as_ref()
            .is_some_and(|pack| pack.sources != sources);
        let cursors = [
            items.map(|items| items.sources),
            content.map(|content| content.sources),
        ];
        let is_changed = is_other_pack || cursors.iter().flatten().any(|was| *was != list);
        if is_changed {
            plan.reasons.push(Degradation::SourcesChanged);
            (items, content) = (None, None);
        }
        let share = match &asked {
            Some(_) => request.limits.share(request.limits.results),
            None => request
                .limits
                .share(plan.candidates.len().min(request.limits.results)),
        };
        let share = match request.shape {
            Shape::Section(..) => request.limits.share(1),
            Shape::Best | Shape::Preview | Shape::Full(_) => share,
        };
        let share = content.map_or(share, |content| content.at.share as usize);
        let query = subject.query.as_deref().unwrap_or_default();
        let manner = Manner {
            root: request.root,
            shape: &request.shape,
            limits: &request.limits,
            asked: asked.as_ref().map(|asked| (asked, query, &plan.collection)),
            share,
            kinds: subject.kinds,
            binary: options.allow_binary.unwrap_or(false),
            deadline: &deadline,
        };
        let page = self.page(&manner, &plan.candidates, items, content)?;
        let pack = Pack {
            made: match &request.given {
                Some(given) if !is_other_pack => given.made,
                _ => hour,
            },
            sources,
            subject: request.subject.clone(),
        };
        let is_first = items.is_none() && content.is_none();
        let next_items = content.and(items).map_or(page.to, |items| items.at);
        Ok(answer(plan, page, is_first, |plan, page| Frame {
            root: request.shown_root.clone(),
            pack: pack.id().map(|pack_id| ShownPack {
                pack_id,
                hit: plan.hit,
                created_at: iso_8601_expanded(start_of(pack.made)),
                expires_at: iso_8601_expanded(start_of(pack.made + PACK_HOURS)),
            }),
            next: ExploreNext {
                items_cursor: is_left(&plan.candidates, next_items)
                    .then(|| cursor::encode(digest, list, next_items)),
                content_cursor: page.rest.map(|rest| cursor::encode(of_shape, list, rest)),
            },
            elapsed_ms: self.disk.monotonic_ms().saturating_sub(started),
        }))
    }

    /// Understands a request.
    fn request(&self, options: &ExploreOptions, hour: u64) -> Result<Request, Error> {
        let limits = Limits::parse(options.limits)?;
        let given = options
            .pack_id
            .as_deref()
            .map(|id| Pack::parse(id, hour))
            .transpose()?;
        let named = options.root.as_deref();
        if let (Some(pack), Some(root)) = (&given, named)
            && pack.subject.root != root
        {
            return Err(invalid(
                format!("`packId` is of another root than `{root}`; expected one of the same"),
                "Leave root out: the pack knows its own.",
            ));
        }
        let wanted = named.or(given.as_ref().map(|pack| pack.subject.root.as_str()));
        let default = self.settings.default_root.as_deref();
        let root = choose_root(&self.disk, default, wanted)?;
        let subject = match &given {
            None => Subject::parse(options, &root.name)?,
            Some(pack) if pack.subject.agrees(options)? => pack.subject.clone(),
            Some(_) => {
                return Err(invalid(
                    "`packId` is of another subject than the other arguments; expected the same or none",
                    "Give packId alone, or leave it out to begin a new subject.",
                ));
            }
        };
        let shape = Shape::parse(options, &subject)?;
        Ok(Request {
            root: root.index,
            shown_root: root.shown,
            subject,
            given,
            shape,
            limits,
        })
    }

    fn searched(
        &mut self,
        request: &Request,
        asked: &Question,
        deadline: &Deadline,
    ) -> Result<Plan, Error> {
        let subject = &request.subject;
        super::query_document::refuse_wordless(
            subject.query.as_deref().unwrap_or_default(),
            asked,
        )?;
        let places = Places {
            disk: &self.disk,
            exclude: &self.exclude,
            root: request.root,
            globs: subject.globs,
            consent: false,
        };
        let survey = Survey::take(&places, &mut self.store, subject, &asked.query, deadline)?;
        let mut packs = std::mem::take(&mut self.packs);
        let known = self.store.is_on().then_some(&mut packs);
        let (candidates, hit) = survey.candidates(subject, &asked.query, known, |path, finder| {
            let path = crate::path::RelPath::parse(path);
            let opened = path.and_then(|path| self.open(request.root, &path));
            let held = opened.map(|opened| match opened.decode(&mut self.store) {
                Ok(decoded) => {
                    let kind = Kind::of(&opened.name);
                    let text = subject.kinds.searched(kind, &decoded.text);
                    finder.hits(&text).next().is_some()
                }
                Err(_) => false,
            });
            held.unwrap_or(false)
        });
        self.packs = packs;
        let reasons = survey.timed_out.then_some(Degradation::Timeout);
        Ok(Plan {
            sources: candidates.sources(),
            candidates,
            hit,
            collection: survey.docs.collection,
            skips: survey.skips,
            blocked: survey.blocked,
            files: survey.files,
            reasons: reasons.into_iter().collect(),
        })
    }

    fn named(
        &mut self,
        request: &Request,
        options: &ExploreOptions,
        deadline: &Deadline,
    ) -> Result<Plan, Error> {
        let subject = &request.subject;
        let consents = self.settings.sensitive_roots.contains(&subject.root);
        let places = Places {
            disk: &self.disk,
            exclude: &self.exclude,
            root: request.root,
            globs: subject.globs,
            consent: consents && options.allow_sensitive.unwrap_or(false),
        };
        let is_preview = options.view == Some(View::Preview);
        let taking = Taking {
            directories: matches!(request.shape, Shape::Preview),
            files: (!is_preview).then_some(request.limits.files),
        };
        let expansion = Expansion::take(&places, &mut self.store, subject, taking, deadline)?;
        let mut reasons = Vec::new();
        if expansion.is_cut {
            reasons.push(Degradation::MaxFiles);
        }
        if expansion.timed_out {
            reasons.push(Degradation::Timeout);
        }
        if matches!(request.shape, Shape::Section(..))
            && expansion.candidates.len() != 1
            && expansion.blocked.is_empty()
        {
            return Err(invalid(
                "`section` needs exactly one document in `paths`; expected no directory or glob",
                "Name the document of the section.",
            ));
        }
        Ok(Plan {
            sources: expansion.sources,
            candidates: expansion.candidates,
            collection: Collection::default(),
            skips: expansion.skips,
            blocked: expansion.blocked,
            files: expansion.files,
            hit: false,
            reasons,
        })
    }

    /// Returns the page that the cursors stand for, the first one without any. The rest of cut items
    /// goes before further items.
    fn page(
        &mut self,
        manner: &Manner<'_>,
        candidates: &Candidates,
        items: Option<Read<Place>>,
        content: Option<Read<Rest>>,
    ) -> Result<Page, Error> {
        let mut failed = None;
        let deadline = manner.deadline;
        let this = std::cell::RefCell::new(self);
        let render = |candidate: &_| {
            let rendered = this.borrow_mut().render(manner, candidate);
            rendered.unwrap_or_else(|error| {
                failed = Some(error);
                Outcome::Gone
            })
        };
        let is_over = || deadline.is_over_now(&this.borrow().disk);
        let page = match content {
            Some(content) => Page::go_on(candidates, &content.at, manner.limits, render, is_over),
            None => {
                let from = items.map_or_else(Place::default, |items| items.at);
                let share = manner.share;
                Page::fill(candidates, from, manner.limits, share, render, is_over)
            }
        };
        match failed {
            Some(error) => Err(error),
            None => Ok(page),
        }
    }
}

/// What an answer holds beside what was found.
struct Frame {
    root: Option<String>,
    pack: Option<ShownPack>,
    next: ExploreNext,
    elapsed_ms: u64,
}

fn answer(
    mut plan: Plan,
    mut page: Page,
    is_first: bool,
    frame: impl FnOnce(&Plan, &Page) -> Frame,
) -> ExploreAnswer {
    let Frame {
        root,
        pack,
        next,
        elapsed_ms,
    } = frame(&plan, &page);
    let mut blocked = if is_first {
        std::mem::take(&mut plan.blocked)
    } else {
        Vec::new()
    };
    blocked.append(&mut page.blocked);
    let is_empty = page.docs.is_empty() && page.code.is_empty();
    let skipped = plan.skips.finish();
    let mut reasons = plan.reasons;
    let mut add = |is_so: bool, reason| {
        if is_so && !reasons.contains(&reason) {
            reasons.push(reason);
        }
    };
    let mut all = page.docs.iter().chain(&page.code);
    add(page.is_full, Degradation::BudgetExceeded);
    add(all.any(|item| item.truncated), Degradation::Truncated);
    add(page.timed_out, Degradation::Timeout);
    add(skipped.count > 0, Degradation::SkippedUnreadable);
    let status = match (is_empty, blocked.is_empty()) {
        (false, _) => ExploreStatus::Ok,
        (true, true) => ExploreStatus::NoResults,
        (true, false) => ExploreStatus::Blocked,
    };
    let hint = match status {
        ExploreStatus::NoResults if page.is_full => Some(NO_ROOM),
        ExploreStatus::NoResults if is_first => Some(NOTHING),
        ExploreStatus::NoResults | ExploreStatus::Ok | ExploreStatus::Blocked => None,
    };
    ExploreAnswer {
        root,
        status,
        success: status != ExploreStatus::Blocked,
        blocked,
        pack,
        next,
        degraded: !reasons.is_empty(),
        reasons,
        stats: ExploreStats {
            files: plan.files,
            docs: count(plan.candidates.docs.len()),
            code: count(plan.candidates.code.len()),
            chars: count(page.chars),
            elapsed_ms,
            skipped,
        },
        data: ExploreData {
            docs: page.docs,
            code: page.code,
        },
        hint: hint.map(str::to_owned),
    }
}

const NOTHING: &str = "Nothing holds any of these words; try others, or see what there is by \
                       exploring the path `.`.";

const NO_ROOM: &str = "The next item has no room; raise limits.maxChars.";

fn is_left(candidates: &Candidates, place: Place) -> bool {
    (place.docs as usize) < candidates.docs.len() || (place.code as usize) < candidates.code.len()
}

/// Refuses files that are to come whole and take no part.
fn refuse_unknown(only: &[String], plan: &Plan) -> Result<(), Error> {
    let all = || plan.candidates.docs.iter().chain(&plan.candidates.code);
    let is_known = |path: &&String| {
        all().any(|candidate| candidate.path == **path)
            || plan
                .blocked
                .iter()
                .any(|blocked| blocked.file_path == **path)
    };
    match only.iter().find(|path| !is_known(path)) {
        None => Ok(()),
        Some(path) => Err(invalid(
            format!(
                "`fullPaths` holds `{path}`, which is none of the files; expected some of them"
            ),
            "Name files that paths names, or that stand in its directories.",
        )),
    }
}
