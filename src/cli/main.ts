#!/usr/bin/env node
// The only file that touches the process. Everything else is given what it may use.
import { Console } from "node:console";
import { hostOf } from "./host.js";
import { outliveDefinitions } from "./outlive-definitions.js";
import { run } from "./run.js";

// Stdout is for results, whatever definitions in TypeScript may want to tell.
globalThis.console = new Console(process.stderr, process.stderr);
const end = outliveDefinitions(process);
void run(process.argv.slice(2), hostOf(process)).then((exit) => end(exit));
