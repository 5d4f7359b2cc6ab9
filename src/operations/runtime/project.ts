import type { Diagnostic } from "../../base/diagnostics/index.js";
import { digestValue, normalizeLineEnds } from "../../core/kinds/index.js";
import type { Declaration, Manifest } from "../../core/manifest/index.js";

export interface Project extends Manifest {
  /** Untrusted change that the project was loaded from, if any. */
  readonly untrusted?: UntrustedChange | undefined;
  /** Policy findings about the files. Always set in an `OpenProject`. */
  readonly findings?: readonly Diagnostic[];
}

/** A project whose policies have run, so that it can be planned and applied. */
export interface OpenProject extends Project {
  readonly findings: readonly Diagnostic[];
}

/** An untrusted change and its base. */
export interface UntrustedChange {
  /** Id of the changed commit. */
  readonly head: string;
  /** Id of the base commit. */
  readonly base: string;
  /** Digest of each file that was read. */
  readonly digests: Readonly<Record<string, string>>;
  readonly declarations: readonly Declaration[];
  /** Returns whether the base contains a local file with the same content. */
  readonly existsInBase: (file: string) => Promise<boolean>;
  /** Content of the state file, or "" if there is none. Absent if the state is in another store. */
  readonly state?: string | undefined;
}

/** Returns whether a project has code, which may import from anywhere in the repository. */
export function hasCode({ file, files }: Pick<Manifest, "file" | "files">): boolean {
  return [file, ...files].some((one) => one.endsWith(".ts"));
}

/** Returns a string's digest, ignoring differences in line endings. */
export function digestText(text: string): string {
  return digestValue(normalizeLineEnds(text));
}
