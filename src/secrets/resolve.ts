import { fromCommand } from "./command.js";
import { fromEnvironment } from "./environment.js";
import { fromFile } from "./file.js";
import { Sealed } from "./sealed.js";
import type { ValueSource } from "./source.js";

/** Where sources are looked up. */
export interface SourceWorld {
  /** Absolute path of the project folder. */
  readonly root: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal;
}

type Resolver<From extends ValueSource["from"]> = (
  source: Extract<ValueSource, { from: From }>,
  world: SourceWorld,
) => Promise<string> | string;

/** One resolver for each `from`: a vault is one more line here, and one more shape of {@link ValueSource}. */
const resolvers: { readonly [From in ValueSource["from"]]: Resolver<From> } = {
  env: fromEnvironment,
  file: fromFile,
  exec: fromCommand,
};

/**
 * Takes the value from its source.
 *
 * @throws SourceError when it is not to be had.
 */
export async function resolve(source: ValueSource, world: SourceWorld): Promise<Sealed> {
  const resolver = resolvers[source.from] as Resolver<ValueSource["from"]>;
  return new Sealed(await resolver(source, world));
}

/** The source in words: "environment variable LLM_API_KEY", "file secrets/key.txt", "command op read". */
export function describe(source: ValueSource): string {
  switch (source.from) {
    case "env":
      return `environment variable ${source.name}`;
    case "file":
      return `file ${source.path}`;
    case "exec":
      return `command ${source.command.join(" ")}`;
  }
}
