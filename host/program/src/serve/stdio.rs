//! The transport over stdin and stdout, one message a line.
//!
//! rmcp's own transport silently drops messages that it cannot parse, ends the session if the first
//! message is not a request, and does not support the batches of protocol revision 2025-03-26. This
//! one answers every line that requires an answer, and signals the end of the input.

use std::collections::VecDeque;
use std::io::{self, BufRead, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, JsonRpcMessage, RequestId, ServerJsonRpcMessage,
};
use rmcp::transport::Transport;
use serde_json::Value;
use tokio::sync::{Notify, mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use super::batch::Batches;
use super::message::{self, INVALID_REQUEST, Parsed, parse_message, refusal};

/// Maximum bytes of a line; a longer one is answered with an error and skipped as it arrives. Far
/// above the size of a request: the longest argument has 4 096 bytes.
const LINE_BYTES: usize = 1024 * 1024;

/// Maximum lines that wait to be handled. While there are so many, the input is not read.
const WAITING_LINES: usize = 16;

/// Maximum bytes of unread answers, twice the longest answer. While there are more, the input is
/// not read: a client that sends and never reads would fill the memory.
const UNREAD_BYTES: usize = 8 * 1024 * 1024;

/// Maximum time for which a client that does not read may delay the exit.
const FLUSH_TIME: Duration = Duration::from_secs(1);

/// The content of a line.
enum InputLine {
    Text(Vec<u8>),
    TooLong,
}

/// Signals between the transport and what it serves.
#[derive(Clone, Default)]
pub struct Signals {
    /// Set when the session has begun; before, only requests are passed on.
    pub begun: Arc<AtomicBool>,
    /// Cancelled at the end of the input.
    pub ended: CancellationToken,
    /// Cancelled when the reader of the output has gone.
    pub unread: CancellationToken,
}

/// The transport.
pub struct LineTransport {
    lines: mpsc::Receiver<InputLine>,
    waiting: VecDeque<ClientJsonRpcMessage>,
    batches: Batches,
    output: StdioOutput,
    signals: Signals,
}

/// The output. A thread of its own writes the messages in order, so that a client that does not
/// read never delays the others.
struct StdioOutput {
    messages: Option<std::sync::mpsc::Sender<String>>,
    unread: Arc<Unread>,
    done: Option<oneshot::Receiver<()>>,
}

/// The amount of output that is not written yet.
#[derive(Default)]
struct Unread {
    bytes: AtomicUsize,
    /// Notified whenever the amount decreases.
    less: Notify,
}

impl Unread {
    fn take_off(&self, bytes: usize) {
        self.bytes.fetch_sub(bytes, Ordering::AcqRel);
        self.less.notify_one();
    }
}

impl LineTransport {
    /// Creates a transport that reads from `input` and writes to `output`, each in its own thread.
    pub fn new(
        input: impl BufRead + Send + 'static,
        output: impl Write + Send + 'static,
        signals: Signals,
    ) -> Self {
        let (line, lines) = mpsc::channel(WAITING_LINES);
        // The thread is never joined. A blocking read of stdin cannot be interrupted, so
        // waiting for it would keep the program alive until the client writes once more.
        thread::spawn(move || read_lines(input, LINE_BYTES, &line));
        let output = StdioOutput::start(output, signals.unread.clone());
        Self {
            lines,
            waiting: VecDeque::new(),
            batches: Batches::default(),
            output,
            signals,
        }
    }

    fn take(&mut self, line: &[u8]) {
        // Some shells on Windows start their output with a byte order mark, which JSON does not
        // permit.
        let line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line);
        if line.trim_ascii().is_empty() {
            return;
        }
        match message::parse(line) {
            Err(refusal) => self.output.write(&refusal),
            Ok(Parsed::Batch(items)) => self.take_batch(items),
            Ok(Parsed::One(item)) => match parse_message(item) {
                Ok(message) => self.waiting.extend(message),
                Err(refusal) => self.output.write(&refusal),
            },
        }
    }

    fn take_batch(&mut self, items: Vec<Result<Value, Value>>) {
        if let Err(refusal) = message::batch_of(items.len()) {
            self.output.write(&refusal);
            return;
        }
        let mut ids = Vec::new();
        let mut refusals = Vec::new();
        for item in items {
            match item.and_then(parse_message) {
                Ok(Some(message)) => {
                    if let JsonRpcMessage::Request(request) = &message {
                        ids.push(request.id.clone());
                    }
                    self.waiting.push_back(message);
                }
                Ok(None) => {}
                Err(refusal) => refusals.push(refusal),
            }
        }
        if let Some(answers) = self.batches.open(ids, refusals) {
            self.output.write(&answers);
        }
    }

    /// Returns the next message that may be handled now.
    fn next_waiting(&mut self) -> Option<ClientJsonRpcMessage> {
        while let Some(message) = self.waiting.pop_front() {
            // A cancelled request has no answer. Its batch must not wait for one, or the
            // answers to the other requests would never be sent.
            if let Some(id) = cancelled_request(&message)
                && let Some(answers) = self.batches.forget(id)
            {
                self.output.write(&answers);
            }
            // rmcp ends the session if a notification comes before the answer to `initialize`.
            // A notification that comes too early is dropped instead.
            let is_request = matches!(message, JsonRpcMessage::Request(_));
            if is_request || self.signals.begun.load(Ordering::Relaxed) {
                return Some(message);
            }
        }
        None
    }
}

