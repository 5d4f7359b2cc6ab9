import { rm } from "node:fs/promises";
import path from "node:path";
import { UsageError } from "../../../base/diagnostics/index.js";
import { writeInside } from "../../../base/files/index.js";
import { openService, type Service } from "../../../core/api/index.js";
import { toStoredSpec } from "../../../core/engine/index.js";
import type { Spec } from "../../../core/kinds/index.js";
import type { Declaration } from "../../../core/manifest/index.js";
import type { StateEntry } from "../../../core/state/index.js";
import { type Dataset, type Emulator, generateDataset } from "../../../emulator/index.js";
import {
  emulatorStateFolder,
  type Project,
  type Runtime,
  readState,
  stateVariable,
  withLock,
} from "../../../operations/index.js";

/**
 * Copies a project's objects into an empty emulator, with their ids and placeholders for secrets. Writes a second state
 * for the copies, so the project's own state and account stay unchanged.
 *
 * @returns additional environment variables for commands, each preceded by a space.
 * @throws UsageError for a stock object that the emulator lacks, LeadsOutsideError.
 */
export async function copyProject(runtime: Runtime, project: Project, emulator: Emulator): Promise<string> {
  const { objects: known = {}, fingerprintKey } = (await readState(runtime, project)) ?? {};
  const service = openService({
    baseUrl: emulator.url,
    apiKey: "test-key",
    system: runtime.host,
  });
  const ids = new Map<string, string>();
  const objects: Record<string, StateEntry> = {};
  try {
    // Referenced objects have no references themselves, so they come first.
    const topologicalOrder = project.declarations.toSorted(
      (one, other) => listReferences(one).length - listReferences(other).length,
    );
    for (const declaration of topologicalOrder) {
      const { address, kind } = declaration;
      const { superseded: _s, inSyncAt: _i, copyBefore: _c, ...entry } = known[address] ?? { id: "" };
      const named = listReferences(declaration).map(([field, used]) => [field, ids.get(used) ?? ""]);
      const spec: Spec = { ...declaration.spec, ...Object.fromEntries(named) };
      const id = await copyObject(service, emulator, {
        ...declaration,
        spec,
        id: declaration.id ?? entry.id,
      });
      ids.set(address, id);
      objects[address] = { ...entry, id, applied: toStoredSpec(kind, spec) };
    }
  } finally {
    await service.close();
  }
  const state = `${emulatorStateFolder}/state.json`;
  // Fails if the folder is outside the project, so that nothing outside is deleted below.
  const ignored = [{ file: `${emulatorStateFolder}/.gitignore`, content: "*\n" }];
  await writeInside(project.root, ignored);
  await rm(path.join(project.root, emulatorStateFolder), { recursive: true });
  await writeInside(project.root, ignored);
  await withLock(runtime, { ...project, state }, "emulate", async (session) => {
    await session.begin(emulator.url);
    // Copied fingerprints need the key to detect a changed secret.
    await session.replace({ objects, pending: {}, ...(fingerprintKey !== undefined && { fingerprintKey }) });
  });
  // Without the pin, a `base_url` in the files would lead to the real account.
  return ` AVATAROPS_PIN=1 ${stateVariable}=${state}`;
}

function listReferences({ references = {} }: Declaration): [field: string, address: string][] {
  return Object.entries(references);
}

/** Creates an object with its known id and returns the id. Stock objects already exist. */
async function copyObject(
  service: Service,
  { world }: Emulator,
  { address, kind, spec, id = "", stock: name, sources }: Declaration,
): Promise<string> {
  const stock = (await kind.listStock?.(service))?.entries ?? [];
  const found = stock.find((one) => (name === undefined ? one.id === id : one.name === name));
  if (found) return found.id;
  if (name !== undefined)
    throw new UsageError(
      "unknown-stock",
      `The emulator has no stock ${kind.name} named ${JSON.stringify(name)}, so ${address} cannot be copied. Declare the object by its id.`,
    );

  const collection = kind.collection as keyof Dataset;
  if (kind.create) {
    const secret = Object.fromEntries(Object.keys(sources).map((name) => [name, "placeholder"]));
    const made = await kind.create(service, { spec, secret });
    // The created object is the last row.
    for (const rows of Object.values(world)) {
      const row = rows.at(-1);
      if (id && row?.id === made.id) Object.assign(row, { id });
    }
    return id || made.id;
  }
  const [row] = generateDataset({ [collection]: 1 })[collection];
  (world[collection] as unknown[]).push({ ...row, id });
  await kind.update?.(service, id, { spec, secret: {} });
  return id;
}
