//! The clients: their names, the paths of their configuration files, and the format of an entry.
//!
//! All paths below are those of the client's user-wide configuration, according to the client's own
//! documentation.

use std::path::PathBuf;

use crate::ConfigFormat;
use crate::environment::{ClientEnvironment, HostPlatform};

/// An MCP client that keeps its servers in a configuration file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Client {
    /// Claude Code, the command line program.
    ClaudeCode,
    /// Claude Desktop.
    ClaudeDesktop,
    /// Codex, its command line and its editor extension.
    Codex,
    /// Visual Studio Code.
    VsCode,
    /// Cursor.
    Cursor,
    /// Zed.
    Zed,
    /// Gemini CLI.
    GeminiCli,
}

/// The paths by which a client is recognized on a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientPlaces {
    /// Configuration file with the client's servers.
    pub config: PathBuf,
    /// Directory that the client creates.
    pub directory: PathBuf,
}

impl Client {
    /// Clients, in the order in which they are shown.
    pub const ALL: [Self; 7] = [
        Self::ClaudeCode,
        Self::ClaudeDesktop,
        Self::Codex,
        Self::VsCode,
        Self::Cursor,
        Self::Zed,
        Self::GeminiCli,
    ];

    /// Returns the client's name for people.
    pub const fn title(self) -> &'static str {
        match self {
            Self::ClaudeCode => "Claude Code",
            Self::ClaudeDesktop => "Claude Desktop",
            Self::Codex => "Codex",
            Self::VsCode => "VS Code",
            Self::Cursor => "Cursor",
            Self::Zed => "Zed",
            Self::GeminiCli => "Gemini CLI",
        }
    }

    /// Returns the names of the client's program.
    pub const fn programs(self) -> &'static [&'static str] {
        match self {
            Self::ClaudeCode => &["claude"],
            Self::ClaudeDesktop => &["claude-desktop"],
            Self::Codex => &["codex"],
            Self::VsCode => &["code"],
            Self::Cursor => &["cursor", "cursor-agent"],
            // Distributions name the program `zeditor`, because ZFS has a `zed` of its own, the
            // daemon of its events. A `zed` on PATH therefore does not mean that Zed is
            // installed.
            Self::Zed => &["zeditor"],
            Self::GeminiCli => &["gemini"],
        }
    }

    /// Returns the format of the configuration file.
    pub const fn format(self) -> ConfigFormat {
        match self {
            // `claude mcp add` writes the type, and older versions of the client require it.
            Self::ClaudeCode => ConfigFormat::json("mcpServers", Some(("type", "stdio"))),
            Self::ClaudeDesktop => ConfigFormat::json("mcpServers", None),
            Self::Codex => ConfigFormat::toml("mcp_servers"),
            Self::VsCode => ConfigFormat::jsonc("servers", Some(("type", "stdio"))),
            Self::Cursor | Self::GeminiCli => ConfigFormat::jsonc("mcpServers", None),
            Self::Zed => ConfigFormat::jsonc("context_servers", None),
        }
    }

    /// Returns the client's paths; none if the environment names no home directory.
    pub fn places(self, environment: &ClientEnvironment<'_>) -> Option<ClientPlaces> {
        let here = environment;
        let in_directory = |directory: PathBuf, file: &str| ClientPlaces {
            config: directory.join(file),
            directory,
        };
        Some(match self {
            Self::ClaudeCode => match here.path("CLAUDE_CONFIG_DIR") {
                Some(directory) => in_directory(directory, ".claude.json"),
                None => ClientPlaces {
                    config: here.home()?.join(".claude.json"),
                    directory: here.home()?.join(".claude"),
                },
            },
            Self::ClaudeDesktop => {
                let directory = here.application_data()?.join("Claude");
                in_directory(directory, "claude_desktop_config.json")
            }
            Self::Codex => {
                let directory = here
                    .path("CODEX_HOME")
                    .or_else(|| Some(here.home()?.join(".codex")))?;
                in_directory(directory, "config.toml")
            }
            Self::VsCode => {
                let directory = visual_studio_code(here)?;
                ClientPlaces {
                    config: directory.join("User/mcp.json"),
                    directory,
                }
            }
            Self::Cursor => in_directory(here.home()?.join(".cursor"), "mcp.json"),
            Self::Zed => in_directory(zed(here)?, "settings.json"),
            Self::GeminiCli => {
                let home = here.path("GEMINI_CLI_HOME").or_else(|| here.home())?;
                in_directory(home.join(".gemini"), "settings.json")
            }
        })
    }
}

