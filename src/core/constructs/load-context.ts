import { AsyncLocalStorage } from "node:async_hooks";
import type { SourceKind } from "../secrets/index.js";
import type { Frame } from "./call-site.js";

/** Gives project code access to the current load. All copies of avatarops in the process share it. */
export interface LoadContext {
  readonly environment: string | undefined;
  /** Reads a project file. Errors are reported at the call. */
  readText(path: string, calledAt: readonly Frame[]): string;
  /** Registers a secret source for the project. Errors are reported at the call. */
  defineSource(kind: SourceKind, calledAt: readonly Frame[]): void;
}

/** Returns the current load, or undefined if definitions run outside avatarops, as in unit tests. */
export function getLoadContext(): LoadContext | undefined {
  return shared[current];
}

export function setLoadContext(context: LoadContext | undefined): void {
  shared[current] = context;
}

/**
 * Waits until earlier loads in the process have ended, because loads share the load context and Node's module cache.
 * Returns a function that ends this load.
 *
 * @throws Error if a definition itself starts a load, which would wait forever.
 */
export async function startLoad(): Promise<() => void> {
  shared[queue] ??= { last: Promise.resolve(), definitions: new AsyncLocalStorage() };
  const { last, definitions } = shared[queue];
  if (definitions.getStore()) throw new Error("a definition cannot load a project with TypeScript files");
  let end = () => {};
  shared[queue].last = new Promise((resolve) => {
    end = resolve;
  });
  await last;
  return end;
}

/** Runs a file of the current load. */
export function runDefinition<Result>(run: () => Promise<Result>): Promise<Result> {
  return shared[queue] ? shared[queue].definitions.run(true, run) : run();
}

interface LoadQueue {
  /** Resolves when the last load has ended. */
  last: Promise<void>;
  /** Set while code of a definition runs. */
  readonly definitions: AsyncLocalStorage<true>;
}

const queue: unique symbol = Symbol.for("avatarops.loads") as never;
const current: unique symbol = Symbol.for("avatarops.loading") as never;
const shared = globalThis as { [current]?: LoadContext | undefined; [queue]?: LoadQueue };
