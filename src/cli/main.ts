#!/usr/bin/env node
// The only file that touches the process. Everything else is given what it may use.
import { Console } from "node:console";
import module from "node:module";

// Compiled code is kept between runs where Node can do that (22.1 and later); older versions simply compile.
const { enableCompileCache } = module as { enableCompileCache?: () => void };
enableCompileCache?.();

const { hostOf } = await import("./host.js");
const { run } = await import("./run.js");
const { outliveDefinitions } = await import("./outlive-definitions.js");

// Stdout is for results, whatever definitions in TypeScript may want to tell.
globalThis.console = new Console(process.stderr, process.stderr);
const end = outliveDefinitions(process);
end(await run(process.argv.slice(2), hostOf(process)));
