//! `docent setup`: adds docent to the configuration of MCP clients, and tests it as a client would.
//!
//! `plan` (the change of each configuration file) → `consent` (a person's yes) → `file` (the write)
//! → `trial` (the server, started as the client would). `wassette` is the client without such a
//! file. Functions that use the process's own rights end in `_ambient`.

mod action;
mod consent;
mod file;
mod plan;
mod program;
mod roots;
mod trial;
mod wassette;

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use docent_client_config::{Client, ClientEnvironment, HostPlatform, Launch, mask_secrets};
use docent_host::grant::RootSpec;

use crate::app::App;
use crate::args::Color;
use crate::choice::choice;
use crate::terminal::error::CommandError;
use crate::terminal::outcome::NOTHING;
use crate::terminal::page::Page;
use crate::terminal::style::{HEADING, Layout, visible, visible_lines};
use action::SetupAction;
use consent::{DefaultAnswer, WriteConsent, YesNoQuestion, tell_ambient};
use plan::{ClientPlan, FileChange};
use wassette::Wassette;

/// The arguments of `docent setup`.
#[derive(Debug, Args)]
#[command(after_help = "\
Example: docent setup --client codex --root notes=~/notes --root ~/wiki:rw --yes

Without flags, the command asks. Each change is shown as a difference before it is written; \
secrets of other servers are masked if their names identify them. A copy of the old file is kept \
next to it, and all other entries and comments stay. Then the server is started as the client \
would start it, and a tool is called. Running the command again changes nothing.

Exit status: 0 when every client is set up, 1 when one is not, 2 on an error.")]
pub struct SetupArgs {
    /// Set up this client; repeatable [default: every client that is installed]
    #[arg(long, value_enum, value_parser = choice::<ClientName>(), value_name = "CLIENT")]
    client: Vec<ClientName>,
    /// Grant a directory, read-only or with :rw for writing; repeatable
    #[arg(
        long = "root",
        value_name = "[NAME=]PATH[:rw]",
        conflicts_with = "remove"
    )]
    root: Vec<OsString>,
    /// Write every change without asking
    #[arg(long, conflicts_with = "print")]
    yes: bool,
    /// Print every change and write nothing
    #[arg(long)]
    print: bool,
    /// Remove docent from the configuration of the clients
    #[arg(long)]
    remove: bool,
    /// Use colour; `auto` means on a terminal unless NO_COLOR is set
    #[arg(
        long,
        value_enum,
        value_parser = choice::<Color>(),
        value_name = "WHEN",
        default_value_t = Color::Auto
    )]
    color: Color,
}

/// A client, by its name on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ClientName {
    ClaudeCode,
    ClaudeDesktop,
    Codex,
    #[value(alias = "code")]
    VsCode,
    Cursor,
    Zed,
    #[value(alias = "gemini")]
    GeminiCli,
    Wassette,
}

impl ClientName {
    /// Returns the client; none if it has no configuration file.
    const fn client(self) -> Option<Client> {
        Some(match self {
            Self::ClaudeCode => Client::ClaudeCode,
            Self::ClaudeDesktop => Client::ClaudeDesktop,
            Self::Codex => Client::Codex,
            Self::VsCode => Client::VsCode,
            Self::Cursor => Client::Cursor,
            Self::Zed => Client::Zed,
            Self::GeminiCli => Client::GeminiCli,
            Self::Wassette => return None,
        })
    }
}

/// Sets clients up, or removes docent from them.
///
/// # Errors
/// Returns an error, before anything is written, if the command line is invalid. A failure of one
/// client is reported, and the others continue.
pub fn run(app: &App, args: &SetupArgs) -> Result<ExitCode, CommandError> {
    let variable = |name: &str| app.variable(name);
    let environment = ClientEnvironment {
        platform: HostPlatform::current(),
        variable: &variable,
    };
    let consent = WriteConsent::choose(args.yes, args.print, is_interactive(app))?;
    let action = if args.remove {
        SetupAction::Remove
    } else {
        SetupAction::Add
    };
    let mut chosen = ClientSelection::read_ambient(&args.client, &environment)?;
    let roots = match action {
        SetupAction::Add => chosen.roots(app, args, consent)?,
        SetupAction::Remove => Vec::new(),
    };
    let command = program::own_path_ambient(&environment)?;
    for plan in &mut chosen.plans {
        plan.decide(action, &command, &roots);
    }
    let roots = roots::parse(app, roots.into_iter().map(OsString::from).collect())?;
    let paint = app.paint(args.color);
    let mut run = SetupRun {
        page: app.page_with((Layout::Headings, paint)),
        consent,
        action,
        environment: &environment,
        failed: false,
    };
    for plan in chosen.plans {
        run.client(&plan)?;
    }
    if let Some(wassette) = &chosen.wassette {
        run.wassette(wassette, &roots)?;
    }
    let failed = run.failed;
    run.end()?;
    Ok(if failed {
        ExitCode::from(NOTHING)
    } else {
        ExitCode::SUCCESS
    })
}

