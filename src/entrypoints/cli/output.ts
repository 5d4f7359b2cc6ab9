import type { Reporter } from "../../operations/index.js";
import type { ProjectTextOptions, ShownDocument } from "../../output/render/index.js";

export type Format = "text" | "json" | "markdown" | "html";

/** Output of a command, with results on stdout, and progress and messages on stderr. Messages are always text. */
export interface Output extends Reporter {
  readonly format: Format;
  readonly quiet: boolean;
  /** Color and width of results. */
  readonly stdoutText: ProjectTextOptions;
  /** Color and width of messages. */
  readonly stderrText: ProjectTextOptions;
  /** Writes a result with a final line ending. Neutralizes CI runner commands in it. */
  writeResult(text: string): void;
  /** Writes a result byte for byte. */
  writeExact(text: string): void;
  /** Writes a document as JSON to stdout. */
  writeDocument(document: object): void;
  /** Writes a document in the chosen format to stdout. */
  show(document: ShownDocument): void;
  /** Writes part of a long result once the previous part has drained. Returns false if stdout is closed. */
  writePart(text: string): Promise<boolean>;
  /** Writes rendered text to stderr, even with --quiet. */
  writeProblem(rendered: string): void;
  /** Returns this output for another project. Recommended commands then contain that project's options. */
  forProject(project: OutputOptions["project"]): Output;
}

/** Command-line options that affect output. */
export interface OutputOptions {
  readonly format: Format;
  readonly quiet: boolean;
  readonly color: boolean;
  /** Options that choose the project, repeated in recommended commands. */
  readonly project?: { readonly file?: string | undefined; readonly env?: string | undefined };
  /** Whether to write each document as one line. */
  readonly jsonLines?: boolean;
}
