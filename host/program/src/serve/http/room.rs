//! Admission of connections. Each address has a share, and idle connections are closed for new
//! ones: nobody can lock out others by holding connections, and health checks are always answered.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::connections::Peer;
use super::limits::{CONNECTIONS, RESERVE, SHARE};
use super::pulse::Pulse;

/// Bits of an IPv6 address that identify a network: the holder of one address has all others of its
/// network.
const NETWORK_BITS: u32 = 64;

/// The admitted connections.
pub struct Room {
    seats: Mutex<Seats>,
    /// Notified whenever a connection ends.
    left: Notify,
    /// Addresses of proxies, which forward the requests of many clients.
    proxies: Vec<IpAddr>,
}

#[derive(Default)]
struct Seats {
    next: u64,
    taken: BTreeMap<u64, Seat>,
    /// Number of connections that have not ended, including those told to close.
    open: usize,
}

struct Seat {
    origin: Origin,
    service: Service,
    pulse: Pulse,
    sent_away: CancellationToken,
}

/// The origin of a connection, to which its share belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    /// A Unix socket.
    Unix,
    /// An IPv4 address, or an IPv6 network.
    Net(IpAddr),
}

impl Origin {
    fn from_peer(peer: Peer) -> Self {
        match peer {
            None => Self::Unix,
            Some(IpAddr::V6(address)) => {
                let network = address.to_bits() & (u128::MAX << (u128::BITS - NETWORK_BITS));
                Self::Net(Ipv6Addr::from_bits(network).into())
            }
            Some(address) => Self::Net(address),
        }
    }
}

/// The service that a connection receives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Service {
    /// All requests.
    All,
    /// Health checks only, because there is no room for more.
    Health,
}

/// An admitted connection, until this is dropped.
pub struct Place {
    room: Arc<Room>,
    id: u64,
    /// Service that it receives.
    pub service: Service,
    /// Cancelled when it must close for another connection.
    pub sent_away: CancellationToken,
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut seats = self.room.lock();
        seats.taken.remove(&self.id);
        seats.open -= 1;
        drop(seats);
        self.room.left.notify_waiters();
    }
}

impl Room {
    /// Creates an empty room.
    pub fn new(proxies: Vec<IpAddr>) -> Self {
        Self {
            seats: Mutex::default(),
            left: Notify::new(),
            proxies,
        }
    }

    /// Admits a connection that was just accepted. If the room is full, another one must close:
    /// among the origins with the most connections, the one that has been idle for longest.
    pub fn enter(self: &Arc<Self>, peer: Peer, pulse: Pulse) -> Place {
        let origin = Origin::from_peer(peer);
        let mut seats = self.lock();
        let service = seats.make_room(origin, self.share(peer), Instant::now());
        seats.next += 1;
        seats.open += 1;
        let (id, sent_away) = (seats.next, CancellationToken::new());
        let seat = Seat {
            origin,
            service,
            pulse,
            sent_away: sent_away.clone(),
        };
        seats.taken.insert(id, seat);
        Place {
            room: Arc::clone(self),
            id,
            service,
            sent_away,
        }
    }

    /// Waits until all connections have ended.
    pub async fn emptied(&self) {
        loop {
            let left = self.left.notified();
            if self.lock().open == 0 {
                return;
            }
            left.await;
        }
    }

    /// Returns the maximum connections of a peer. A peer on this machine may be a proxy, like the
    /// configured ones.
    fn share(&self, peer: Peer) -> usize {
        let is_many = peer.is_none_or(|it| it.is_loopback() || self.proxies.contains(&it));
        if is_many { CONNECTIONS } else { SHARE }
    }

