//! A fair queue of calls: a limited number runs concurrently, and the waiting principals are served
//! in turn, however many calls each has made.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use docent_access_log::Hash;
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout};

use crate::serve::http::limits::{WAIT_TIME, WAITING};
use crate::serve::http::scheduling::rate::{Bucket, Rate};

/// A client of the queue: a principal, however many connections it has.
#[derive(Clone, Copy, Debug)]
pub struct QueueClient {
    /// Identity of the principal.
    pub id: Hash,
    /// Rate and concurrency limits; none if unlimited.
    pub allowance: Option<Allowance>,
}

/// The limits of a client.
#[derive(Clone, Copy, Debug)]
pub struct Allowance {
    /// Maximum rate of calls.
    pub rate: Rate,
    /// Maximum concurrent calls.
    pub at_once: usize,
}

/// The running and waiting calls.
#[derive(Clone)]
pub struct FairQueue(Arc<Mutex<Queue>>);

struct Queue {
    /// Maximum concurrent calls.
    slots: usize,
    running: usize,
    /// Queues of the principals that have called recently; those that have waited longest for a
    /// permit come first.
    clients: VecDeque<ClientQueue>,
}

/// The queue of one client.
struct ClientQueue {
    id: Hash,
    bucket: Option<Bucket>,
    at_once: usize,
    running: usize,
    waiting: VecDeque<oneshot::Sender<Permit>>,
}

/// A permit of a call, which is returned on drop.
pub struct Permit {
    queue: FairQueue,
    id: Hash,
}

/// A reason for refusing a permit, with the seconds after which a retry may succeed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rejected {
    /// This principal has exceeded its rate limit.
    RateLimited(u64),
    /// Too many calls are waiting, or this one has timed out.
    Busy(u64),
}

impl FairQueue {
    /// Creates a queue with `slots` concurrent calls.
    pub fn new(slots: usize) -> Self {
        Self(Arc::new(Mutex::new(Queue {
            slots: slots.max(1),
            running: 0,
            clients: VecDeque::new(),
        })))
    }

    /// Waits for a permit.
    ///
    /// # Errors
    /// Returns the reason for a refusal.
    pub async fn take(&self, client: QueueClient) -> Result<Permit, Rejected> {
        let waiting = {
            let mut queue = self.lock();
            let now = Instant::now();
            queue.tidy(now);
            // Calls that are no longer awaited were removed just before, so they do not count
            // as waiting. The rate limit applies before the place in the queue: a call that is
            // refused by it must not push out another one.
            let is_crowded = queue.count_waiting() >= WAITING;
            let is_free = queue.running < queue.slots;
            let queued = queue.client(client, now);
            if let Some(bucket) = &mut queued.bucket {
                bucket.take(now).map_err(Rejected::RateLimited)?;
            }
            if is_free && queued.running < queued.at_once && queued.waiting.is_empty() {
                queued.running += 1;
                queue.running += 1;
                return Ok(self.permit(client.id));
            }
            let own = queued.waiting.len();
            if is_crowded && !queue.make_room(own) {
                return Err(Rejected::Busy(1));
            }
            let (permit, waiting) = oneshot::channel();
            queue.client(client, now).waiting.push_back(permit);
            waiting
        };
        // The channel carries the permit itself. If the caller has gone, or gives up at the
        // moment the permit is sent, the permit is dropped, which passes it to the next call;
        // no slot is ever lost. A call that had to make room receives none: its sender is
        // dropped.
        match timeout(WAIT_TIME, waiting).await {
            Ok(Ok(permit)) => Ok(permit),
            _ => Err(Rejected::Busy(1)),
        }
    }

    /// Returns the numbers of running and of waiting calls.
    pub fn load(&self) -> (usize, usize) {
        let queue = self.lock();
        (queue.running, queue.count_waiting())
    }

    fn permit(&self, id: Hash) -> Permit {
        Permit {
            queue: self.clone(),
            id,
        }
    }

