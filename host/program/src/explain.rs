//! Refusals and faults in words, for a model or a person.

use docent_host::tools::{self, ArgumentError, Tool};
use docent_host::{CallError, Fault, Refusal};

use crate::terminal::style::visible;

/// Returns what is wrong with an argument, and on a second line which arguments there are.
pub fn argument(tool: &Tool, error: &ArgumentError) -> String {
    let label = tools::table().label("invalid-request");
    // It quotes what the caller wrote, which may hold line breaks.
    format!("{label} {}\n{}", visible(&error.to_string()), tool.usage())
}

/// Returns why a call failed: its code and what was wrong, and on a second line what to do next.
pub fn call(error: &CallError) -> String {
    match error {
        CallError::Refused(Refusal {
            code,
            message,
            hint,
        }) => {
            let label = tools::table().label(code);
            let lines = format!("{label} {}\n{}", visible(message), visible(hint));
            // A refusal may come without a hint.
            lines.trim_end().to_owned()
        }
        CallError::Fault(fault) => {
            let (code, hint) = advice(fault);
            format!("{} {fault}\n{hint}", tools::table().label(code))
        }
    }
}

/// Returns the code that stands for a fault, and what to do next.
fn advice(fault: &Fault) -> (&'static str, &'static str) {
    match fault {
        // The hints name the arguments that most tools have; a fault knows no tool.
        Fault::Timeout(_) => ("timeout", "Name a directory or a document in `path`."),
        Fault::OutOfMemory(_) => ("limit-reached", "Name a directory or a document in `path`."),
        Fault::ResultTooLarge(_) => ("limit-reached", "Ask for fewer results, or for a part."),
        Fault::RootSilent(_) => (
            "timeout",
            "Name another root in `root`, or call again later.",
        ),
        Fault::Busy => ("limit-reached", "Wait until other calls have ended."),
        // The contract has no code of its own for a call that was withdrawn.
        Fault::Cancelled => (
            "internal-error",
            "Call again if the answer is still wanted.",
        ),
        Fault::Arguments(_) => ("invalid-request", "See the tool's input schema."),
        Fault::Unavailable(_) => (
            "internal-error",
            "Nothing was called; `docent doctor` tells more.",
        ),
        Fault::Trap(_) | Fault::NoFunction(_) => (
            "internal-error",
            "Other calls are not affected; `docent doctor` tells more.",
        ),
    }
}
