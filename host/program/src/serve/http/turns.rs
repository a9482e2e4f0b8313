//! A fair queue of calls: a limited number runs concurrently, and the waiting principals are served
//! in turn, however many calls each has made.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use docent_access_log::Hash;
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout};

use super::access::{Allowance, Principal};
use super::limits::{WAIT_TIME, WAITING};
use super::rate::Bucket;

/// The running and waiting calls.
#[derive(Clone)]
pub struct Turns(Arc<Mutex<Queue>>);

struct Queue {
    /// Maximum concurrent calls.
    slots: usize,
    running: usize,
    /// Queues of the principals that have called recently; those that have waited longest for a
    /// permit come first.
    lines: VecDeque<Line>,
}

/// The queue of one principal.
struct Line {
    id: Hash,
    bucket: Option<Bucket>,
    at_once: usize,
    running: usize,
    waiting: VecDeque<oneshot::Sender<Turn>>,
}

/// A permit of a call, which is returned on drop.
pub struct Turn {
    turns: Turns,
    id: Hash,
}

/// A reason for refusing a permit, with the seconds after which a retry may succeed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoTurn {
    /// This principal has exceeded its rate limit.
    TooOften(u64),
    /// Too many calls are waiting, or this one has timed out.
    Busy(u64),
}

impl Turns {
    /// Creates a queue with `slots` concurrent calls.
    pub fn new(slots: usize) -> Self {
        Self(Arc::new(Mutex::new(Queue {
            slots: slots.max(1),
            running: 0,
            lines: VecDeque::new(),
        })))
    }

    /// Waits for a permit.
    ///
    /// # Errors
    /// Returns the reason for a refusal.
    pub async fn take(&self, principal: &Principal) -> Result<Turn, NoTurn> {
        let waiting = {
            let mut queue = self.lock();
            let now = Instant::now();
            queue.tidy(now);
            let is_crowded = queue.waiting() >= WAITING;
            let is_free = queue.running < queue.slots;
            let line = queue.line(principal, now);
            if let Some(bucket) = &mut line.bucket {
                bucket.take(now).map_err(NoTurn::TooOften)?;
            }
            if is_free && line.running < line.at_once && line.waiting.is_empty() {
                line.running += 1;
                queue.running += 1;
                return Ok(self.turn(principal.id));
            }
            let own = line.waiting.len();
            if is_crowded && !queue.make_room(own) {
                return Err(NoTurn::Busy(1));
            }
            let (turn, waiting) = oneshot::channel();
            queue.line(principal, now).waiting.push_back(turn);
            waiting
        };
        // The channel carries a permit, which passes to the next call if it is not received. A call
        // that had to make room receives none.
        match timeout(WAIT_TIME, waiting).await {
            Ok(Ok(turn)) => Ok(turn),
            _ => Err(NoTurn::Busy(1)),
        }
    }

    /// Returns the numbers of running and of waiting calls.
    pub fn load(&self) -> (usize, usize) {
        let queue = self.lock();
        (queue.running, queue.waiting())
    }

    fn turn(&self, id: Hash) -> Turn {
        Turn {
            turns: self.clone(),
            id,
        }
    }

