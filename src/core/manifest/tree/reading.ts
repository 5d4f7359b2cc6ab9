import type { SourceFile, SourceRange } from "../../../base/diagnostics/index.js";
import type { SourceKind, ValueSource } from "../../secrets/index.js";
import type { Composition } from "../../templates/index.js";
import type { DiagnosticsCollector } from "./diagnostics-collector.js";
import type { MapNode, Node } from "./node.js";
import type { ProjectFiles } from "./project-files.js";

/** What the files of the base allow an untrusted change. */
export interface Base {
  /** For messages: "the base 1f0a4e0a4c8e". */
  readonly name: string;
  /** The tree of its files; undefined if it has no manifest, or one that cannot be read. */
  readonly root?: MapNode | undefined;
  /** The sources that its files name: see `sourceKey`. */
  readonly sources: ReadonlySet<string>;
  /** The files that it names as functions of the policies. */
  readonly functions: ReadonlySet<string>;
}

/** The texts that are made of partials and variables. */
export interface Templates {
  /**
   * That of a file, which `node` names, or of the body of one, which it is; undefined if it is no template.
   *
   * @param variables values over those of the project, by name: with them it is a template.
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
  /** The kinds of sources that the project defines itself, by name. */
  readonly kinds?: ReadonlyMap<string, SourceKind>;
  /** What an untrusted change may do. */
  readonly base?: Base | undefined;
  /** What is read will be judged by rules: those of the policies, and those that hold by default. */
  readonly isJudged?: boolean;
  /** Absent where no settings have been read: then no text is a template. */
  readonly templates?: Templates;
  readonly templateBudget?: { left: number };
  /** Gets the names of those that templates use. */
  readonly usedVariables?: Set<string>;
  readonly onSource?: ((subject: string, source: ValueSource) => void) | undefined;
  /** See `LoadOptions`. */
  readonly allowedVariables?: ReadonlySet<string> | undefined;
}

/**
 * Runs the TypeScript files of a project while it is loaded. The caller of `loadManifest` provides it: this
 * room only reads text, and projects without such files do not load what runs them.
 */
export type OpenDefinitions = (reading: Reading) => Promise<Definitions>;

export interface Definitions {
  /** The declarations of a file, as the tree of an equivalent YAML file; undefined if something was reported. */
  read(file: string, from: SourceRange | undefined): Promise<MapNode | undefined>;
  /** The kinds of sources that the files have defined so far. */
  sources?(): Iterable<SourceKind>;
  /** Forgets the files that ran: the next load runs them again. */
  close(): void;
}
