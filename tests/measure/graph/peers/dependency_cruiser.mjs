// Prints the edges that dependency-cruiser finds below the current directory, and the files that
// it looked at: `from` TAB `to`. Arguments: the folder that it is installed in, the configuration of
// TypeScript where there is one, and conditions of `exports` beside the usual ones.
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [installed, config, ...conditions] = process.argv.slice(2);
const folder = resolve(installed, "node_modules/dependency-cruiser/src");
const load = (file) => import(pathToFileURL(join(folder, file)));
const { cruise } = await load("main/index.mjs");
const { default: extractTSConfig } = await load("config-utl/extract-ts-config.mjs");

const options = {
  doNotFollow: { path: "node_modules" },
  exclude: { path: "node_modules" },
  tsPreCompilationDeps: true,
  // Types in comments are no imports here.
  detectJSDocImports: false,
  enhancedResolveOptions: {
    exportsFields: ["exports"],
    conditionNames: [...conditions, "types", "import", "require", "node", "default"],
  },
  ...(config && existsSync(config) ? { ruleSet: { options: { tsConfig: { fileName: config } } } } : {}),
};
const tsConfig = config && existsSync(config) ? extractTSConfig(config) : undefined;
const { output } = await cruise(["."], options, {}, { tsConfig });
for (const module of output.modules) {
  if (module.coreModule || module.couldNotResolve || !existsSync(module.source)) continue;
  console.log(module.source);
  for (const to of module.dependencies) {
    if (!to.couldNotResolve && !to.coreModule && existsSync(to.resolved)) {
      console.log(`${module.source}\t${to.resolved}`);
    }
  }
}
