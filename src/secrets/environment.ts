import type { SourceOf } from "./source.js";
import type { SourceEnvironment } from "./source-environment.js";
import { SourceError } from "./source-error.js";

/** The value of an environment variable, byte for byte. */
export function resolveEnvironment(source: SourceOf<"env">, { environment }: SourceEnvironment): string {
  const value = Object.hasOwn(environment, source.name) ? environment[source.name] : undefined;
  if (value !== undefined) return value;
  throw new SourceError("not-set", source, "is not set. Set it, for example from the secrets of your CI.");
}
