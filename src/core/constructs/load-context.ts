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

const current: unique symbol = Symbol.for("avatarops.loading") as never;
const shared = globalThis as { [current]?: LoadContext | undefined };
