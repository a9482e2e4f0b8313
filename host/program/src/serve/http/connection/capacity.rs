//! Admission of connections. Each address has a share, and idle connections are closed for new
//! ones: nobody can lock out others by holding connections, and health checks are always answered.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::serve::http::connection::activity::ConnectionActivity;
use crate::serve::http::connection::listen::Peer;
use crate::serve::http::limits::{CONNECTIONS, RESERVE, SHARE};

/// Bits of an IPv6 address that identify a network: the holder of one address has all others of its
/// network.
const NETWORK_BITS: u32 = 64;

/// The admitted connections.
pub struct Capacity {
    admitted: Mutex<Admitted>,
    /// Notified whenever a connection ends.
    left: Notify,
    /// Addresses of proxies, which forward the requests of many clients.
    proxies: Vec<IpAddr>,
}

#[derive(Default)]
struct Admitted {
    next: u64,
    connections: BTreeMap<u64, Connection>,
    /// Number of connections that have not ended, including those told to close.
    open: usize,
}

struct Connection {
    origin: Origin,
    service: Service,
    activity: ConnectionActivity,
    evicted: CancellationToken,
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
pub struct Admission {
    capacity: Arc<Capacity>,
    id: u64,
    /// Service that it receives.
    pub service: Service,
    /// Cancelled when it must close for another connection.
    pub evicted: CancellationToken,
}

impl Drop for Admission {
    fn drop(&mut self) {
        let mut admitted = self.capacity.lock();
        admitted.connections.remove(&self.id);
        admitted.open -= 1;
        drop(admitted);
        self.capacity.left.notify_waiters();
    }
}

impl Capacity {
    /// Creates a capacity without connections.
    pub fn new(proxies: Vec<IpAddr>) -> Self {
        Self {
            admitted: Mutex::default(),
            left: Notify::new(),
            proxies,
        }
    }

    /// Admits a connection that was just accepted. If there are too many, another one must
    /// close: among the origins with the most connections, the one that has been idle for
    /// longest.
    pub fn admit(self: &Arc<Self>, peer: Peer, activity: ConnectionActivity) -> Admission {
        let origin = Origin::from_peer(peer);
        let mut admitted = self.lock();
        let service = admitted.make_room(origin, self.share(peer), Instant::now());
        admitted.next += 1;
        admitted.open += 1;
        let (id, evicted) = (admitted.next, CancellationToken::new());
        let connection = Connection {
            origin,
            service,
            activity,
            evicted: evicted.clone(),
        };
        admitted.connections.insert(id, connection);
        Admission {
            capacity: Arc::clone(self),
            id,
            service,
            evicted,
        }
    }