fn visual_studio_code(environment: &ClientEnvironment<'_>) -> Option<PathBuf> {
    // The order of lookup in VS Code.
    if let Some(portable) = environment.path("VSCODE_PORTABLE") {
        return Some(portable.join("user-data"));
    }
    let data = environment
        .path("VSCODE_APPDATA")
        .or_else(|| environment.application_data())?;
    Some(data.join("Code"))
}

fn zed(environment: &ClientEnvironment<'_>) -> Option<PathBuf> {
    Some(match environment.platform {
        HostPlatform::Windows => environment.path("APPDATA")?.join("Zed"),
        HostPlatform::MacOs => environment.home()?.join(".config/zed"),
        HostPlatform::Linux => {
            let flatpak = environment.path("FLATPAK_XDG_CONFIG_HOME");
            flatpak.or_else(|| environment.xdg_config())?.join("zed")
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn configs(platform: HostPlatform, variables: &[(&str, &str)]) -> Vec<String> {
        let variable = |name: &str| {
            let found = variables.iter().find(|(key, _)| *key == name);
            found.map(|(_, value)| value.into())
        };
        let environment = ClientEnvironment {
            platform,
            variable: &variable,
        };
        let places = Client::ALL.map(|client| client.places(&environment));
        let config = |places: ClientPlaces| places.config.display().to_string().replace('\\', "/");
        places.into_iter().flatten().map(config).collect()
    }

    #[test]
    fn linux_follows_xdg() {
        let expected = [
            "/h/.claude.json",
            "/h/.config/Claude/claude_desktop_config.json",
            "/h/.codex/config.toml",
            "/h/.config/Code/User/mcp.json",
            "/h/.cursor/mcp.json",
            "/h/.config/zed/settings.json",
            "/h/.gemini/settings.json",
        ];
        assert_eq!(configs(HostPlatform::Linux, &[("HOME", "/h")]), expected);
        let relative = [("HOME", "/h"), ("XDG_CONFIG_HOME", "x")];
        assert_eq!(configs(HostPlatform::Linux, &relative), expected);
        let moved = configs(
            HostPlatform::Linux,
            &[("HOME", "/h"), ("XDG_CONFIG_HOME", "/x")],
        );
        assert_eq!(moved[1], "/x/Claude/claude_desktop_config.json");
        assert_eq!(moved[3], "/x/Code/User/mcp.json");
        assert_eq!(moved[5], "/x/zed/settings.json");
    }

    #[test]
    fn macos_has_application_support() {
        let found = configs(
            HostPlatform::MacOs,
            &[("HOME", "/h"), ("XDG_CONFIG_HOME", "/x")],
        );
        let support = "/h/Library/Application Support";
        assert_eq!(
            found[1],
            format!("{support}/Claude/claude_desktop_config.json")
        );
        assert_eq!(found[3], format!("{support}/Code/User/mcp.json"));
        assert_eq!(found[5], "/h/.config/zed/settings.json");
    }

    #[test]
    fn windows_has_roaming_data() {
        let found = configs(
            HostPlatform::Windows,
            &[("USERPROFILE", "/u"), ("APPDATA", "/r")],
        );
        let expected = [
            "/u/.claude.json",
            "/r/Claude/claude_desktop_config.json",
            "/u/.codex/config.toml",
            "/r/Code/User/mcp.json",
            "/u/.cursor/mcp.json",
            "/r/Zed/settings.json",
            "/u/.gemini/settings.json",
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn variables_of_the_clients_move_their_files() {
        let variables = [
            ("HOME", "/h"),
            ("CLAUDE_CONFIG_DIR", "/c"),
            ("CODEX_HOME", "/x"),
            ("VSCODE_PORTABLE", "/p"),
            ("FLATPAK_XDG_CONFIG_HOME", "/f"),
            ("GEMINI_CLI_HOME", "/g"),
        ];
        let found = configs(HostPlatform::Linux, &variables);
        assert_eq!(found[0], "/c/.claude.json");
        assert_eq!(found[2], "/x/config.toml");
        assert_eq!(found[3], "/p/user-data/User/mcp.json");
        assert_eq!(found[5], "/f/zed/settings.json");
        assert_eq!(found[6], "/g/.gemini/settings.json");
    }

    #[test]
    fn without_a_home_there_is_no_place() {
        assert_eq!(configs(HostPlatform::Linux, &[]), [""; 0]);
    }
}
