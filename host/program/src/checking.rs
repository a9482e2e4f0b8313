//! `docent doctor`, as it is started: the part of `lib.rs` that looks into the roots and tries docent
//! on a directory of its own.

use std::env;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

use docent_host::grant::{Grants, Right, RootSpec};

use crate::commands::doctor::{self, RootLooks, SelfTestError};
use crate::config::{self, Flags, Setup};
use crate::output::print;
use crate::terminal::error::CommandError;
use crate::terminal::place::Root;
use crate::{NOTHING, Program, granted, surroundings};

impl Program {
    pub fn doctor(self, flags: Flags) -> Result<ExitCode, CommandError> {
        // Not `?`: what is wrong with the setup is what doctor is asked about.
        let granted = granted(&flags);
        let grants = granted.as_ref().map(|(_, grants)| grants);
        let looks = match &granted {
            Ok((setup, _)) => self.look_into_roots(setup),
            Err(_) => Ok(Vec::new()),
        };
        // Where the roots are wrong, the limits may be right: what they do is told all the same.
        let limits = config::setup(&flags, &surroundings()).map(|setup| setup.limits);
        let setup = Setup {
            limits: limits.unwrap_or_default(),
            ..Setup::default()
        };
        let embedder = match &granted {
            Ok((setup, _)) => setup.embedder.as_ref().map(|spec| (spec, spec.look())),
            Err(_) => None,
        };
        let report = doctor::report(grants, &looks, self.self_test(&setup), embedder);
        print(&report.text)?;
        Ok(if report.healthy {
            ExitCode::SUCCESS
        } else {
            ExitCode::from(NOTHING)
        })
    }

    /// Looks through each granted root, in order.
    fn look_into_roots(self, setup: &Setup) -> RootLooks {
        let grants = Grants::resolve_ambient(&setup.roots, setup.default_root.as_deref())?;
        let roots = Root::all(&grants);
        let mut session = self.session(setup, grants)?;
        let looks = roots
            .iter()
            .map(|root| doctor::look_into(&mut session, root));
        Ok(looks.collect())
    }

    /// Grants a new directory with one document and searches it under the limits of `setup`.
    fn self_test(self, setup: &Setup) -> Result<(), SelfTestError> {
        let directory = env::temp_dir().join(format!("docent-doctor-{}", std::process::id()));
        // Fails where something stands already, a link too: in the temporary directory anyone may
        // have put it there.
        fs::create_dir(&directory)?;
        let tested = self.self_test_in(&directory, setup);
        // Whatever came of it: a failed test leaves nothing behind.
        fs::remove_dir_all(&directory)?;
        tested
    }

    fn self_test_in(self, directory: &Path, setup: &Setup) -> Result<(), SelfTestError> {
        fs::write(directory.join("note.md"), doctor::DOCUMENT)?;
        let root = RootSpec {
            name: None,
            path: directory.to_owned(),
            right: Right::ReadOnly,
            sensitive: false,
        };
        let grants = Grants::resolve_ambient(&[root], None).map_err(CommandError::from)?;
        // The person's limits, and not what they exclude, which could hide the document.
        doctor::test(&mut self.session(setup, grants)?)
    }
}
