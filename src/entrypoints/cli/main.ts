#!/usr/bin/env node
// The only file that touches the process. Other code receives a host.
import { Console } from "node:console";
import { exitCode } from "./exit-code.js";
import { guardProcess } from "./guard-process.js";
import { createHost, hasFolder } from "./host.js";
import { run } from "./run.js";

// Stdout is reserved for results, even if TypeScript definitions print (see `createHost`).
globalThis.console = new Console(process.stderr, process.stderr);
const { end, takeBackgroundFailure } = guardProcess(process);
if (hasFolder(process)) {
  const host = { ...createHost(process), takeBackgroundFailure };
  void run(process.argv.slice(2), host).then(end);
} else end(exitCode.failed);
