import { actionFacts, kinds, listReferenceFields } from "../kinds/index.js";
import { type Declaration, findDeclaration, type Manifest } from "../manifest/index.js";
import type { State } from "../state/index.js";
import type { ApplyContext } from "./apply-context.js";
import type { Change } from "./plan-types.js";
import type { TrackedDeclaration } from "./tracked-declaration.js";

/*
 * References between declared objects. The files contain addresses, but the service needs ids, so referenced objects are
 * planned first. If one gets a new id, the objects that refer to it are rewritten in the same apply.
 */

/** Sorts declarations so that referenced objects come first. References between kinds never form a cycle. */
export function sortByReferences(tracked: readonly TrackedDeclaration[]): TrackedDeclaration[] {
  const byAddress = new Map(tracked.map((declared) => [declared.declaration.address, declared]));
  const ordered = new Set<TrackedDeclaration>();
  const visit = (declared: TrackedDeclaration, within: ReadonlySet<TrackedDeclaration>): void => {
    if (ordered.has(declared)) return;
    if (within.has(declared)) throw new Error(`Bug: ${declared.declaration.address} refers to itself`);
    for (const address of Object.values(declared.declaration.references ?? {})) {
      const used = byAddress.get(address);
      if (used) visit(used, new Set([...within, declared]));
    }
    ordered.add(declared);
  };
  for (const declared of tracked) visit(declared, new Set());
  return [...ordered];
}

/** Replaces referenced addresses with ids, except ids that are not known before the apply. */
export function resolveReferences(
  declaration: Declaration,
  manifest: Manifest,
  state: State | undefined,
  decided: ReadonlyMap<string, Change>,
): Declaration {
  if (!declaration.references) return declaration;
  const { references: _, ...rest } = declaration;
  const values: Record<string, Declaration["spec"][string]> = { ...declaration.spec };
  const unknown: Record<string, string> = {};
  for (const [field, address] of Object.entries(declaration.references)) {
    const id = findKnownId(address, manifest, state, decided);
    if (id === undefined) unknown[field] = address;
    else values[field] = id;
  }
  const names = Object.keys(declaration.kind.fields).filter((name) => values[name] !== undefined);
  const spec = Object.fromEntries(names.map((name) => [name, values[name] as Declaration["spec"][string]]));
  return { ...rest, spec, ...(Object.keys(unknown).length > 0 && { references: unknown }) };
}

function findKnownId(
  address: string,
  manifest: Manifest,
  state: State | undefined,
  decided: ReadonlyMap<string, Change>,
): string | undefined {
  const change = decided.get(address);
  if (!change) return findCurrentId(address, manifest, state);
  return actionFacts[change.action].sends === "create" ? undefined : change.id;
}

/** Returns an object's id from its declaration, or else from the state. */
function findCurrentId(address: string, manifest: Manifest, state: State | undefined): string | undefined {
  return findDeclaration(manifest, address)?.id ?? state?.objects[address]?.id;
}

/** Fills in the ids of objects that this apply created. */
export function withReferences(
  { manifest, session }: Pick<ApplyContext, "manifest" | "session">,
  change: Change,
): { readonly change: Change } | { readonly missing: string } {
  if (!change.references) return { change };
  const wanted: Record<string, NonNullable<Change["wanted"]>[string]> = { ...change.wanted };
  for (const [field, address] of Object.entries(change.references)) {
    const id = findCurrentId(address, manifest, session.state);
    if (id === undefined) return { missing: address };
    wanted[field] = id;
  }
  return { change: { ...change, wanted } };
}

/** Returns, for each address, the objects that referred to it at the last apply. Their changes must come first. */
export function findPreviousDependents(
  state: State | undefined,
  changes: readonly Change[],
): ReadonlyMap<string, readonly string[]> {
  const fieldsByKind = new Map(kinds.map((kind) => [kind.name, listReferenceFields(kind)]));
  if ([...fieldsByKind.values()].every(({ length }) => length === 0)) return new Map();
  const byId = new Map(changes.flatMap(({ kind, id, address }) => (id ? [[`${kind} ${id}`, address]] : [])));
  const users = new Map<string, string[]>();
  for (const { address, kind } of changes) {
    const applied = state?.objects[address]?.applied ?? {};
    for (const [field, target] of fieldsByKind.get(kind) ?? []) {
      const used = byId.get(`${target} ${applied[field]}`);
      if (used === undefined) continue;
      const known = users.get(used);
      if (known) known.push(address);
      else users.set(used, [address]);
    }
  }
  return users;
}
