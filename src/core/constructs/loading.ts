import type { SourceKind } from "../secrets/index.js";
import type { Frame } from "./call-site.js";

/** What the files of a project can access while they run. Shared by all copies of avatarops in this process. */
export interface Loading {
  readonly environment: string | undefined;
  /** The text of a project file; errors are reported at the place of the call. */
  readText(path: string, calledAt: readonly Frame[]): string;
  /** Makes a kind of source known to the project; errors are reported at the place of the call. */
  defineSource(kind: SourceKind, calledAt: readonly Frame[]): void;
}

/** The current load; none if definitions run on their own, as in unit tests. */
export function currentLoading(): Loading | undefined {
  return shared[current];
}

/** Makes it the current load; returns a function that ends it. */
export function setLoading(loading: Loading | undefined): void {
  shared[current] = loading;
}

const current: unique symbol = Symbol.for("avatarops.loading") as never;
const shared = globalThis as { [current]?: Loading | undefined };
