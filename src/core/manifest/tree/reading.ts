import type { SourceFile, SourceRange } from "../../../base/diagnostics/index.js";
import type { SourceKind, ValueSource } from "../../secrets/index.js";
import type { Composition } from "../../templates/index.js";
import type { DiagnosticsCollector } from "./diagnostics-collector.js";
import type { MapNode, Node } from "./node.js";
import type { ProjectFiles } from "./project-files.js";

/** Target branch of an untrusted change. It limits the settings, sources and functions that the change may use. */
export interface BaseManifest {
  /** Name of the base in messages, such as "the base 1f0a4e0a4c8e". */
  readonly name: string;
  /** Tree of the base's files, or undefined if the base has no readable manifest. */
  readonly root?: MapNode | undefined;
  /** Keys of the secret sources that the base uses (see `toSourceKey`). */
  readonly sources: ReadonlySet<string>;
  /** Policy functions that the base uses, by file. */
  readonly functions: ReadonlySet<string>;
}

export interface Templates {
  /**
   * Composes the file that `node` refers to, or `node` itself if it is a body. Returns undefined if the text is not a
   * template.
   *
   * @param variables Values by name. They override the project's variables. If given, the file is always treated as a
   * template.
   */
  find(
    source: SourceFile,
    node: Node,
    variables?: Readonly<Record<string, string>> | undefined,
  ): Composition | undefined;
}

export type CheckState = (
  location: string,
) => { readonly code: string; readonly message: string; readonly hint: string } | undefined;

/** The context for reading values. */
export interface Reading {
  readonly collector: DiagnosticsCollector;
  readonly files: ProjectFiles;
  readonly environment?: string | undefined;
  /** Secret sources that the project defines, by name. */
  readonly kinds?: ReadonlyMap<string, SourceKind>;
  /** The base of an untrusted change. */
  readonly base?: BaseManifest | undefined;
  /** Whether policies and default rules will be checked. */
  readonly isJudged?: boolean;
  /** Template composer, undefined until the settings are read. Until then, no text is a template. */
  readonly templates?: Templates;
  readonly templateBudget?: { left: number };
  /** Names of the variables that templates use. */
  readonly usedVariables?: Set<string>;
  /** Checks a state URL. Returns undefined if it is valid. Messages have no final period. */
  readonly checkState?: CheckState | undefined;
  readonly onSource?: ((subject: string, source: ValueSource) => void) | undefined;
  /** Variables that `!env` may read (see `LoadOptions`). */
  readonly allowedVariables?: ReadonlySet<string> | undefined;
}

/**
 * Runs a project's TypeScript files during the load. The caller of `loadManifest` provides the function, so that
 * projects without TypeScript do not load the runner.
 */
export type OpenDefinitions = (reading: Reading) => Promise<DefinitionReader>;

export interface DefinitionReader {
  /** Runs a file and returns the tree of the equivalent YAML file. Returns undefined if errors were reported. */
  read(file: string, from: SourceRange | undefined): Promise<MapNode | undefined>;
  /** Lists the secret sources defined so far. */
  sources?(): Iterable<SourceKind>;
  /** Lists the modules in the project folder that ran or were imported so far, relative to it. */
  modules?(): readonly string[];
  /** Forgets the files, so that the next load runs them again. Other loads wait for it. */
  close(): void;
}
