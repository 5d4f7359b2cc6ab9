import { resolveCommand } from "./command.js";
import { resolveEnvironment } from "./environment.js";
import { resolveFile } from "./file.js";
import { Sealed } from "./sealed.js";
import type { SourceOf, ValueSource } from "./source.js";
import type { SourceEnvironment } from "./source-environment.js";
import { SourceError } from "./source-error.js";

type Resolver<From extends ValueSource["from"]> = (
  source: SourceOf<From>,
  environment: SourceEnvironment,
) => string | Promise<string>;

/** The registry of sources: a vault is one more line. */
const resolvers: { readonly [From in ValueSource["from"]]: Resolver<From> } = {
  env: resolveEnvironment,
  file: resolveFile,
  exec: resolveCommand,
};

/**
 * Resolves a source. Values from files and commands lose one final newline, which editors and programs add;
 * values of environment variables are used byte for byte, because whoever sets one chooses its bytes. A value
 * of white space only counts as empty.
 *
 * @throws SourceError if there is no value.
 */
export async function resolve(source: ValueSource, environment: SourceEnvironment): Promise<Sealed> {
  if (environment.signal?.aborted)
    throw new SourceError("cancelled", source, "was not resolved because the run was cancelled.");
  const { only } = environment;
  if (only && !(source.from === "env" && only.has(source.name)))
    throw new SourceError("not-allowed", source, "is not used, because the change is untrusted.");
  const resolver = resolvers[source.from] as Resolver<ValueSource["from"]>;
  const value = await resolver(source, environment);
  if (value.trim() !== "") return new Sealed(value);
  const hint =
    source.from === "env" ? " CI systems pass an empty text for a secret that does not exist." : "";
  throw new SourceError("empty", source, `is empty. Give it a value.${hint}`);
}
