import { ignoreGitFailure } from "../../base/git/index.js";
import { areValuesEqual, digestValue, normalizeForComparison } from "../../core/kinds/index.js";
import type { Declaration, Manifest } from "../../core/manifest/index.js";
import type { Runtime } from "../runtime/runtime.js";

/** A field of a declared object. */
interface DeclaredField {
  readonly declaration: Declaration;
  readonly field: string;
}

/** Finds the fields whose declared value is not in the checked-out commit. If git fails, returns all fields. */
export async function findUncommitted<Field extends DeclaredField>(
  { host, signal }: Runtime,
  { root, file, environment }: Manifest,
  fields: readonly Field[],
): Promise<readonly Field[] | "no-repository"> {
  if (fields.length === 0) return [];
  const { findDeclared, findRepository } = await import("../../core/history/index.js");
  try {
    const git = await findRepository(root, { environment: host.environment, signal });
    const commit = await git?.readHead();
    if (!git) return "no-repository";
    if (commit === undefined) return fields;
    const wanted = fields.map((field) => {
      const { address, kind, spec } = field.declaration;
      const facts = kind.fields[field.field];
      if (!facts) throw new Error(`Bug: ${address} has no field ${field.field}`);
      const value = spec[field.field];
      return {
        ...{ field, address },
        matches: (committed: Declaration | undefined) =>
          committed !== undefined && areValuesEqual(facts, committed.spec[field.field], value),
        text: { field: facts, digest: digestValue(normalizeForComparison(facts, value)) },
      };
    });
    const committed = await findDeclared(git, { commit, folder: git.prefix, file, environment }, wanted);
    return wanted.filter((one) => !committed.includes(one)).map(({ field }) => field);
  } catch (error) {
    ignoreGitFailure(error);
    return fields;
  }
}