/// Returns true if a person can be asked.
fn is_interactive(app: &App) -> bool {
    app.stdin_is_terminal() && app.stdout_is_terminal()
}

/// The selected clients and their state.
struct ClientSelection {
    plans: Vec<ClientPlan>,
    wassette: Option<Wassette>,
}

impl ClientSelection {
    /// Returns the named clients, or else the installed ones.
    fn read_ambient(
        named: &[ClientName],
        environment: &ClientEnvironment<'_>,
    ) -> Result<Self, CommandError> {
        let is_installed = |client: &Client| program::is_installed_ambient(*client, environment);
        let clients: Vec<_> = if named.is_empty() {
            Client::ALL.into_iter().filter(is_installed).collect()
        } else {
            let is_named =
                |client: &Client| named.iter().any(|name| name.client() == Some(*client));
            Client::ALL.into_iter().filter(is_named).collect()
        };
        let names_wassette = named.contains(&ClientName::Wassette);
        let wassette = if named.is_empty() || names_wassette {
            Wassette::find_ambient(environment)
        } else {
            None
        };
        if names_wassette && wassette.is_none() {
            let problem = "`wassette` is not on PATH, and Wassette is set up by its own commands";
            return Err(CommandError::Usage(problem.to_owned()));
        }
        if clients.is_empty() && wassette.is_none() {
            let titles = Client::ALL.map(Client::title).join(", ");
            return Err(CommandError::Usage(format!(
                "no known client is installed ({titles}, {}); name one with `--client`",
                wassette::TITLE
            )));
        }
        let plans = clients.into_iter();
        Ok(Self {
            plans: plans
                .map(|client| ClientPlan::read_ambient(client, environment))
                .collect(),
            wassette,
        })
    }

    /// Returns the given roots, or else asks for them; none if every selected client has its own
    /// already.
    fn roots(
        &self,
        app: &App,
        args: &SetupArgs,
        consent: WriteConsent,
    ) -> Result<Vec<String>, CommandError> {
        if !args.root.is_empty() {
            return roots::from_flags(app, &args.root);
        }
        let wassette = self.wassette.as_ref();
        if consent == WriteConsent::Ask {
            let titles = self.plans.iter().map(|plan| plan.client.title());
            let titles = titles.chain(wassette.map(|_| wassette::TITLE));
            let titles = titles.collect::<Vec<_>>().join(", ");
            tell_ambient(format_args!("Clients to set up: {titles}"))?;
            let granted = self.plans.iter().find_map(ClientPlan::granted_roots);
            return roots::ask(app, granted.or_else(|| wassette?.granted_roots()));
        }
        let plan = self.plans.iter().find(|plan| plan.needs_roots());
        let wassette = wassette.filter(|wassette| wassette.granted_roots().is_none());
        let without = plan.map(|plan| plan.client.title());
        match without.or(wassette.map(|_| wassette::TITLE)) {
            None => Ok(Vec::new()),
            Some(title) => Err(CommandError::Usage(format!(
                "no directory is named that {title} may read; give it with `--root DIR`, or \
                 `--root DIR:rw` for writing"
            ))),
        }
    }
}

/// A run over the clients, one after the other.
struct SetupRun<'s, W> {
    page: Page<W>,
    consent: WriteConsent,
    action: SetupAction,
    environment: &'s ClientEnvironment<'s>,
    failed: bool,
}

