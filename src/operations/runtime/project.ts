import type { Diagnostic } from "../../base/diagnostics/index.js";
import { digestValue, withLineFeeds } from "../../core/kinds/index.js";
import type { Declaration, Manifest } from "../../core/manifest/index.js";

/** A project to plan. */
export interface Project extends Manifest {
  /** Given for an untrusted change. */
  readonly untrusted?: UntrustedChange | undefined;
  /** What its policies say of the files: see `OpenProject`. */
  readonly findings?: readonly Diagnostic[];
}

/** A project whose policies have judged its files, so that it can be planned and applied. */
export interface OpenProject extends Project {
  readonly findings: readonly Diagnostic[];
}

/** What the base of an untrusted change says. */
export interface UntrustedChange {
  /** The id of the commit of the change. */
  readonly head: string;
  /** The id of the base's commit. */
  readonly base: string;
  /** Digests of the texts of the files that were read, by file. */
  readonly digests: Readonly<Record<string, string>>;
  readonly declarations: readonly Declaration[];
  /** Whether the base has this file as it is in the folder. */
  readonly isOfBase: (file: string) => Promise<boolean>;
  /** The text of a state in a file, "" if there is none. Absent: the state is elsewhere. */
  readonly state?: string | undefined;
}

/** Whether code makes a project, which may import from anywhere in the repository. */
export function hasCode({ file, files }: Pick<Manifest, "file" | "files">): boolean {
  return [file, ...files].some((one) => one.endsWith(".ts"));
}

/** The digest of a file's text; line ends do not count, as everywhere. */
export function digestText(text: string): string {
  return digestValue(withLineFeeds(text));
}
