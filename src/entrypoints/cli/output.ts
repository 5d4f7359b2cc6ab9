import type { Reporter } from "../../operations/index.js";
import type { ProjectTextOptions, ShownDocument } from "../../output/render/index.js";

export type Format = "text" | "json" | "markdown" | "html";

/**
 * The output of a command: results on stdout, progress and messages on stderr. JSON and Markdown are results;
 * messages are always text.
 */
export interface Output extends Reporter {
  readonly format: Format;
  readonly quiet: boolean;
  /** Colour and width of results. */
  readonly stdoutText: ProjectTextOptions;
  /** Colour and width of messages. */
  readonly stderrText: ProjectTextOptions;
  /** Writes a result that ends with a line end and without commands to a CI runner. */
  result(text: string): void;
  /** Writes a result byte for byte. */
  exact(text: string): void;
  /** Writes a document as JSON, as a result. */
  document(document: object): void;
  /** Writes a document in the chosen format, as a result. */
  show(document: ShownDocument): void;
  /** Writes a part of a long result, once its reader has taken the one before. False: nobody reads it any more. */
  part(text: string): Promise<boolean>;
  /** Writes rendered text to stderr, even with --quiet. */
  problem(rendered: string): void;
  /** The same output, with other options in recommended commands. */
  forProject(project: OutputOptions["project"]): Output;
}

/** The options of a command line that affect its output. */
export interface OutputOptions {
  readonly format: Format;
  readonly quiet: boolean;
  readonly color: boolean;
  /** The options that choose the project: recommended commands repeat them. */
  readonly project?: { readonly file?: string | undefined; readonly env?: string | undefined };
  /** One line for each document. */
  readonly jsonLines?: boolean;
}
