//! The platform and environment variables that determine paths of files.

use std::ffi::OsString;
use std::path::PathBuf;

/// An operating system, by its conventions for configuration files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostPlatform {
    /// Linux, and other systems that follow the XDG specification.
    Linux,
    /// macOS.
    MacOs,
    /// Windows.
    Windows,
}

impl HostPlatform {
    /// Returns the platform that this program was built for.
    pub const fn current() -> Self {
        if cfg!(windows) {
            Self::Windows
        } else if cfg!(target_os = "macos") {
            Self::MacOs
        } else {
            Self::Linux
        }
    }
}

/// The environment that determines the paths of clients' files.
pub struct ClientEnvironment<'a> {
    /// Platform whose conventions apply.
    pub platform: HostPlatform,
    /// Returns an environment variable.
    pub variable: &'a dyn Fn(&str) -> Option<OsString>,
}

impl ClientEnvironment<'_> {
    /// Returns the path in a variable that is set and not empty.
    pub fn path(&self, name: &str) -> Option<PathBuf> {
        let value = (self.variable)(name).filter(|value| !value.is_empty());
        value.map(PathBuf::from)
    }

    /// Returns the person's home directory.
    pub fn home(&self) -> Option<PathBuf> {
        match self.platform {
            HostPlatform::Windows => self.path("USERPROFILE"),
            HostPlatform::Linux | HostPlatform::MacOs => self.path("HOME"),
        }
    }

    /// Returns `$XDG_CONFIG_HOME`, or `~/.config`.
    pub fn xdg_config(&self) -> Option<PathBuf> {
        // The XDG specification requires relative paths to be ignored.
        self.path("XDG_CONFIG_HOME")
            .filter(|path| path.is_absolute())
            .or_else(|| Some(self.home()?.join(".config")))
    }

    /// Returns the directory in which desktop programs keep their configuration.
    pub fn application_data(&self) -> Option<PathBuf> {
        match self.platform {
            HostPlatform::Linux => self.xdg_config(),
            HostPlatform::MacOs => Some(self.home()?.join("Library/Application Support")),
            HostPlatform::Windows => self.path("APPDATA"),
        }
    }
}
