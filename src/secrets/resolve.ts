import { resolveCommand } from "./command.js";
import { resolveEnvironment } from "./environment.js";
import { resolveFile } from "./file.js";
import { Sealed } from "./sealed.js";
import type { SourceOf, ValueSource } from "./source.js";
import type { SourceEnvironment } from "./source-environment.js";
import { SourceError } from "./source-error.js";

type Resolver<From extends ValueSource["from"]> = (
  source: SourceOf<From>,
  world: SourceEnvironment,
) => string | Promise<string>;

/** The door for every source: a vault is one more line. */
const resolvers: { readonly [From in ValueSource["from"]]: Resolver<From> } = {
  env: resolveEnvironment,
  file: resolveFile,
  exec: resolveCommand,
};

/**
 * Looks a value up. Files and commands lose one final newline, which editors and programs add; the value of an
 * environment variable is kept to the byte, because who sets one chooses its bytes. Nothing but white space is no
 * value.
 *
 * @throws SourceError where there is none.
 */
export async function resolve(source: ValueSource, world: SourceEnvironment): Promise<Sealed> {
  if (world.signal?.aborted)
    throw new SourceError("cancelled", source, "was not looked up: it was cancelled.");
  const resolver = resolvers[source.from] as Resolver<ValueSource["from"]>;
  const value = await resolver(source, world);
  if (value.trim() !== "") return new Sealed(value);
  const hint =
    source.from === "env" ? " CI systems give an empty text for a secret that does not exist." : "";
  throw new SourceError("empty", source, `holds nothing. Give it a value.${hint}`);
}
