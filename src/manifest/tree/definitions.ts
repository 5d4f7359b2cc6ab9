import type { SourceRange } from "../../diagnostics/index.js";
import type { SourceKind } from "../../secrets/index.js";
import type { MapNode } from "./node.js";
import type { Reading } from "./reading.js";

/**
 * Runs the TypeScript files of a project while it is loaded. The caller of `loadManifest` provides it: this
 * room only reads text, and projects without such files do not load what runs them.
 */
export type OpenDefinitions = (reading: Reading) => Promise<Definitions>;

/** The TypeScript files of one project. */
export interface Definitions {
  /**
   * The declarations of a file, as the tree of an equivalent YAML file; undefined if something was reported.
   */
  read(file: string, from: SourceRange | undefined): Promise<MapNode | undefined>;
  /** The kinds of sources that the files have defined so far. */
  sources?(): Iterable<SourceKind>;
  /** Forgets the files that ran: the next load runs them again. */
  close(): void;
}
