import { UsageError } from "../base/diagnostics/index.js";
import { readOnly, type Service } from "../core/api/index.js";
import { findUndeclared } from "../core/engine/index.js";
import { type Kind, kinds, type ListedObject, parseAddress } from "../core/kinds/index.js";
import { isLogicalName, logicalNames, type Manifest, takenNames } from "../core/manifest/index.js";
import type { State } from "../core/state/index.js";
import { makePlan } from "./plan.js";
import { type AccountObject, type AccountObjects, readListed } from "./read-account.js";
import type { Runtime } from "./runtime.js";
import { refuseTaken } from "./state-changes.js";

/*
 * Reads the objects to declare: a named one, or all that no file declares.
 */

/** What an import works on. */
export interface ImportInput {
  readonly runtime: Runtime;
  readonly manifest: Manifest;
  readonly state: State | undefined;
  readonly service: Service;
}

/**
 * Reads the object to declare at an address.
 *
 * @throws UsageError if it does not exist, is already declared, or cannot be declared.
 */
export async function readImported(input: ImportInput, address: string, id: string): Promise<AccountObject> {
  const { runtime, manifest, service } = input;
  const { kind, key } = newAddress(address);
  refuseDeclared(manifest, kind, id);
  refuseTaken({ address, kind, id }, manifest, input.state);
  const reading = { service: readOnly(service), now: runtime.host.now, nameFor: () => key };
  const listed = await listedAs(kind, id, reading.service);
  if (!listed) {
    const advice = kind.read ? "" : " Declare it by hand, and import it without --write.";
    const message = `The account at ${service.baseUrl} shows no ${kind.name} with the id ${id}.${advice}`;
    throw new UsageError("unknown-id", message);
  }
  const { objects, leftOut, unread } = await readListed(kind, [listed], reading);
  const [found] = objects;
  if (!found) throw new UsageError("undeclarable", [...leftOut, ...unread].join(" "));
  refuseSameLabel(input, found);
  for (const sentence of leftOut) runtime.output.warn(sentence);
  return found;
}

/** Reads all objects that no file declares, and names them. */
export async function readUndeclared({
  runtime,
  manifest,
  state,
  service,
}: ImportInput): Promise<AccountObjects> {
  const { plan, observation } = await makePlan(runtime, { manifest, state, service, undeclared: true });
  const undecided = new Map(
    plan.changes.flatMap(({ address, candidates = [] }) =>
      candidates.map(({ id }) => [id, address] as const),
    ),
  );
  const held = new Map(
    Object.entries(state?.objects ?? {}).map(([address, { id }]) => [
      `${address.split(".")[0]} ${id}`,
      address,
    ]),
  );
  const undeclared = findUndeclared(observation, plan.changes);
  const readKinds = () =>
    kinds.map((kind) => {
      const own = undeclared.filter((object) => object.kind === kind.name && !undecided.has(object.id));
      const listing = observation.listings.get(kind.name);
      const newName = logicalNames([...takenNames(manifest, kind), ...keysIn(state, kind)]);
      return readListed(
        kind,
        own.flatMap(({ id }) => listing?.byId.get(id) ?? []),
        {
          ...{ service: readOnly(service), now: runtime.host.now },
          // An object that the state knows by an undeclared address keeps that name.
          nameFor: ({ id, label }) =>
            parseAddress(held.get(`${kind.name} ${id}`) ?? "")?.key ?? newName(label),
        },
      );
    });
  const read = await runtime.output.reading(service, () => Promise.all(readKinds()));
  const unclear = [...undecided].map(
    ([id, address]) => `${id} may be ${address}: run \`avatarops plan\` and resolve that first.`,
  );
  const unstable = kinds
    .filter(({ name }) => observation.listings.get(name)?.unstable)
    .map(({ collection }) => `The list of ${collection} changed while it was read: run the command again.`);
  return {
    objects: read.flatMap(({ objects }) => objects),
    leftOut: [...read.flatMap(({ leftOut }) => leftOut), ...unclear, ...unstable],
    unread: read.flatMap(({ unread }) => unread),
  };
}

function keysIn(state: State | undefined, kind: Kind): string[] {
  return Object.keys(state?.objects ?? {}).flatMap((address) => {
    const parsed = parseAddress(address);
    return parsed?.kind === kind ? [parsed.key] : [];
  });
}

function newAddress(address: string): { kind: Kind; key: string } {
  const parsed = parseAddress(address);
  if (!parsed) {
    const all = kinds.map(({ name }) => name).join(", ");
    throw new UsageError(
      "unknown-address",
      `${JSON.stringify(address)} is not an address: write KIND.NAME, with one of ${all} as KIND.`,
    );
  }
  const { kind, key } = parsed;
  if (!kind.list && !kind.read) {
    const message = `A ${kind.name} cannot be read: declare it under \`${kind.collection}:\` first, and import it without --write.`;
    throw new UsageError("unreadable-kind", message);
  }
  if (!isLogicalName(key)) {
    const rule = "letters, digits, - and _, starting with a letter or digit";
    throw new UsageError("invalid-name", `${JSON.stringify(key)} cannot be a name: use ${rule}.`);
  }
  return parsed;
}

/** Adopted objects have their id in the files. */
function refuseDeclared({ declarations }: Manifest, kind: Kind, id: string): void {
  const declared = declarations.find(
    (declaration) => declaration.kind === kind && declaration.id?.toLowerCase() === id.toLowerCase(),
  );
  if (declared)
    throw new UsageError("already-declared", `${declared.address} is already declared with that id.`);
}

/** The next apply would adopt an object whose exact name is declared but not yet managed. */
function refuseSameLabel({ manifest, state }: ImportInput, { kind, live }: AccountObject): void {
  if (kind.identity !== "created") return;
  const rival = manifest.declarations.find(
    (declaration) =>
      declaration.kind === kind &&
      !state?.objects[declaration.address] &&
      declaration.spec[kind.label] === live.label,
  );
  if (!rival) return;
  const message = `${rival.address} declares the ${kind.label} ${JSON.stringify(live.label)} and is not bound to an object yet. To bind it to this one: \`avatarops import ${rival.address} ${live.id}\`.`;
  throw new UsageError("already-declared", message);
}

/** The object as a list entry; undefined if there is none with this id. */
async function listedAs(kind: Kind, id: string, service: Service): Promise<ListedObject | undefined> {
  const live = await kind.read?.(service, id);
  if (live) return { id, label: live.label, live };
  if (kind.read) return undefined;
  const listing = await kind.list?.read(service, {});
  return listing?.entries.map((entry) => kind.list?.toListed(entry)).find((object) => object?.id === id);
}
