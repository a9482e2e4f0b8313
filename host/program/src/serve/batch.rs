//! Batches of protocol revision 2025-03-26: a client sends several messages in one array, and their
//! answers are sent together in one array as well.

use rmcp::model::RequestId;
use serde_json::Value;

/// The batches with missing answers.
#[derive(Default)]
pub struct Batches {
    open: Vec<Batch>,
}

struct Batch {
    unanswered: Vec<RequestId>,
    answers: Vec<Value>,
}

impl Batches {
    /// Opens a batch with the requests `ids`, some of which were already answered. Returns the
    /// batch if it can be sent now.
    pub fn open(&mut self, ids: Vec<RequestId>, answers: Vec<Value>) -> Option<Value> {
        self.open.push(Batch {
            unanswered: ids,
            answers,
        });
        // All messages of the batch may have been refused, or be notifications. Then no answer
        // is pending, and the batch is complete without `answer` being called for it.
        self.complete()
    }

    /// Accepts an outgoing message, an answer to the request `id` if there is one. Returns the
    /// message to send now, if any: the message itself if it belongs to no batch.
    pub fn answer(&mut self, id: Option<&RequestId>, message: Value) -> Option<Value> {
        // Progress, and answers to requests outside of any batch, are sent at once, whatever
        // batches are open.
        let Some(batch) = id.and_then(|id| self.with(id)) else {
            return Some(message);
        };
        batch.answers.push(message);
        self.complete()
    }

    /// Abandons the answer to `id`. Returns the batch if it can be sent now.
    pub fn forget(&mut self, id: &RequestId) -> Option<Value> {
        self.with(id)?;
        self.complete()
    }

    /// Returns the batch that waits for `id`, and removes `id` from it.
    fn with(&mut self, id: &RequestId) -> Option<&mut Batch> {
        self.open.iter_mut().find_map(|batch| {
            let position = batch.unanswered.iter().position(|waiting| waiting == id)?;
            batch.unanswered.remove(position);
            Some(batch)
        })
    }

    fn complete(&mut self) -> Option<Value> {
        let position = self
            .open
            .iter()
            .position(|batch| batch.unanswered.is_empty())?;
        let answers = self.open.remove(position).answers;
        // A batch of notifications alone has no answer.
        (!answers.is_empty()).then_some(Value::Array(answers))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn ids(ids: &[i64]) -> Vec<RequestId> {
        ids.iter().map(|id| RequestId::Number(*id)).collect()
    }

    #[test]
    fn answers_go_out_together() {
        let mut batches = Batches::default();
        assert_eq!(batches.open(ids(&[1, 2]), vec![json!("refused")]), None);
        assert_eq!(
            batches.answer(Some(&RequestId::Number(9)), json!(9)),
            Some(json!(9))
        );
        assert_eq!(batches.answer(None, json!("notice")), Some(json!("notice")));
        assert_eq!(batches.answer(Some(&RequestId::Number(2)), json!(2)), None);
        assert_eq!(
            batches.answer(Some(&RequestId::Number(1)), json!(1)),
            Some(json!(["refused", 2, 1])),
        );
        assert_eq!(
            batches.answer(Some(&RequestId::Number(1)), json!(1)),
            Some(json!(1))
        );
    }

    #[test]
    fn a_cancelled_request_holds_up_nothing() {
        let mut batches = Batches::default();
        assert_eq!(batches.open(ids(&[1, 2]), vec![]), None);
        assert_eq!(batches.answer(Some(&RequestId::Number(2)), json!(2)), None);
        assert_eq!(batches.forget(&RequestId::Number(1)), Some(json!([2])));
        assert_eq!(batches.forget(&RequestId::Number(1)), None);
        assert_eq!(batches.open(ids(&[]), vec![]), None);
    }
}
