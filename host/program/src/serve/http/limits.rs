//! The caps of a listener. What a call may use is [`docent_host::Limits`].

use std::time::Duration;

use super::rate::Rate;

/// Connections at a time. For one more, one that is idle gives way. A team of agents has a few each.
pub const CONNECTIONS: usize = 256;

/// Connections that one address may have, but for those where many may stand behind one: half of
/// them, so that no one address has all.
pub const SHARE: usize = CONNECTIONS / 2;

/// Connections beside these, on which nothing but health is answered.
pub const RESERVE: usize = 16;

/// How long the head of a request may take from its first byte on. A slow network needs a second.
pub const HEAD_TIME: Duration = Duration::from_secs(10);

/// How long a connection may stay open with nothing asked. Longer than clients pause between the
/// calls of one task, and than most proxies keep theirs.
pub const IDLE_TIME: Duration = Duration::from_secs(60);

/// How long the body of a request may take from the end of its head on.
pub const BODY_TIME: Duration = Duration::from_secs(15);

/// How long a client may take to read what waits for it. It then keeps an answer of some MiB in
/// memory.
pub const READ_TIME: Duration = Duration::from_secs(60);

/// How often a connection is looked at for the times above, and the file of tokens for those who may
/// no longer ask.
pub const LOOK: Duration = Duration::from_secs(1);

/// Headers of one request. Browsers and clients send about twenty.
pub const HEADERS: usize = 64;

/// Bytes of the head of one request, and of its parts that are read at once.
pub const HEAD_BYTES: usize = 16 << 10;

/// Bytes of the body of one request. The longest argument has 4 096, but for texts that are to be
/// written.
pub const BODY_BYTES: usize = 256 << 10;

/// How often a comment is sent on a stream whose call goes on, so that no proxy closes it.
pub const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// How long the listener rests when the system gives no more connections.
pub const REST: Duration = Duration::from_millis(100);

/// How long what runs when the server is to end may go on.
pub const DRAIN_TIME: Duration = Duration::from_secs(30);

/// Pools at a time: one for each set of rights. Each has instances of its own, with what they
/// remember.
pub const POOLS: usize = 16;

/// How long a pool is kept that nobody uses.
pub const POOL_TIME: Duration = Duration::from_secs(600);

/// How long vectors are kept that are of no use, for rights that nobody has here: another server with
/// the same state directory may give them, and may be started again.
pub const UNUSED_TIME: Duration = Duration::from_secs(24 * 60 * 60);

/// Calls of one token at once and a minute. An agent makes a handful at a time, and rarely more than
/// one every few seconds.
pub const BURST: u32 = 30;
/// See [`BURST`].
pub const PER_MINUTE: u32 = 120;

/// Calls of one token that run at the same time; more of them wait.
pub const AT_ONCE: usize = 4;

/// Calls that wait for their turn. Behind so many a client has long given up.
pub const WAITING: usize = 64;

/// How long a call waits for its turn.
pub const WAIT_TIME: Duration = Duration::from_secs(30);

/// How long a request waits for the answer that there were too many of them, or of the calls in it.
pub const TOO_OFTEN_WAIT: Duration = Duration::from_millis(50);

/// Wrong tokens that an address may send. Nobody guesses a token; whoever sends so many is told to
/// look at their configuration.
pub const FAILURES: Rate = Rate {
    burst: 10,
    per_minute: 10,
};

/// Addresses whose wrong tokens are counted at a time.
pub const PEERS: usize = 1024;