impl<W: Write> SetupRun<'_, W> {
    fn say(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.page.output, "{}", visible_lines(text))
    }

    /// Reports a failure of one client.
    fn fail(&mut self, problem: &str) -> io::Result<()> {
        self.failed = true;
        self.say(&format!("problem: {problem}"))
    }

    fn heading(&mut self, title: &str, path: &Path) -> io::Result<()> {
        let title = self.page.paint.style(HEADING, title);
        let path = path.display().to_string();
        writeln!(self.page.output, "{title}: {}", visible(&path))
    }

    /// Reports that no change is necessary, and tests the server.
    fn report_unchanged(&mut self, launch: Option<&Launch>) -> io::Result<()> {
        match self.action {
            SetupAction::Add => self.say("nothing to change: docent is set up")?,
            SetupAction::Remove => return self.say("nothing to change: docent is not in it"),
        }
        launch.map_or(Ok(()), |launch| self.try_server(launch))
    }

    /// Returns true if the person consents to the change that was shown.
    fn ask_consent(&mut self, question: &YesNoQuestion<'_>) -> io::Result<bool> {
        self.page.output.flush()?;
        let agreed = match self.consent {
            WriteConsent::Given => true,
            WriteConsent::Withheld => return Ok(false),
            WriteConsent::Ask => question.ask_ambient()?,
        };
        if !agreed {
            self.say("left as it was")?;
        }
        Ok(agreed)
    }

    fn client(&mut self, plan: &ClientPlan) -> io::Result<()> {
        self.heading(plan.client.title(), &plan.path)?;
        match &plan.change {
            FileChange::Refused(problem) => self.fail(problem)?,
            FileChange::None => self.report_unchanged(plan.launch.as_ref())?,
            FileChange::Text(new) => self.change(plan, new)?,
        }
        writeln!(self.page.output)
    }

    /// Shows a change, and applies it with consent.
    fn change(&mut self, plan: &ClientPlan, new: &str) -> io::Result<()> {
        if let Some(foreign) = &plan.foreign {
            self.say("its entry `docent` was not written by docent and is removed:")?;
            for line in foreign.lines() {
                self.say(&mask_secrets(line))?;
            }
        }
        self.page.diff(&plan.difference(new))?;
        let question = match (&plan.foreign, self.action) {
            (Some(_), SetupAction::Add) => "Replace this entry?",
            (None, SetupAction::Add) => "Write this?",
            (_, SetupAction::Remove) => "Remove it?",
        };
        if !self.ask_consent(&YesNoQuestion::new(question, DefaultAnswer::No))? {
            return Ok(());
        }
        match plan.write_ambient(new) {
            Ok(None) => self.say("written")?,
            Ok(Some(copy)) => {
                let copy = copy.display().to_string();
                self.say(&format!("written; the old file is {copy}"))?;
            }
            Err(problem) => return self.fail(&problem),
        }
        match (self.action, &plan.launch) {
            (SetupAction::Add, Some(launch)) => self.try_server(launch),
            _ => Ok(()),
        }
    }

    /// Sets up Wassette.
    fn wassette(&mut self, wassette: &Wassette, roots: &[RootSpec]) -> io::Result<()> {
        self.heading(wassette::TITLE, &wassette.program)?;
        match wassette.decide(self.action, roots) {
            Err(problem) => self.fail(&problem)?,
            Ok(steps) if steps.difference.is_empty() => {
                self.report_unchanged(Some(&wassette.launch_ambient()))?
            }
            Ok(steps) => {
                self.page.diff(&steps.difference)?;
                if self.ask_consent(&YesNoQuestion::new(
                    "Run the commands for this?",
                    DefaultAnswer::No,
                ))? {
                    match (wassette.run_ambient(&steps), self.action) {
                        (Err(problem), _) => self.fail(&problem)?,
                        (Ok(()), SetupAction::Add) => {
                            self.try_server(&wassette.launch_ambient())?
                        }
                        (Ok(()), SetupAction::Remove) => self.say("removed")?,
                    }
                }
            }
        }
        writeln!(self.page.output)
    }

    /// Starts the server as the client would, and reports the result.
    fn try_server(&mut self, launch: &Launch) -> io::Result<()> {
        if self.consent == WriteConsent::Withheld {
            return Ok(());
        }
        self.page.output.flush()?;
        match trial::call_ambient(launch, self.environment) {
            Ok(report) => self.say(&report.to_string()),
            Err(problem) => self.fail(&format!("the server does not work: {problem}")),
        }
    }

    /// Prints the last line: the remaining steps.
    fn end(mut self) -> io::Result<()> {
        let last = match self.consent {
            WriteConsent::Withheld => "Nothing is written with `--print`.",
            WriteConsent::Given | WriteConsent::Ask => {
                "Running clients see a change after a restart."
            }
        };
        self.say(last)?;
        self.page.output.flush()
    }
}
