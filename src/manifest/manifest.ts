import type { SourceRange } from "../diagnostics/index.js";
import type { Kind, Spec } from "../kinds/index.js";
import type { ValueSource } from "../secrets/index.js";
import type { ValueSettings } from "./value-settings.js";

/** The desired state, whole and free of errors, and where each word of it stands. */
export interface Manifest {
  /** Absolute path of the project folder: that of the main file. */
  readonly root: string;
  /** The main file, relative to the root. */
  readonly file: string;
  /** Every file read, relative to the root, in the order of reading. */
  readonly files: readonly string[];
  /** The patterns of all `include`s, relative to the root, each with those that take files out of it again. */
  readonly includes: readonly { readonly pattern: string; readonly except: readonly string[] }[];
  /** The chosen environment. */
  readonly environment?: string;
  readonly service: ServiceSettings;
  /** The state file, relative to the root. */
  readonly state: string;
  /** What apply does with edits made elsewhere. */
  readonly drift: "refuse" | "overwrite";
  /** Mixed into secret fingerprints, so that the state alone does not allow guessing. */
  readonly fingerprintKey?: ValueSource;
  /** In the order of kinds, then as declared. */
  readonly declarations: readonly Declaration[];
  readonly presets: readonly Preset[];
}

/** A setting: written out, or taken from a source when it is needed. */
export type Setting = { readonly literal: string } | ValueSource;

/** How to reach the service, and what it knows beyond the document. */
export interface ServiceSettings extends ValueSettings {
  /** Default: the environment variable AVATAROPS_BASE_URL. */
  readonly baseUrl: Setting;
  /** Default: the environment variable AVATAROPS_API_KEY. */
  readonly apiKey: ValueSource;
  /** Default: 100 and 1000. */
  readonly successCodes?: readonly number[];
  /** The avatar sandbox sessions use (§8). */
  readonly sandboxAvatar?: string;
  readonly concurrency?: number;
  readonly requestsPerSecond?: number;
  readonly timeoutMs?: number;
}

/** One object as declared. */
export interface Declaration {
  /** `kind.key` */
  readonly address: string;
  readonly kind: Kind;
  readonly key: string;
  /** Of kinds whose identity is given. */
  readonly id?: string;
  /** The declared readable fields; a field that is not declared is not in it. */
  readonly spec: Spec;
  /** The sources of the write-only fields. */
  readonly sources: Readonly<Record<string, ValueSource>>;
  /** Where it is declared: its key. */
  readonly range: SourceRange;
  /** Where each declared field's text stands, for `pull`. */
  readonly origins: Readonly<Record<string, Origin>>;
}

/** Where a value stands in the files. */
export type Origin =
  /** A node of a YAML file, by its path of keys. */
  | { readonly at: "yaml"; readonly file: string; readonly path: readonly (string | number)[] }
  /** A key of a Markdown file's front matter. */
  | { readonly at: "front-matter"; readonly file: string; readonly path: readonly (string | number)[] }
  /** The body of a Markdown file. */
  | { readonly at: "body"; readonly file: string }
  /** The whole of a text file named with `!file`. */
  | { readonly at: "file"; readonly file: string }
  /** A literal in code, which is run and not edited. */
  | {
      readonly at: "typescript";
      readonly file: string;
      readonly path: readonly (string | number)[];
      readonly range: SourceRange;
    }
  /** Implied (a name taken from a file name); cannot be written back. */
  | { readonly at: "implied"; readonly file: string };

/** A preset of `avatarops token`: the body of §4.5, with references for ids. */
export interface Preset {
  readonly key: string;
  /** As the service spells it; ids that are references are not in it yet. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Which address gives the id at which path of the body, e.g. `["avatar_persona", "voice_id"]`. */
  readonly references: readonly { readonly path: readonly string[]; readonly address: string }[];
  readonly range: SourceRange;
}
