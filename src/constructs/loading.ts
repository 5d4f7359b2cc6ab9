import type { Frame } from "./call-site.js";

/** What the files of a project may ask while they run. All copies of avatarops in this process share it. */
export interface Loading {
  /** The chosen environment. */
  readonly environment: string | undefined;
  /** The text of a file of the project; what is wrong is reported at the place of the call. */
  readText(path: string, calledAt: readonly Frame[]): string;
}

/** The loading that is under way; none where definitions run by themselves, as in unit tests. */
export function currentLoading(): Loading | undefined {
  return world[current];
}

/** Makes it the one that is under way, until it is said what is. */
export function setLoading(loading: Loading | undefined): void {
  world[current] = loading;
}

const current: unique symbol = Symbol.for("avatarops.loading") as never;
const world = globalThis as { [current]?: Loading | undefined };
