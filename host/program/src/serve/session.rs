//! A session of MCP on stdin and stdout.

use std::io::{self, BufReader};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use rmcp::service::ServerInitializeError;
use tokio_util::sync::CancellationToken;

use super::background_pool::BackgroundPool;
use super::caller::Caller;
use super::handler::Server;
use super::recorder::{self, Recorder};
use super::stdio::{LineTransport, Signals};
use super::tool_service::{ToolService, ToolSet};

/// Grace period for running calls at the end of the input: enough for a script that writes its
/// requests and closes the pipe, short enough that no client waits.
const GRACE: Duration = Duration::from_secs(1);

/// Serves MCP until the input ends.
///
/// # Errors
/// Returns an error if the session ends for another reason.
pub fn serve(
    offer: ToolSet,
    pool: Arc<BackgroundPool>,
    recorder: Option<Arc<Recorder>>,
) -> io::Result<()> {
    // One thread without an I/O driver suffices: guests run on the threads of the pool, and
    // stdin and stdout are read and written by threads of the transport.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()?;
    let over = CancellationToken::new();
    let service = Arc::new(ToolService::new(offer, pool, None, recorder.clone()));
    let server = Server::new(service, Caller::local(), over.clone());
    let ended = runtime.block_on(async {
        let _ticking = recorder.as_ref().map(recorder::start_ticking);
        let ended = session(server, over).await;
        if let Some(recorder) = &recorder {
            recorder.wait_until_recorded().await;
        }
        ended
    });
    // Calls that do not stop after their cancellation, because the kernel holds their threads,
    // are not awaited. The log is sealed afterwards; an entry that such a call would still
    // write is refused.
    runtime.shutdown_background();
    if let Some(recorder) = recorder {
        recorder.seal();
    }
    ended
}

async fn session(server: Server, over: CancellationToken) -> io::Result<()> {
    let signals = Signals::default();
    // Buffered once more. Only the lock of stdin implements `BufRead`, and the lock cannot be
    // moved to the thread that reads.
    let lines = LineTransport::new(BufReader::new(io::stdin()), io::stdout(), signals.clone());
    tokio::spawn({
        let ended = signals.ended.clone();
        async move {
            ended.cancelled().await;
            // A script may write its requests and close the pipe immediately: `printf '…' |
            // docent mcp`. Its calls get a moment to be answered before they are cancelled.
            tokio::time::sleep(GRACE).await;
            over.cancel();
        }
    });
    // The session ends when the output is closed, whatever is still running: nobody is there to
    // read an answer.
    let started = rmcp::service::serve_server_with_ct(server, lines, signals.unread.clone()).await;
    // From here on, rmcp accepts messages other than requests.
    signals.begun.store(true, Ordering::Relaxed);
    match started {
        Ok(service) => service.waiting().await.map(drop).map_err(io::Error::other),
        // A client that disconnects before initialization is not an error.
        Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => {
            Ok(())
        }
        Err(error) => Err(io::Error::other(error)),
    }
}
