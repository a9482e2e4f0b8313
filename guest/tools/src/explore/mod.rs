//! `explore`: finding and reading in one call. A subject becomes two lists of candidates, a candidate
//! an item with a text, and a page of items is cut to a budget of characters.

mod candidate;
mod code;
mod cursor;
mod deadline;
mod directory;
mod document;
mod expand;
mod kinds;
pub mod known;
mod pack;
mod page;
mod render;
mod request;
mod scope;
mod search;
mod text;
mod tour;

use docent_api::pillars::{
    Degradation, ExploreAnswer, ExploreData, ExploreNext, ExploreOptions, ExploreStats,
    ExploreStatus, Pack as ShownPack, View,
};
use docent_api::types::Error;

use crate::explore::candidate::Candidates;
use crate::explore::cursor::{Place, Read, Rest, Segment};
use crate::explore::deadline::Deadline;
use crate::explore::expand::{Expansion, Taking};
use crate::explore::kinds::Kind;
use crate::explore::known::KnownPacks;
use crate::explore::pack::{Pack, hour_of, start_of};
use crate::explore::page::{Outcome, Page};
use crate::explore::render::{Manner, render};
use crate::explore::request::{Limits, Shape, Subject, invalid};
use crate::explore::scope::Places;
use crate::explore::search::Survey;
use crate::explore::tour::Tour;
use crate::limits::PACK_HOURS;
use crate::settings::Settings;
use docent_corpus::corpus::Corpus;
use docent_rank::bm25::Collection;
use docent_rank::passages::Question;
use docent_text::digest::combine;
use docent_text::saturating::saturating_u32;
use docent_text::time::iso_8601_expanded;
use docent_tree::disk::Disk;

/// What a request asks for that says nothing.
pub const NO_OPTIONS: ExploreOptions = ExploreOptions {
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
    /// Digest of what decides their list, the round left out.
    basis: u64,
    /// The documents that are searched.
    collection: Collection,
    /// How the files were looked at.
    tour: Tour,
    /// Whether another round follows.
    is_cut: bool,
    hit: bool,
    reasons: Vec<Degradation>,
}

impl Plan {
    /// Returns the digest that cursors within a round hold.
    fn list(&self, round: u32) -> u64 {
        combine(self.basis, round.into())
    }

    /// Returns `segment` with its end, where this call has found one.
    fn ended(&self, segment: &Segment) -> Segment {
        let end = self.tour.next.as_ref().map(|_| self.tour.steps);
        Segment {
            steps: segment.steps.or(end),
            ..segment.clone()
        }
    }

    /// Returns where further items begin behind `to`: in the list, in the next round, or in the next
    /// segment.
    fn next(&self, segment: &Segment, to: Place) -> Option<Read<Place>> {
        if self.is_left(to) {
            return Some(Read {
                at: to,
                segment: self.ended(segment),
                sources: self.list(segment.round),
            });
        }
        let at = Place::default();
        if self.is_cut {
            let round = segment.round + 1;
            return Some(Read {
                at,
                segment: Segment {
                    round,
                    ..self.ended(segment)
                },
                sources: self.list(round),
            });
        }
        self.tour.next.clone().map(|from| Read {
            at,
            segment: Segment {
                from: Some(from),
                ..Segment::default()
            },
            sources: 0,
        })
    }