    /// Waits until all connections have ended.
    pub async fn wait_until_empty(&self) {
        loop {
            // The notification is requested before the number is read. A connection that ends
            // in between then wakes this task; in the other order its signal would be missed,
            // and the shutdown would wait for nothing.
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

    fn lock(&self) -> MutexGuard<'_, Admitted> {
        self.admitted.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Admitted {
    /// Makes room for one more connection from `origin`, whose maximum is `share`. Returns the
    /// service of the new connection.
    fn make_room(&mut self, origin: Origin, share: usize, now: Instant) -> Service {
        let own = self.count(origin);
        if own < share && self.with_service(Service::All).count() < CONNECTIONS {
            return Service::All;
        }
        let has_all = own >= share;
        let gives_way = |(id, connection): (u64, &Connection)| {
            let count = self.count(connection.origin);
            // An origin that has reached its share can only replace its own connections. Any
            // other one may replace a connection of an origin that has more than it, so an
            // address with 100 idle connections gives way and one with two does not.
            let is_meant = connection.origin == origin || (!has_all && count > own);
            // A connection is never closed while a request on it is being answered: the client
            // could not tell whether a write was done.
            let idle = connection.activity.idleness().filter(|_| is_meant)?;
            let time = now.saturating_duration_since(idle.since);
            Some(((count, idle.rank, time, Reverse(id)), id))
        };
        let found = self.with_service(Service::All).filter_map(gives_way).max();
        if let Some((_, id)) = found {
            self.evict(id);
            return Service::All;
        }
        if self.with_service(Service::Health).count() >= RESERVE {
            let oldest = self.with_service(Service::Health).next().map(|(id, _)| id);
            oldest.into_iter().for_each(|id| self.evict(id));
        }
        Service::Health
    }

    fn with_service(&self, service: Service) -> impl Iterator<Item = (u64, &Connection)> {
        let connections = self.connections.iter();
        connections
            .filter(move |(_, connection)| connection.service == service)
            .map(|(id, connection)| (*id, connection))
    }

    fn count(&self, origin: Origin) -> usize {
        self.with_service(Service::All)
            .filter(|(_, connection)| connection.origin == origin)
            .count()
    }

    fn evict(&mut self, id: u64) {
        if let Some(connection) = self.connections.remove(&id) {
            connection.evicted.cancel();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::serve::http::connection::activity::Busy;

    fn peer(text: &str) -> Peer {
        Some(text.parse().unwrap())
    }

    /// Admits so many connections. The returned places keep them open.
    fn fill(capacity: &Arc<Capacity>, peer: Peer, count: usize) -> Vec<Admission> {
        let admissions = (0..count).map(|_| capacity.admit(peer, ConnectionActivity::new()));
        admissions.collect()
    }

    /// Admits so many connections, with a request in progress on each.
    fn ask(capacity: &Arc<Capacity>, peer: Peer, count: usize) -> Vec<(Admission, Busy)> {
        let admissions = (0..count).map(|_| {
            let activity = ConnectionActivity::new();
            (capacity.admit(peer, activity.clone()), activity.busy())
        });
        admissions.collect()
    }

    fn evicted(admissions: &[Admission]) -> Vec<usize> {
        let numbered = admissions.iter().enumerate();
        let gone = numbered.filter(|(_, admission)| admission.evicted.is_cancelled());
        gone.map(|(at, _)| at).collect()
    }

    #[tokio::test]
    async fn what_is_idle_gives_way_the_oldest_of_those_with_the_most_first() {
        let capacity = Arc::new(Capacity::new(Vec::new()));
        let many = fill(&capacity, peer("127.0.0.1"), CONNECTIONS - 2);
        let few = fill(&capacity, peer("127.0.0.2"), 2);
        let next = capacity.admit(peer("127.0.0.3"), ConnectionActivity::new());
        let own = capacity.admit(peer("127.0.0.1"), ConnectionActivity::new());
        let socket = capacity.admit(None, ConnectionActivity::new());
        for admission in [&next, &own, &socket] {
            assert_eq!(admission.service, Service::All);
        }
        assert_eq!(evicted(&many), [0, 1, 2]);
        assert_eq!(evicted(&few), [0; 0]);
        drop((many, few, next, own, socket));
        capacity.wait_until_empty().await;
        let all = fill(&capacity, peer("127.0.0.1"), CONNECTIONS);
        assert_eq!(evicted(&all), [0; 0]);
    }

    #[tokio::test]
    async fn an_address_has_a_share_and_a_proxy_all() {
        let proxy = "192.0.2.9";
        let capacity = Arc::new(Capacity::new(vec![proxy.parse().unwrap()]));
        let one = ask(&capacity, peer("192.0.2.1"), SHARE);
        // All addresses of one IPv6 network count as one origin.
        let first = ask(&capacity, peer("2001:db8::1"), SHARE / 2);
        let second = ask(&capacity, peer("2001:db8::2:1"), SHARE / 2);
        assert_eq!(one.len() + first.len() + second.len(), CONNECTIONS);
        drop((first, one));
        let services = |text: &str, count| -> Vec<Service> {
            let entered = ask(&capacity, peer(text), count);
            entered
                .iter()
                .map(|(admission, _)| admission.service)
                .collect()
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
        let capacity = Arc::new(Capacity::new(Vec::new()));
        let mut busy = ask(&capacity, peer("127.0.0.1"), CONNECTIONS);
        let reserve = fill(&capacity, peer("127.0.0.1"), RESERVE);
        assert!(
            reserve
                .iter()
                .all(|admission| admission.service == Service::Health)
        );
        assert_eq!(evicted(&reserve), [0; 0]);
        let next = capacity.admit(peer("127.0.0.1"), ConnectionActivity::new());
        assert_eq!(next.service, Service::Health);
        assert_eq!(evicted(&reserve), [0]);
        assert!(
            busy.iter()
                .all(|(admission, _)| !admission.evicted.is_cancelled())
        );
        // A connection is idle after its answer, and can be closed.
        let (admission, answered) = busy.remove(0);
        drop(answered);
        let after = capacity.admit(peer("127.0.0.1"), ConnectionActivity::new());
        assert_eq!(after.service, Service::All);
        assert!(admission.evicted.is_cancelled());
    }
}
