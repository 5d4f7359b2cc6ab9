import type { SourceFile, SourceRange } from "../../../base/diagnostics/index.js";
import type { SourceKind, ValueSource } from "../../secrets/index.js";
import type { Composition } from "../../templates/index.js";
import type { DiagnosticsCollector } from "./diagnostics-collector.js";
import type { MapNode, Node } from "./node.js";
import type { ProjectFiles } from "./project-files.js";

/** The target branch of an untrusted change, which limits its settings, sources and functions. */
export interface Base {
  /** The base in messages: "the base 1f0a4e0a4c8e". */
  readonly name: string;
  /** The tree of its files; undefined without a readable manifest. */
  readonly root?: MapNode | undefined;
  /** Keys of its sources; see `toSourceKey`. */
  readonly sources: ReadonlySet<string>;
  /** Files of its policy functions. */
  readonly functions: ReadonlySet<string>;
}

export interface Templates {
  /**
   * Composes a file that `node` names, or the body that `node` is; undefined if it is not a template.
   *
   * @param variables Values that override the project's, by name. A file with them is a template.
   */
  find(
    source: SourceFile,
    node: Node,
    variables?: Readonly<Record<string, string>> | undefined,
  ): Composition | undefined;
}

/** The context for reading values. */
export interface Reading {
  readonly collector: DiagnosticsCollector;
  readonly files: ProjectFiles;
  readonly environment?: string | undefined;
  /** The kinds of sources that the project defines, by name. */
  readonly kinds?: ReadonlyMap<string, SourceKind>;
  /** The base of an untrusted change. */
  readonly base?: Base | undefined;
  /** Whether policies and default rules will be checked. */
  readonly isJudged?: boolean;
  /** Absent before the settings are read; then no text is a template. */
  readonly templates?: Templates;
  readonly templateBudget?: { left: number };
  /** Collects the names of variables that templates use. */
  readonly usedVariables?: Set<string>;
  readonly onSource?: ((subject: string, source: ValueSource) => void) | undefined;
  /** See `LoadOptions`. */
  readonly allowedVariables?: ReadonlySet<string> | undefined;
}

/**
 * Runs the TypeScript files of a project during the load. The caller of `loadManifest` provides it, so that projects
 * without such files do not load the runner.
 */
export type OpenDefinitions = (reading: Reading) => Promise<DefinitionReader>;

export interface DefinitionReader {
  /** Reads a file into the tree of an equivalent YAML file; undefined if errors were reported. */
  read(file: string, from: SourceRange | undefined): Promise<MapNode | undefined>;
  /** Lists the kinds of sources defined so far. */
  sources?(): Iterable<SourceKind>;
  /** Forgets the files, so that the next load runs them again. */
  close(): void;
}
