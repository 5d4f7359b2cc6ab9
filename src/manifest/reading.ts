import type { DiagnosticsCollector } from "./diagnostics-collector.js";
import type { ProjectFiles } from "./project-files.js";

/** The context for reading values. */
export interface Reading {
  readonly collector: DiagnosticsCollector;
  readonly files: ProjectFiles;
  /** The chosen environment. */
  readonly environment?: string;
  /** See `LoadOptions`. */
  readonly allowedVariables?: ReadonlySet<string>;
}
