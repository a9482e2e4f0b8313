//! Messages over stdin and stdout, one a line.
//!
//! rmcp's own transport drops what it cannot parse without a word, ends the session when anything
//! but a request comes first, and does not know the batches of protocol revision 2025-03-26. This
//! one answers every line that wants an answer, and tells when the input has ended.

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
use super::message::{self, INVALID_REQUEST, Parsed, refusal, understood};

/// The longest line that is read, in bytes; a longer one is answered with an error and passed over
/// as it comes. Far above what a request needs: the longest argument has 4 096 bytes.
const LINE_BYTES: usize = 1024 * 1024;

/// Lines that wait to be handled. A client that sends more is not read from until some are done.
const WAITING_LINES: usize = 16;

/// Bytes of answers that wait to be read, twice the longest answer. As long as there are more, the
/// client is not read from: one that sends and never reads would fill the memory.
const UNREAD_BYTES: usize = 8 * 1024 * 1024;

/// How long a client that does not read may hold up the end.
const FLUSH_TIME: Duration = Duration::from_secs(1);

/// What a line held.
enum Line {
    Text(Vec<u8>),
    TooLong,
}

/// Signals between the transport and what it serves.
#[derive(Clone, Default)]
pub struct Signals {
    /// Set when the session has begun; before, only requests are let through.
    pub begun: Arc<AtomicBool>,
    /// Cancelled when the input has ended.
    pub ended: CancellationToken,
    /// Cancelled when nobody reads the output any more.
    pub unread: CancellationToken,
}

/// The transport.
pub struct Lines {
    lines: mpsc::Receiver<Line>,
    waiting: VecDeque<ClientJsonRpcMessage>,
    batches: Batches,
    output: Output,
    signals: Signals,
}

/// The writing end: what goes in is written in order by a thread of its own, so that a client that
/// does not read never holds up the others.
struct Output {
    messages: Option<std::sync::mpsc::Sender<String>>,
    unread: Arc<Unread>,
    done: Option<oneshot::Receiver<()>>,
}

/// What is to be written and was not taken yet.
#[derive(Default)]
struct Unread {
    bytes: AtomicUsize,
    /// Told whenever it gets less.
    less: Notify,
}

impl Unread {
    fn take_off(&self, bytes: usize) {
        self.bytes.fetch_sub(bytes, Ordering::AcqRel);
        self.less.notify_one();
    }
}

impl Lines {
    /// Returns a transport that reads from `input` and writes to `output`, each in its own thread.
    pub fn new(
        input: impl BufRead + Send + 'static,
        output: impl Write + Send + 'static,
        signals: Signals,
    ) -> Self {
        let (line, lines) = mpsc::channel(WAITING_LINES);
        // Never joined: a thread that reads stdin cannot be interrupted.
        thread::spawn(move || read_lines(input, LINE_BYTES, &line));
        let output = Output::start(output, signals.unread.clone());
        Self {
            lines,
            waiting: VecDeque::new(),
            batches: Batches::default(),
            output,
            signals,
        }
    }

    fn take(&mut self, line: &[u8]) {
        // Some shells on Windows begin their output with a byte order mark.
        let line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line);
        if line.trim_ascii().is_empty() {
            return;
        }
        match message::parsed(line) {
            Err(refusal) => self.output.write(&refusal),
            Ok(Parsed::Batch(items)) => self.take_batch(items),
            Ok(Parsed::One(item)) => match understood(item) {
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
            match item.and_then(understood) {
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
            // A cancelled request is not answered, so its batch must not wait for it.
            if let Some(id) = cancelled(&message)
                && let Some(answers) = self.batches.forget(id)
            {
                self.output.write(&answers);
            }
            // rmcp ends the session on a notification that comes before `initialize` is answered.
            let is_request = matches!(message, JsonRpcMessage::Request(_));
            if is_request || self.signals.begun.load(Ordering::Relaxed) {
                return Some(message);
            }
        }
        None
    }
}

impl Transport<RoleServer> for Lines {
    type Error = io::Error;

    fn send(
        &mut self,
        item: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        // Here and not when the future is polled: rmcp polls several, each in a task of its own,
        // and messages are to be written in the order in which they are sent.
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
        // rmcp drops this future when something else is ready first: what was read waits in `self`.
        loop {
            self.output.room().await;
            if let Some(message) = self.next_waiting() {
                return Some(message);
            }
            match self.lines.recv().await {
                Some(Line::Text(line)) => self.take(&line),
                Some(Line::TooLong) => {
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
        // Without a sender the thread ends as soon as it has written what waits.
        self.output.messages = None;
        if let Some(done) = self.output.done.take() {
            let _ = tokio::time::timeout(FLUSH_TIME, done).await;
        }
        Ok(())
    }
}

impl Output {
    fn start(mut output: impl Write + Send + 'static, closed: CancellationToken) -> Self {
        let (messages, written) = std::sync::mpsc::channel::<String>();
        let (finish, done) = oneshot::channel();
        let unread = Arc::<Unread>::default();
        let waiting = Arc::clone(&unread);
        thread::spawn(move || {
            for message in written {
                // In one piece: a client that reads by chunks sees whole lines more often.
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
            // Where the thread has ended, the session has been told.
            let _ = messages.send(message);
        }
    }

    /// Waits until the client has read enough for more to be asked of it.
    async fn room(&self) {
        while self.unread.bytes.load(Ordering::Acquire) > UNREAD_BYTES {
            // What gets less before it is waited for is told at once.
            self.unread.less.notified().await;
        }
    }
}

/// Reads lines until the input or the receiver ends.
fn read_lines(mut input: impl BufRead, longest: usize, lines: &mpsc::Sender<Line>) {
    loop {
        let mut line = Vec::new();
        // One more, for the line break of the longest line.
        let limit = longest as u64 + 1;
        let read = io::Read::take(&mut input, limit).read_until(b'\n', &mut line);
        let complete = line.last() == Some(&b'\n');
        let line = match read {
            // An input that cannot be read any more has ended as well.
            Ok(0) | Err(_) => return,
            Ok(_) if complete || line.len() <= longest => Line::Text(line),
            Ok(_) => {
                // Given back before the rest of the line is read past, which may take long.
                drop(line);
                if input.skip_until(b'\n').is_err() {
                    return;
                }
                Line::TooLong
            }
        };
        if lines.blocking_send(line).is_err() {
            return;
        }
    }
}

fn cancelled(message: &ClientJsonRpcMessage) -> Option<&RequestId> {
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
                Line::Text(text) => Some(text.len()),
                Line::TooLong => None,
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

    /// Takes a line whenever it is told to.
    struct Slow(std::sync::mpsc::Receiver<()>);

    impl Write for Slow {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            // After the last time of telling everything is taken at once.
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
        let output = Output::start(Slow(may_write), CancellationToken::new());
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