impl Transport<RoleServer> for LineTransport {
    type Error = io::Error;

    fn send(
        &mut self,
        item: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        // The message is written here and not in the returned future: rmcp polls several such
        // futures in tasks of their own, in any order, and messages must be written in the
        // order of the calls. A progress report after its answer would be an error.
        let sent = serde_json::to_value(&item)
            .map_err(io::Error::from)
            .map(|message| {
                let id = match &item {
                    JsonRpcMessage::Response(response) => Some(&response.id),
                    JsonRpcMessage::Error(error) => error.id.as_ref(),
                    _ => None,
                };
                if let Some(message) = self.batches.answer(id, message) {
                    self.output.write(&message);
                }
            });
        std::future::ready(sent)
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        // rmcp drops this future if another one is ready first, and calls `receive` again. All
        // progress is therefore kept in `self`; a message in a local variable across an `await`
        // would be lost.
        loop {
            self.output.room().await;
            if let Some(message) = self.next_waiting() {
                return Some(message);
            }
            match self.lines.recv().await {
                Some(InputLine::Text(line)) => self.take(&line),
                Some(InputLine::TooLong) => {
                    let message = format!("line too long; expected at most {LINE_BYTES} bytes");
                    self.output.write(&refusal(INVALID_REQUEST, &message, None));
                }
                None => {
                    self.signals.ended.cancel();
                    return None;
                }
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        // Dropping the sender ends the thread once it has written the remaining messages. It is
        // awaited for a limited time, because a client that does not read would delay the exit
        // forever.
        self.output.messages = None;
        if let Some(done) = self.output.done.take() {
            let _ = tokio::time::timeout(FLUSH_TIME, done).await;
        }
        Ok(())
    }
}

impl StdioOutput {
    fn start(mut output: impl Write + Send + 'static, closed: CancellationToken) -> Self {
        let (messages, written) = std::sync::mpsc::channel::<String>();
        let (finish, done) = oneshot::channel();
        let unread = Arc::<Unread>::default();
        let waiting = Arc::clone(&unread);
        thread::spawn(move || {
            for message in written {
                // The message and its line break are written at once. Clients that read by
                // chunks then see whole lines more often.
                let line = [message.as_bytes(), b"\n"].concat();
                if output
                    .write_all(&line)
                    .and_then(|()| output.flush())
                    .is_err()
                {
                    closed.cancel();
                    break;
                }
                waiting.take_off(message.len());
            }
            let _ = finish.send(());
        });
        Self {
            messages: Some(messages),
            unread,
            done: Some(done),
        }
    }

    fn write(&self, message: &Value) {
        if let Some(messages) = &self.messages {
            let message = message.to_string();
            self.unread.bytes.fetch_add(message.len(), Ordering::AcqRel);
            // If the thread has ended, the session has been notified.
            let _ = messages.send(message);
        }
    }

    /// Waits until the client has read enough for its next message to be accepted.
    async fn room(&self) {
        while self.unread.bytes.load(Ordering::Acquire) > UNREAD_BYTES {
            // `notify_one` stores its signal if nobody waits, so a decrease between the check
            // and the wait is not missed.
            self.unread.less.notified().await;
        }
    }
}

/// Reads lines until the input ends or the receiver is dropped.
fn read_lines(mut input: impl BufRead, longest: usize, lines: &mpsc::Sender<InputLine>) {
    loop {
        let mut line = Vec::new();
        // One more byte, for the line break of the longest line.
        let limit = longest as u64 + 1;
        let read = io::Read::take(&mut input, limit).read_until(b'\n', &mut line);
        let complete = line.last() == Some(&b'\n');
        let line = match read {
            // An unreadable input is treated as its end.
            Ok(0) | Err(_) => return,
            Ok(_) if complete || line.len() <= longest => InputLine::Text(line),
            Ok(_) => {
                // The part that was read is freed before the rest of the line is skipped, which
                // may take long: the rest may be gigabytes, or come slowly.
                drop(line);
                if input.skip_until(b'\n').is_err() {
                    return;
                }
                InputLine::TooLong
            }
        };
        if lines.blocking_send(line).is_err() {
            return;
        }
    }
}

fn cancelled_request(message: &ClientJsonRpcMessage) -> Option<&RequestId> {
    match message {
        JsonRpcMessage::Notification(notification) => match &notification.notification {
            ClientNotification::CancelledNotification(cancelled) => {
                cancelled.params.request_id.as_ref()
            }
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn lines(input: &[u8], longest: usize) -> Vec<Option<usize>> {
        let (line, mut lines) = mpsc::channel(100);
        read_lines(input, longest, &line);
        drop(line);
        let mut lengths = Vec::new();
        while let Some(line) = lines.blocking_recv() {
            lengths.push(match line {
                InputLine::Text(text) => Some(text.len()),
                InputLine::TooLong => None,
            });
        }
        lengths
    }

    #[test]
    fn a_line_that_is_too_long_hides_no_other() {
        assert_eq!(
            lines(b"1234\n12345\n123456\n1\n", 5),
            [Some(5), Some(6), None, Some(2)]
        );
        assert_eq!(lines(b"123456", 5), [None]);
        assert_eq!(lines(b"12345", 5), [Some(5)]);
        assert_eq!(lines(b"", 5), []);
    }

    /// A reader that takes one line for each signal.
    struct Slow(std::sync::mpsc::Receiver<()>);

    impl Write for Slow {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            // After the last signal, everything is read at once.
            let _ = self.0.recv();
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_client_that_does_not_read_is_not_read_from() {
        let executor = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .unwrap();
        let (read, may_write) = std::sync::mpsc::channel();
        let output = StdioOutput::start(Slow(may_write), CancellationToken::new());
        let has_room = |time| {
            let room = async { tokio::time::timeout(time, output.room()).await };
            executor.block_on(room).is_ok()
        };
        assert!(has_room(Duration::ZERO));
        let answer = json!("x".repeat(UNREAD_BYTES / 2));
        for _ in 0..3 {
            output.write(&answer);
        }
        assert!(!has_room(Duration::ZERO));
        read.send(()).unwrap();
        assert!(!has_room(Duration::ZERO));
        drop(read);
        assert!(has_room(FLUSH_TIME));
    }
}
