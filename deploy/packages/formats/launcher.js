#!/usr/bin/env node
// Runs the program for this machine, from the package that npm has chosen for it.
"use strict";

const { spawn } = require("node:child_process");

const platform = `${process.platform}-${process.arch}`;
const name = `${require("../package.json").name}-${platform}`;

let program;
try {
  program = require.resolve(`${name}/bin/docent`);
} catch {
  console.error(
    `docent: there is no package \`${name}\` beside this one; expected linux-x64 or linux-arm64, ` +
      "installed with optional dependencies (npm: without --omit=optional)",
  );
  process.exit(2);
}

const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => child.kill(signal));
}
child.on("error", (error) => {
  console.error(`docent: \`${program}\` cannot be run: ${error.message}`);
  process.exit(2);
});
child.on("exit", (code, signal) => {
  if (signal === null) process.exit(code);
  // What ended the program ends this one, too.
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
