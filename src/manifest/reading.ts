import type { DiagnosticsCollector } from "./diagnostics-collector.js";
import type { ProjectFiles } from "./project-files.js";

/** What reading values needs. */
export interface Reading {
  readonly collector: DiagnosticsCollector;
  readonly files: ProjectFiles;
  /** The chosen environment. */
  readonly environment?: string;
  /** See `LoadOptions`. */
  readonly allowedVariables?: ReadonlySet<string>;
}
