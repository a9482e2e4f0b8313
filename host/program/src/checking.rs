//! Entry point of `docent doctor`: the part of `lib.rs` that examines the roots and tests docent on
//! a directory of its own.

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
        // Not `?`: a faulty setup is the subject of the report.
        let granted = granted(&flags);
        let grants = granted.as_ref().map(|(_, grants)| grants);
        let looks = match &granted {
            Ok((setup, _)) => self.look_into_roots(setup),
            Err(_) => Ok(Vec::new()),
        };
        // The limits may be valid although the roots are not, so their faults are reported too.
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

    /// Examines each granted root, in order.
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
        // Fails if anything already has this name, even a link: anyone may create entries in the
        // temporary directory.
        fs::create_dir(&directory)?;
        let tested = self.self_test_in(&directory, setup);
        // Removed whatever the result, so that a failed test leaves nothing.
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
        // With the configured limits, but without the configured exclusions, which could hide the
        // document.
        doctor::test(&mut self.session(setup, grants)?)
    }
}