    /// Returns a permit, and gives the free slots to waiting calls.
    fn give_back(&self, id: Hash) {
        let mut next = Vec::new();
        {
            let mut queue = self.lock();
            queue.running -= 1;
            if let Some(client) = queue.clients.iter_mut().find(|client| client.id == id) {
                client.running -= 1;
            }
            while queue.running < queue.slots {
                let Some((id, waiting)) = queue.next() else {
                    break;
                };
                next.push((self.permit(id), waiting));
            }
        }
        for (permit, waiting) in next {
            // The permits are sent without the lock. If a receiver has gone, `send` drops the
            // permit, whose `drop` calls this function again and takes the lock; with the lock
            // held, the thread would wait for itself.
            let _ = waiting.send(permit);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Queue {
    fn count_waiting(&self) -> usize {
        self.clients.iter().map(|client| client.waiting.len()).sum()
    }

    /// Returns the queue of a client, added at the end if it is new.
    fn client(&mut self, client: QueueClient, now: Instant) -> &mut ClientQueue {
        let found = self.clients.iter().position(|it| it.id == client.id);
        let index = found.unwrap_or_else(|| {
            let allowance = client.allowance;
            let rate = allowance.map(|Allowance { rate, .. }| rate);
            self.clients.push_back(ClientQueue {
                id: client.id,
                bucket: rate.map(|rate| Bucket::new(rate, now)),
                at_once: allowance.map_or(usize::MAX, |it| it.at_once),
                running: 0,
                waiting: VecDeque::new(),
            });
            self.clients.len() - 1
        });
        &mut self.clients[index]
    }

    /// Drops the latest call of the principal with the most waiting calls, so that nobody can lock
    /// out others by filling the queue. Returns true if a principal had more than `own` waiting
    /// calls.
    fn make_room(&mut self, own: usize) -> bool {
        let longest = self
            .clients
            .iter_mut()
            .max_by_key(|client| client.waiting.len());
        let client = longest.filter(|client| client.waiting.len() > own);
        client.is_some_and(|client| client.waiting.pop_back().is_some())
    }

    /// Takes the next call that may run. Its queue moves to the end.
    fn next(&mut self) -> Option<(Hash, oneshot::Sender<Permit>)> {
        let may_run =
            |client: &ClientQueue| client.running < client.at_once && !client.waiting.is_empty();
        let index = self.clients.iter().position(may_run)?;
        let mut client = self.clients.remove(index)?;
        let waiting = client.waiting.pop_front()?;
        client.running += 1;
        self.running += 1;
        let id = client.id;
        self.clients.push_back(client);
        Some((id, waiting))
    }

    /// Removes calls that are no longer awaited, and empty queues.
    fn tidy(&mut self, now: Instant) {
        for client in &mut self.clients {
            client.waiting.retain(|waiting| !waiting.is_closed());
        }
        self.clients.retain(|client| {
            let is_full = client.bucket.as_ref().is_none_or(|it| it.is_full(now));
            client.running > 0 || !client.waiting.is_empty() || !is_full
        });
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.queue.give_back(self.id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(name: &str, burst: u32) -> QueueClient {
        let rate = Rate {
            burst,
            per_minute: 1,
        };
        QueueClient {
            id: Hash::digest(name.as_bytes()),
            allowance: Some(Allowance { rate, at_once: 2 }),
        }
    }

    /// Yields until all ready tasks have run.
    async fn settle() {
        for _ in 0..20 {
            tokio::task::yield_now().await;
        }
    }

    #[tokio::test]
    async fn who_has_made_few_calls_does_not_wait_for_those_who_made_many() {
        let queue = FairQueue::new(1);
        let (many, few) = (client("many", 100), client("few", 100));
        let first = queue.take(many).await.unwrap();
        let done = Arc::new(Mutex::new(Vec::new()));
        let mut calls = tokio::task::JoinSet::new();
        for (client, name, number) in [(many, "many", 3), (few, "few", 2)] {
            for _ in 0..number {
                let queue = queue.clone();
                let done = Arc::clone(&done);
                calls.spawn(async move {
                    let permit = queue.take(client).await.unwrap();
                    done.lock().unwrap().push(name);
                    drop(permit);
                });
                settle().await;
            }
        }
        assert_eq!(queue.load(), (1, 5));
        drop(first);
        while calls.join_next().await.is_some() {}
        assert_eq!(
            *done.lock().unwrap(),
            ["many", "few", "many", "few", "many"]
        );
        assert_eq!(queue.load(), (0, 0));
    }

    #[tokio::test]
    async fn a_name_has_so_many_at_once_and_so_many_a_minute() {
        let queue = FairQueue::new(10);
        let (ann, ben) = (client("ann", 3), client("ben", 3));
        let first = queue.take(ann).await.unwrap();
        let second = queue.take(ann).await.unwrap();
        let third = tokio::spawn({
            let queue = queue.clone();
            async move { queue.take(ann).await.map(drop) }
        });
        settle().await;
        assert_eq!(queue.load(), (2, 1));
        assert_eq!(queue.take(ann).await.err(), Some(Rejected::RateLimited(60)));
        drop(queue.take(ben).await.unwrap());
        drop(first);
        assert_eq!(third.await.unwrap(), Ok(()));
        drop(second);
        assert_eq!(queue.load(), (0, 0));
    }

    #[tokio::test]
    async fn who_goes_away_leaves_the_turn_to_the_next() {
        let queue = FairQueue::new(1);
        let ann = client("ann", 100);
        let first = queue.take(ann).await.unwrap();
        let wait = || {
            let queue = queue.clone();
            tokio::spawn(async move { queue.take(ann).await.map(drop) })
        };
        let (gone, stays) = (wait(), wait());
        settle().await;
        gone.abort();
        settle().await;
        drop(first);
        assert_eq!(stays.await.unwrap(), Ok(()));
        assert_eq!(queue.load(), (0, 0));
    }

    #[tokio::test]
    async fn only_so_many_wait_and_no_name_keeps_others_out() {
        let queue = FairQueue::new(1);
        let (ann, ben) = (client("ann", 1000), client("ben", 1000));
        let first = queue.take(ann).await.unwrap();
        let mut waiting = tokio::task::JoinSet::new();
        let wait = |client: QueueClient| {
            let queue = queue.clone();
            async move { queue.take(client).await.map(drop) }
        };
        for _ in 0..WAITING {
            waiting.spawn(wait(ann));
        }
        settle().await;
        assert_eq!(queue.load(), (1, WAITING));
        assert_eq!(queue.take(ann).await.err(), Some(Rejected::Busy(1)));
        for _ in 0..WAITING / 2 {
            waiting.spawn(wait(ben));
            // The call that is dropped is the latest of `ann`.
            let sent = waiting.join_next().await.unwrap().unwrap();
            assert_eq!(sent, Err(Rejected::Busy(1)));
        }
        assert_eq!(queue.load(), (1, WAITING));
        assert_eq!(queue.take(ben).await.err(), Some(Rejected::Busy(1)));
        // Calls that are no longer awaited occupy no slot.
        waiting.abort_all();
        while waiting.join_next().await.is_some() {}
        let last = tokio::spawn({
            let queue = queue.clone();
            async move { queue.take(ben).await.map(drop) }
        });
        settle().await;
        drop(first);
        assert_eq!(last.await.unwrap(), Ok(()));
    }
}
