import type { SourceKind, ValueSource } from "../secrets/index.js";
import type { Base } from "./base.js";
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
  /** Hears each source that is read. */
  readonly onSource?: (subject: string, source: ValueSource) => void;
  /** See `LoadOptions`. */
  readonly allowedVariables?: ReadonlySet<string>;
}
