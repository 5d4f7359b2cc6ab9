import type { SourceRange } from "../diagnostics/index.js";
import type { MapNode } from "./node.js";
import type { Reading } from "./reading.js";

/**
 * Runs the TypeScript files of a project while it is loaded. Whoever loads a manifest gives it, since a room that reads
 * text runs none, and since who has no such file should not pay for what runs them.
 */
export type OpenDefinitions = (reading: Reading) => Promise<Definitions>;

/** The TypeScript files of one project. */
export interface Definitions {
  /** What a file declares, as the tree of a YAML file that says the same; undefined where something was reported. */
  read(file: string, from: SourceRange | undefined): Promise<MapNode | undefined>;
  /** Forgets the files that ran: the next loading runs them anew. */
  close(): void;
}
