#!/usr/bin/env node
// The only file that touches the process. Everything else is given what it may use.
import module from "node:module";

// Compiled code is kept between runs where Node can do that (22.1 and later); older versions simply compile.
const { enableCompileCache } = module as { enableCompileCache?: () => void };
enableCompileCache?.();

const { hostOf } = await import("./host.js");
const { run } = await import("./run.js");

const host = hostOf(process);
process.exitCode = await run(process.argv.slice(2), host);
