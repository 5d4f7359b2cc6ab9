import type { SourceKind, ValueSource } from "../../secrets/index.js";
import type { Base } from "../reading/base.js";
import type { DiagnosticsCollector } from "./diagnostics-collector.js";
import type { ProjectFiles } from "./project-files.js";

/** The context for reading values. */
export interface Reading {
  readonly collector: DiagnosticsCollector;
  readonly files: ProjectFiles;
  /** The chosen environment. */
  readonly environment?: string;
  /** The kinds of sources that the project defines itself, by name. */
  readonly kinds?: ReadonlyMap<string, SourceKind>;
  /** Of an untrusted change: what it may do. */
  readonly base?: Base;
  /** What is read will be judged by rules: those of the policies, and those that hold by default. */
  readonly isJudged?: boolean;
  /** Hears each source that is read. */
  readonly onSource?: (subject: string, source: ValueSource) => void;
  /** See `LoadOptions`. */
  readonly allowedVariables?: ReadonlySet<string>;
}