    fn is_left(&self, place: Place) -> bool {
        (place.docs as usize) < self.candidates.docs.len()
            || (place.code as usize) < self.candidates.code.len()
    }
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

/// Finds and reads; see `wit/world.wit`.
///
/// # Errors
/// A request that cannot be met; never a file that cannot be read.
pub fn explore<D: Disk>(
    corpus: &mut Corpus<D>,
    settings: &Settings,
    packs: &mut KnownPacks,
    options: Option<ExploreOptions>,
) -> Result<ExploreAnswer, Error> {
    let started = corpus.disk.monotonic_ms();
    let options = options.unwrap_or(NO_OPTIONS);
    let hour = hour_of(corpus.disk.unix_ms());
    let request = request(corpus, &options, hour)?;
    let time = settings.working_ms(request.limits.timeout_ms);
    let deadline = Deadline::new(&corpus.disk, time);
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
    content = content.filter(|content| content.at.is_possible());
    let content_at = content.as_ref().map(|at| (&at.segment, at.sources));
    let items_at = items.as_ref().map(|at| (&at.segment, at.sources));
    let (segment, made_from) = match content_at.or(items_at) {
        Some((segment, sources)) => (segment.clone(), sources),
        None => Default::default(),
    };
    let stretch = (&segment, made_from != 0);
    corpus.store.begin_call();
    let asked = subject
        .query
        .as_deref()
        .map(|query| Question::new(query, None));
    let mut plan = match &asked {
        Some(asked) => searched(corpus, packs, &request, asked, stretch, &deadline)?,
        None => named(corpus, settings, &request, &options, stretch, &deadline)?,
    };
    let is_whole = segment == Segment::default() && plan.tour.next.is_none() && !plan.is_cut;
    if let Shape::Full(only) = &request.shape
        && is_whole
    {
        refuse_unknown(only, &plan)?;
    }
    // What is known of some of the files says nothing of the pack.
    let known = (segment.from.is_none() && plan.tour.next.is_none()).then_some(plan.sources);
    let given = request.given.as_ref();
    let was = given.map_or(0, |pack| pack.sources);
    let is_other_pack = was != 0 && known.is_some_and(|known| known != was);
    let list = plan.list(segment.round);
    let is_stale = |of: &Segment, sources| *of == segment && sources != 0 && sources != list;
    let items_are = items.as_ref().map(|at| is_stale(&at.segment, at.sources));
    let content_is = content.as_ref().map(|at| is_stale(&at.segment, at.sources));
    let is_short = plan.tour.is_short;
    if !is_short && (is_other_pack || items_are == Some(true) || content_is == Some(true)) {
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
    let share = content
        .as_ref()
        .map_or(share, |content| content.at.share as usize);
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
    let from = items.as_ref().map_or_else(Place::default, |items| items.at);
    let rest = content.as_ref().map(|content| content.at);
    let page = if is_short {
        Page::default()
    } else {
        page(corpus, &manner, &plan.candidates, from, rest)?
    };
    let is_first = from == Place::default() && segment.round == 0 && content.is_none();
    let next = if is_short {
        let given = options.cursor.as_ref();
        ExploreNext {
            items_cursor: given.and_then(|given| given.items.clone()),
            content_cursor: given.and_then(|given| given.content.clone()),
        }
    } else {
        let items = match (&content, items) {
            // They wait until the rest of the cut ones was given.
            (Some(_), Some(items)) => Some(items),
            _ => plan.next(&segment, page.to),
        };
        let rest = page.rest.map(|at| Read {
            at,
            segment: plan.ended(&segment),
            sources: list,
        });
        ExploreNext {
            items_cursor: items.map(|items| cursor::encode(digest, &items)),
            content_cursor: rest.map(|rest| cursor::encode(of_shape, &rest)),
        }
    };
    if deadline.was_over() {
        plan.reasons.push(Degradation::Timeout);
    }
    let pack = Pack {
        made: match given {
            Some(given) if !is_other_pack => given.made,
            _ => hour,
        },
        sources: known.unwrap_or(was),
        subject: request.subject.clone(),
    };
    let frame = Frame {
        root: request.shown_root.clone(),
        pack: pack.id().map(|pack_id| ShownPack {
            pack_id,
            hit: plan.hit,
            created_at: iso_8601_expanded(start_of(pack.made)),
            expires_at: iso_8601_expanded(start_of(pack.made + PACK_HOURS)),
        }),
        next,
        elapsed_ms: corpus.disk.monotonic_ms().saturating_sub(started),
    };
    Ok(answer(plan, page, is_first, frame))
}

/// Understands a request.
fn request<D: Disk>(
    corpus: &Corpus<D>,
    options: &ExploreOptions,
    hour: u64,
) -> Result<Request, Error> {
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
    let root = corpus.choose_root(wanted)?;
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

fn searched<D: Disk>(
    corpus: &mut Corpus<D>,
    packs: &mut KnownPacks,
    request: &Request,
    asked: &Question,
    segment: (&Segment, bool),
    deadline: &Deadline,
) -> Result<Plan, Error> {
    let subject = &request.subject;
    crate::question::refuse_wordless(subject.query.as_deref().unwrap_or_default(), asked)?;
    let places = Places {
        disk: &corpus.disk,
        exclude: &corpus.exclude,
        root: request.root,
        globs: subject.globs,
        consent: false,
    };
    let survey = Survey::take(
        places,
        &mut corpus.store,
        subject,
        &asked.query,
        segment,
        deadline,
    )?;
    let known = corpus.store.is_on().then_some(packs);
    let (candidates, hit) = survey.candidates(subject, &asked.query, known, |path, finder| {
        if deadline.is_over_now(&corpus.disk) {
            return None;
        }
        let path = docent_tree::path::RelPath::parse(path);
        let opened = path.and_then(|path| corpus.open(request.root, &path));
        let held = opened.map(|opened| match opened.decode(&mut corpus.store) {
            Ok(decoded) => {
                let kind = Kind::of(&opened.name);
                let text = subject.kinds.searched(kind, &decoded.text);
                finder.hits(&text).next().is_some()
            }
            Err(_) => false,
        });
        Some(held.unwrap_or(false))
    });
    let sources = candidates.sources();
    Ok(Plan {
        sources,
        basis: sources,
        candidates,
        hit,
        collection: survey.docs.collection,
        reasons: survey.tour.ended_by.into_iter().collect(),
        tour: survey.tour,
        is_cut: false,
    })
}

fn named<D: Disk>(
    corpus: &mut Corpus<D>,
    settings: &Settings,
    request: &Request,
    options: &ExploreOptions,
    segment: (&Segment, bool),
    deadline: &Deadline,
) -> Result<Plan, Error> {
    let subject = &request.subject;
    let consents = settings.sensitive_roots.contains(&subject.root);
    let places = Places {
        disk: &corpus.disk,
        exclude: &corpus.exclude,
        root: request.root,
        globs: subject.globs,
        consent: consents && options.allow_sensitive.unwrap_or(false),
    };
    let is_preview = options.view == Some(View::Preview);
    let taking = Taking {
        directories: matches!(request.shape, Shape::Preview),
        files: (!is_preview).then_some(request.limits.files),
    };
    let expansion = Expansion::take(
        places,
        &mut corpus.store,
        subject,
        taking,
        segment,
        deadline,
    )?;
    let reasons = expansion.is_cut.then_some(Degradation::MaxFiles);
    let reasons = reasons.into_iter().chain(expansion.tour.ended_by);
    if matches!(request.shape, Shape::Section(..))
        && expansion.candidates.len() != 1
        && expansion.tour.blocked.is_empty()
    {
        return Err(invalid(
            "`section` needs exactly one document in `paths`; expected no directory or glob",
            "Name the document of the section.",
        ));
    }
    let files = taking.files.map_or(0, |files| files as u64);
    Ok(Plan {
        sources: expansion.sources,
        basis: combine(combine(expansion.sources, taking.directories.into()), files),
        reasons: reasons.collect(),
        candidates: expansion.candidates,
        collection: Collection::default(),
        tour: expansion.tour,
        is_cut: expansion.is_cut,
        hit: false,
    })
}

/// Returns the page that the cursors stand for, the first one without any. The rest of cut items
/// goes before further items.
fn page<D: Disk>(
    corpus: &mut Corpus<D>,
    manner: &Manner<'_>,
    candidates: &Candidates,
    from: Place,
    rest: Option<Rest>,
) -> Result<Page, Error> {
    let mut failed = None;
    let deadline = manner.deadline;
    let this = std::cell::RefCell::new(corpus);
    let make = |candidate: &_| {
        let rendered = render(&mut this.borrow_mut(), manner, candidate);
        rendered.unwrap_or_else(|error| {
            failed = Some(error);
            Outcome::Gone
        })
    };
    let is_over = || deadline.is_over_now(&this.borrow().disk);
    let page = match rest {
        Some(rest) => Page::go_on(candidates, &rest, manner.limits, make, is_over),
        None => {
            let share = manner.share;
            Page::fill(candidates, from, manner.limits, share, make, is_over)
        }
    };
    match failed {
        Some(error) => Err(error),
        None => Ok(page),
    }
}

/// What an answer holds beside what was found.
struct Frame {
    root: Option<String>,
    pack: Option<ShownPack>,
    next: ExploreNext,
    elapsed_ms: u64,
}

fn answer(mut plan: Plan, mut page: Page, is_first: bool, frame: Frame) -> ExploreAnswer {
    let mut blocked = if is_first {
        std::mem::take(&mut plan.tour.blocked)
    } else {
        Vec::new()
    };
    blocked.append(&mut page.blocked);
    let is_empty = page.docs.is_empty() && page.code.is_empty();
    let skipped = std::mem::take(&mut plan.tour.skips).finish();
    let mut reasons = Vec::new();
    let mut add = |is_so: bool, reason| {
        if is_so && !reasons.contains(&reason) {
            reasons.push(reason);
        }
    };
    for reason in plan.reasons {
        add(true, reason);
    }
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
        ExploreStatus::NoResults if plan.tour.is_short => Some(TOO_SHORT),
        ExploreStatus::NoResults if page.is_full => Some(NO_ROOM),
        ExploreStatus::NoResults if frame.next.items_cursor.is_some() => Some(NOTHING_YET),
        ExploreStatus::NoResults if is_first => Some(NOTHING),
        ExploreStatus::NoResults | ExploreStatus::Ok | ExploreStatus::Blocked => None,
    };
    ExploreAnswer {
        root: frame.root,
        status,
        success: status != ExploreStatus::Blocked,
        blocked,
        pack: frame.pack,
        next: frame.next,
        degraded: !reasons.is_empty(),
        reasons,
        stats: ExploreStats {
            files: plan.tour.files,
            docs: saturating_u32(plan.candidates.docs.len()),
            code: saturating_u32(plan.candidates.code.len()),
            chars: saturating_u32(page.chars),
            elapsed_ms: frame.elapsed_ms,
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

const NOTHING_YET: &str = "Nothing so far, and not all files were looked at; go on with the cursor, \
                           or name a directory in paths.";

const TOO_SHORT: &str = "The time does not suffice to look again at what was found; raise \
                         limits.timeoutMs.";

const NO_ROOM: &str = "The next item has no room; raise limits.maxChars.";

/// Refuses files that are to come whole and take no part.
fn refuse_unknown(only: &[String], plan: &Plan) -> Result<(), Error> {
    let all = || plan.candidates.docs.iter().chain(&plan.candidates.code);
    let is_known = |path: &&String| {
        all().any(|candidate| candidate.path == **path)
            || plan
                .tour
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
