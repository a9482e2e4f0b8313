//! Limits of a listener. The limits of a call are [`docent_host::Limits`].

use std::time::Duration;

use crate::serve::http::scheduling::rate::Rate;

/// Maximum connections. For one more, an idle one is closed. A team of agents has a few each.
pub const CONNECTIONS: usize = 256;

/// Maximum connections of one address, except for proxies: half of all, so that no address occupies
/// them all.
pub const SHARE: usize = CONNECTIONS / 2;

/// Additional connections, on which only health checks are answered.
pub const RESERVE: usize = 16;

/// Timeout of a request's head, from its first byte. A slow network needs a second.
pub const HEAD_TIME: Duration = Duration::from_secs(10);

/// Timeout of an idle connection. It exceeds the pauses of clients between the calls of one task,
/// and the timeouts of most proxies.
pub const IDLE_TIME: Duration = Duration::from_secs(60);

/// Timeout of a request's body, from the end of its head.
pub const BODY_TIME: Duration = Duration::from_secs(15);

/// Timeout for a client to read its response, which may occupy some MiB of memory until then.
pub const READ_TIME: Duration = Duration::from_secs(60);

/// Interval of the checks of connections for the timeouts above, and of the token file for revoked
/// tokens.
pub const LOOK: Duration = Duration::from_secs(1);

/// Maximum headers of one request. Browsers and clients send about twenty.
pub const HEADERS: usize = 64;

/// Maximum bytes of a request's head, and of one read.
pub const HEAD_BYTES: usize = 16 << 10;

/// Maximum bytes of a request's body. The longest argument has 4 096, except for texts to be
/// written.
pub const BODY_BYTES: usize = 256 << 10;

/// Interval of comments on the stream of a running call, so that proxies keep it open.
pub const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// Pause of the listener when the system has no more connections.
pub const REST: Duration = Duration::from_millis(100);

/// Maximum time for running calls during a shutdown.
pub const DRAIN_TIME: Duration = Duration::from_secs(30);

/// Maximum pools, one for each set of rights. Each has instances and caches of its own.
pub const POOLS: usize = 16;

/// Time after which an unused pool is closed.
pub const POOL_TIME: Duration = Duration::from_secs(600);

/// Time after which unused vectors are deleted for rights that nobody holds here: another server
/// with the same state directory may give these rights, and may be restarted.
pub const UNUSED_TIME: Duration = Duration::from_secs(24 * 60 * 60);

/// Maximum calls of one token in a burst. An agent makes a handful at a time, and rarely more than
/// one every few seconds.
pub const BURST: u32 = 30;
/// Maximum sustained calls of one token per minute. See [`BURST`].
pub const PER_MINUTE: u32 = 120;

/// Maximum concurrent calls of one token; further calls wait.
pub const AT_ONCE: usize = 4;

/// Maximum waiting calls. Behind so many, a client would give up.
pub const WAITING: usize = 64;

/// Maximum wait of a call.
pub const WAIT_TIME: Duration = Duration::from_secs(30);

/// Delay before the reply that a client sent too many requests or calls.
pub const TOO_OFTEN_WAIT: Duration = Duration::from_millis(50);

/// Maximum rate of wrong tokens from an address. Tokens cannot be guessed; the error asks a
/// client that sends so many to check its configuration.
pub const FAILURES: Rate = Rate {
    burst: 10,
    per_minute: 10,
};

/// Maximum addresses whose wrong tokens are counted.
pub const PEERS: usize = 1024;