    fn lock(&self) -> MutexGuard<'_, Seats> {
        self.seats.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seats {
    /// Makes room for one more connection from `origin`, whose maximum is `share`. Returns the
    /// service of the new connection.
    fn make_room(&mut self, origin: Origin, share: usize, now: Instant) -> Service {
        let own = self.count(origin);
        if own < share && self.with_service(Service::All).count() < CONNECTIONS {
            return Service::All;
        }
        let has_all = own >= share;
        let gives_way = |(id, seat): (u64, &Seat)| {
            let count = self.count(seat.origin);
            let is_meant = seat.origin == origin || (!has_all && count > own);
            // A connection is never closed during an answer.
            let idle = seat.pulse.idleness().filter(|_| is_meant)?;
            let time = now.saturating_duration_since(idle.since);
            Some(((count, idle.rank, time, Reverse(id)), id))
        };
        let found = self.with_service(Service::All).filter_map(gives_way).max();
        if let Some((_, id)) = found {
            self.send_away(id);
            return Service::All;
        }
        if self.with_service(Service::Health).count() >= RESERVE {
            let oldest = self.with_service(Service::Health).next().map(|(id, _)| id);
            oldest.into_iter().for_each(|id| self.send_away(id));
        }
        Service::Health
    }

    fn with_service(&self, service: Service) -> impl Iterator<Item = (u64, &Seat)> {
        let taken = self.taken.iter();
        taken
            .filter(move |(_, seat)| seat.service == service)
            .map(|(id, seat)| (*id, seat))
    }

    fn count(&self, origin: Origin) -> usize {
        self.with_service(Service::All)
            .filter(|(_, seat)| seat.origin == origin)
            .count()
    }

    fn send_away(&mut self, id: u64) {
        if let Some(seat) = self.taken.remove(&id) {
            seat.sent_away.cancel();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::pulse::Busy;
    use super::*;

    fn peer(text: &str) -> Peer {
        Some(text.parse().unwrap())
    }

    /// Admits so many connections. The returned places keep them open.
    fn fill(room: &Arc<Room>, peer: Peer, count: usize) -> Vec<Place> {
        let places = (0..count).map(|_| room.enter(peer, Pulse::new()));
        places.collect()
    }

    /// Admits so many connections, with a request in progress on each.
    fn ask(room: &Arc<Room>, peer: Peer, count: usize) -> Vec<(Place, Busy)> {
        let places = (0..count).map(|_| {
            let pulse = Pulse::new();
            (room.enter(peer, pulse.clone()), pulse.busy())
        });
        places.collect()
    }

    fn sent_away(places: &[Place]) -> Vec<usize> {
        let numbered = places.iter().enumerate();
        let gone = numbered.filter(|(_, place)| place.sent_away.is_cancelled());
        gone.map(|(at, _)| at).collect()
    }

    #[tokio::test]
    async fn what_is_idle_gives_way_the_oldest_of_those_with_the_most_first() {
        let room = Arc::new(Room::new(Vec::new()));
        let many = fill(&room, peer("127.0.0.1"), CONNECTIONS - 2);
        let few = fill(&room, peer("127.0.0.2"), 2);
        let next = room.enter(peer("127.0.0.3"), Pulse::new());
        let own = room.enter(peer("127.0.0.1"), Pulse::new());
        let socket = room.enter(None, Pulse::new());
        for place in [&next, &own, &socket] {
            assert_eq!(place.service, Service::All);
        }
        assert_eq!(sent_away(&many), [0, 1, 2]);
        assert_eq!(sent_away(&few), [0; 0]);
        drop((many, few, next, own, socket));
        room.emptied().await;
        let all = fill(&room, peer("127.0.0.1"), CONNECTIONS);
        assert_eq!(sent_away(&all), [0; 0]);
    }

    #[tokio::test]
    async fn an_address_has_a_share_and_a_proxy_all() {
        let proxy = "192.0.2.9";
        let room = Arc::new(Room::new(vec![proxy.parse().unwrap()]));
        let one = ask(&room, peer("192.0.2.1"), SHARE);
        // All addresses of one IPv6 network count as one origin.
        let first = ask(&room, peer("2001:db8::1"), SHARE / 2);
        let second = ask(&room, peer("2001:db8::2:1"), SHARE / 2);
        assert_eq!(one.len() + first.len() + second.len(), CONNECTIONS);
        drop((first, one));
        let services = |text: &str, count| -> Vec<Service> {
            let entered = ask(&room, peer(text), count);
            entered.iter().map(|(place, _)| place.service).collect()
        };
        assert!(!services("192.0.2.1", SHARE).contains(&Service::Health));
        assert_eq!(services("192.0.2.1", SHARE + 1)[SHARE], Service::Health);
        assert_eq!(
            services("2001:db8::3", SHARE / 2 + 1)[SHARE / 2],
            Service::Health
        );
        assert!(!services("2001:db8:0:1::1", SHARE / 2 + 1).contains(&Service::Health));
        assert!(!services(proxy, CONNECTIONS - SHARE / 2).contains(&Service::Health));
    }

    #[tokio::test]
    async fn where_all_are_answered_health_still_is() {
        let room = Arc::new(Room::new(Vec::new()));
        let mut busy = ask(&room, peer("127.0.0.1"), CONNECTIONS);
        let reserve = fill(&room, peer("127.0.0.1"), RESERVE);
        assert!(reserve.iter().all(|place| place.service == Service::Health));
        assert_eq!(sent_away(&reserve), [0; 0]);
        let next = room.enter(peer("127.0.0.1"), Pulse::new());
        assert_eq!(next.service, Service::Health);
        assert_eq!(sent_away(&reserve), [0]);
        assert!(
            busy.iter()
                .all(|(place, _)| !place.sent_away.is_cancelled())
        );
        // A connection is idle after its answer, and can be closed.
        let (place, answered) = busy.remove(0);
        drop(answered);
        let after = room.enter(peer("127.0.0.1"), Pulse::new());
        assert_eq!(after.service, Service::All);
        assert!(place.sent_away.is_cancelled());
    }
}
