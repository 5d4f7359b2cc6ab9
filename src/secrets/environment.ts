import type { SourceWorld } from "./resolve.js";
import type { ValueSource } from "./source.js";
import { SourceError } from "./source-error.js";

/** The value of an environment variable, byte for byte. */
export function fromEnvironment(
  { name }: Extract<ValueSource, { from: "env" }>,
  { environment }: SourceWorld,
): string {
  const value = environment[name];
  const source = `environment variable ${name}`;
  if (value === undefined)
    throw new SourceError(
      "not-set",
      source,
      `The ${source} is not set: set it, e.g. from the secrets of your CI.`,
    );
  if (value.trim() === "")
    throw new SourceError(
      "empty",
      source,
      `The ${source} is empty: CI systems give an empty text for a secret that does not exist.`,
    );
  return value;
}
