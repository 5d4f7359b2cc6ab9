import * as z from "zod";
import type { DeepReadonly } from "../../base/text/index.js";

const optional = z.exactOptional(z.string());

/** Commit id, safe as a git argument. */
export const gitCommit = z.string().regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/);

const actor = z.object({
  /** User name in CI or on the machine. Never an email address. */
  user: optional,
  host: optional,
  /** Name of the CI system. */
  ci: optional,
  /** CI job URL. */
  run: optional,
});

/** User and machine that ran the command. All fields are untrusted text. */
export type Actor = DeepReadonly<z.infer<typeof actor>>;

const definitions = z.object({
  commit: gitCommit,
  /** Whether the files differ from the commit. */
  modified: z.boolean(),
  /** Project folder in the repository ("" for the root). */
  folder: z.string(),
  /** Main file, relative to the project folder. */
  file: z.string(),
  environment: optional,
});

/** Location of the applied files in git. */
export type RecordedDefinitions = DeepReadonly<z.infer<typeof definitions>>;

/** Schema of who ran a command, and of the files that it applied. */
export const runFacts = z.object({
  by: actor,
  /** Applied files in git. Omitted outside a repository. */
  definitions: z.exactOptional(definitions),
});

export type RunFacts = DeepReadonly<z.infer<typeof runFacts>>;
