//! Messages of refusals and faults, for a model or a person.

use docent_host::tools::{self, refusal};
use docent_host::{CallError, Fault, Refusal};

pub use docent_host::tools::refusal::argument;

/// Formats the failure of a call: its code and message, and on a second line a hint.
pub fn call(error: &CallError) -> String {
    explain(error, advice)
}

/// Formats the failure of a command, in terms of options and paths instead of arguments.
pub fn command(error: &CallError) -> String {
    explain(error, |fault| {
        let (code, hint) = advice(fault);
        let hint = match fault {
            Fault::Timeout(_) | Fault::OutOfMemory(_) => "Name a smaller directory, or a document.",
            Fault::RootSilent(_) => "Name another directory, or try again later.",
            _ => hint,
        };
        (code, hint)
    })
}

fn explain(error: &CallError, advice: impl Fn(&Fault) -> Advice) -> String {
    match error {
        CallError::Refused(Refusal {
            code,
            message,
            hint,
        }) => refusal::call(code, message, hint),
        CallError::Fault(fault) => {
            let (code, hint) = advice(fault);
            format!("{} {fault}\n{hint}", tools::table().label(code))
        }
    }
}

/// The code of a fault, and its hint.
type Advice = (&'static str, &'static str);

fn advice(fault: &Fault) -> Advice {
    match fault {
        // A fault is not tied to a tool, so the hints name arguments that most tools have.
        Fault::Timeout(_) => ("timeout", "Name a directory or a document in `path`."),
        Fault::OutOfMemory(_) => ("limit-reached", "Name a directory or a document in `path`."),
        Fault::ResultTooLarge(_) => ("limit-reached", "Ask for fewer results, or for a part."),
        Fault::RootSilent(_) => (
            "timeout",
            "Name another root in `root`, or call again later.",
        ),
        Fault::Busy => ("limit-reached", "Wait until other calls have ended."),
        // The contract has no code for a cancelled call, because a guest never reports one.
        Fault::Cancelled => (
            "internal-error",
            "Call again if the answer is still wanted.",
        ),
        Fault::Arguments(_) => ("invalid-request", "See the tool's input schema."),
        Fault::Unavailable(_) => ("internal-error", "No call was made; see `docent doctor`."),
        Fault::Unanswered(_) => (
            "internal-error",
            "It was called: check what it may have changed before calling it again.",
        ),
        Fault::Trap(_) | Fault::NoFunction(_) => (
            "internal-error",
            "Other calls are not affected; see `docent doctor`.",
        ),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_person_is_told_of_what_a_command_line_has() {
        let late = CallError::Fault(Fault::Timeout(Duration::from_secs(1)));
        assert!(call(&late).ends_with("\nName a directory or a document in `path`."));
        assert!(command(&late).ends_with("\nName a smaller directory, or a document."));
    }
}
