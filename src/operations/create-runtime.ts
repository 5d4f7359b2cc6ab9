import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import path from "node:path";
import { version } from "../base/version/index.js";
import {
  type OperationHost,
  type OperationOptions,
  quietReporter,
  type Reporter,
  type Runtime,
} from "./runtime.js";

/** What a program gives that runs operations itself. */
export interface RuntimeInput {
  /** The folder of the project. */
  readonly cwd: string;
  /** Where `!env` and all settings of the environment are read, such as `process.env`. */
  readonly environment: OperationHost["environment"];
  readonly options?: OperationOptions;
  /** Default: nobody hears of anything. */
  readonly output?: Partial<Reporter>;
  /** Once it aborts, nothing new is begun; what is under way is finished and recorded. */
  readonly signal?: AbortSignal;
}

/** A runtime for a program that embeds avatarops. Operations in it write nowhere but to what they are about. */
export function createRuntime(input: RuntimeInput): Runtime {
  const { environment, options = {}, output = {}, signal = new AbortController().signal } = input;
  const cwd = path.resolve(input.cwd);
  return {
    host: {
      ...{ cwd, environment, version },
      pid: process.pid,
      hostname: hostname(),
      resolve: (named) => path.resolve(cwd, named),
      now: Date.now,
      newId: randomUUID,
    },
    output: { ...quietReporter(), ...output },
    ...{ options, signal },
    opened: {},
    finishing: (work) => work(),
    releasing: (work) => work(),
  };
}

/** Ends what the operations of a runtime have kept open, such as connections to a vault. Call it when they are done. */
export async function closeRuntime({ opened }: Runtime): Promise<void> {
  await opened.sources?.close();
}