    /// Returns a permit, and gives the free slots to waiting calls.
    fn give_back(&self, id: Hash) {
        let mut next = Vec::new();
        {
            let mut queue = self.lock();
            queue.running -= 1;
            if let Some(line) = queue.lines.iter_mut().find(|line| line.id == id) {
                line.running -= 1;
            }
            while queue.running < queue.slots {
                let Some((id, waiting)) = queue.next() else {
                    break;
                };
                next.push((self.turn(id), waiting));
            }
        }
        for (turn, waiting) in next {
            // Sent without the lock: if the receiver is gone, the permit is returned at once, which
            // takes the lock.
            let _ = waiting.send(turn);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Queue {
    fn waiting(&self) -> usize {
        self.lines.iter().map(|line| line.waiting.len()).sum()
    }

    /// Returns the queue of a principal, added at the end if it is new.
    fn line(&mut self, principal: &Principal, now: Instant) -> &mut Line {
        let found = self.lines.iter().position(|it| it.id == principal.id);
        let index = found.unwrap_or_else(|| {
            let allowance = principal.allowance;
            let rate = allowance.map(|Allowance { rate, .. }| rate);
            self.lines.push_back(Line {
                id: principal.id,
                bucket: rate.map(|rate| Bucket::new(rate, now)),
                at_once: allowance.map_or(usize::MAX, |it| it.at_once),
                running: 0,
                waiting: VecDeque::new(),
            });
            self.lines.len() - 1
        });
        &mut self.lines[index]
    }

    /// Drops the latest call of the principal with the most waiting calls, so that nobody can lock
    /// out others by filling the queue. Returns true if a principal had more than `own` waiting
    /// calls.
    fn make_room(&mut self, own: usize) -> bool {
        let longest = self.lines.iter_mut().max_by_key(|line| line.waiting.len());
        let line = longest.filter(|line| line.waiting.len() > own);
        line.is_some_and(|line| line.waiting.pop_back().is_some())
    }

    /// Takes the next call that may run. Its queue moves to the end.
    fn next(&mut self) -> Option<(Hash, oneshot::Sender<Turn>)> {
        let may_run = |line: &Line| line.running < line.at_once && !line.waiting.is_empty();
        let index = self.lines.iter().position(may_run)?;
        let mut line = self.lines.remove(index)?;
        let waiting = line.waiting.pop_front()?;
        line.running += 1;
        self.running += 1;
        let id = line.id;
        self.lines.push_back(line);
        Some((id, waiting))
    }

    /// Removes calls that are no longer awaited, and empty queues.
    fn tidy(&mut self, now: Instant) {
        for line in &mut self.lines {
            line.waiting.retain(|waiting| !waiting.is_closed());
        }
        self.lines.retain(|line| {
            let is_full = line.bucket.as_ref().is_none_or(|it| it.is_full(now));
            line.running > 0 || !line.waiting.is_empty() || !is_full
        });
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.turns.give_back(self.id);
    }
}

#[cfg(test)]
mod tests {
    use super::super::rate::Rate;
    use super::*;

    fn principal(name: &str, burst: u32) -> Principal {
        let rate = Rate {
            burst,
            per_minute: 1,
        };
        Principal::for_tests(name, Allowance { rate, at_once: 2 })
    }

    /// Yields until all ready tasks have run.
    async fn settle() {
        for _ in 0..20 {
            tokio::task::yield_now().await;
        }
    }

    #[tokio::test]
    async fn who_has_made_few_calls_does_not_wait_for_those_who_made_many() {
        let turns = Turns::new(1);
        let (many, few) = (principal("many", 100), principal("few", 100));
        let first = turns.take(&many).await.unwrap();
        let done = Arc::new(Mutex::new(Vec::new()));
        let mut calls = tokio::task::JoinSet::new();
        for (principal, number) in [(&many, 3), (&few, 2)] {
            for _ in 0..number {
                let (turns, principal) = (turns.clone(), principal.clone());
                let done = Arc::clone(&done);
                calls.spawn(async move {
                    let turn = turns.take(&principal).await.unwrap();
                    done.lock().unwrap().push(principal.name.to_string());
                    drop(turn);
                });
                settle().await;
            }
        }
        assert_eq!(turns.load(), (1, 5));
        drop(first);
        while calls.join_next().await.is_some() {}
        assert_eq!(
            *done.lock().unwrap(),
            ["many", "few", "many", "few", "many"]
        );
        assert_eq!(turns.load(), (0, 0));
    }

    #[tokio::test]
    async fn a_name_has_so_many_at_once_and_so_many_a_minute() {
        let turns = Turns::new(10);
        let (ann, ben) = (principal("ann", 3), principal("ben", 3));
        let first = turns.take(&ann).await.unwrap();
        let second = turns.take(&ann).await.unwrap();
        let third = tokio::spawn({
            let (turns, ann) = (turns.clone(), ann.clone());
            async move { turns.take(&ann).await.map(drop) }
        });
        settle().await;
        assert_eq!(turns.load(), (2, 1));
        assert_eq!(turns.take(&ann).await.err(), Some(NoTurn::TooOften(60)));
        drop(turns.take(&ben).await.unwrap());
        drop(first);
        assert_eq!(third.await.unwrap(), Ok(()));
        drop(second);
        assert_eq!(turns.load(), (0, 0));
    }

    #[tokio::test]
    async fn who_goes_away_leaves_the_turn_to_the_next() {
        let turns = Turns::new(1);
        let ann = principal("ann", 100);
        let first = turns.take(&ann).await.unwrap();
        let wait = || {
            let (turns, ann) = (turns.clone(), ann.clone());
            tokio::spawn(async move { turns.take(&ann).await.map(drop) })
        };
        let (gone, stays) = (wait(), wait());
        settle().await;
        gone.abort();
        settle().await;
        drop(first);
        assert_eq!(stays.await.unwrap(), Ok(()));
        assert_eq!(turns.load(), (0, 0));
    }

    #[tokio::test]
    async fn only_so_many_wait_and_no_name_keeps_others_out() {
        let turns = Turns::new(1);
        let (ann, ben) = (principal("ann", 1000), principal("ben", 1000));
        let first = turns.take(&ann).await.unwrap();
        let mut waiting = tokio::task::JoinSet::new();
        let wait = |principal: &Principal| {
            let (turns, principal) = (turns.clone(), principal.clone());
            async move { turns.take(&principal).await.map(drop) }
        };
        for _ in 0..WAITING {
            waiting.spawn(wait(&ann));
        }
        settle().await;
        assert_eq!(turns.load(), (1, WAITING));
        assert_eq!(turns.take(&ann).await.err(), Some(NoTurn::Busy(1)));
        for _ in 0..WAITING / 2 {
            waiting.spawn(wait(&ben));
            // The call that is dropped is the latest of `ann`.
            let sent = waiting.join_next().await.unwrap().unwrap();
            assert_eq!(sent, Err(NoTurn::Busy(1)));
        }
        assert_eq!(turns.load(), (1, WAITING));
        assert_eq!(turns.take(&ben).await.err(), Some(NoTurn::Busy(1)));
        // Calls that are no longer awaited occupy no slot.
        waiting.abort_all();
        while waiting.join_next().await.is_some() {}
        let last = tokio::spawn({
            let turns = turns.clone();
            async move { turns.take(&ben).await.map(drop) }
        });
        settle().await;
        drop(first);
        assert_eq!(last.await.unwrap(), Ok(()));
    }
}
