import { UsageError } from "../base/diagnostics/index.js";
import { toStoredSpec } from "../core/engine/index.js";
import { sameValue, toAddress } from "../core/kinds/index.js";
import {
  declaredSpec,
  declareObjects,
  loadManifest,
  type Manifest,
  type NewDeclarations,
  undoDeclarations,
  writeDeclarations,
} from "../core/manifest/index.js";
import type { Entry, State, StateSession } from "../core/state/index.js";
import { type ImportDocument, importDocument } from "../output/documents/index.js";
import { withService } from "./connect.js";
import { inFolder } from "./folder.js";
import { toLoadOptions } from "./open-project.js";
import { refuseOtherService } from "./plan.js";
import { openProjectStore, withLock } from "./project-store.js";
import type { AccountObject, AccountObjects } from "./read-account.js";
import { type ImportInput, readImported, readUndeclared } from "./read-imported.js";
import { accountWithTimestamps } from "./reread.js";
import type { Runtime } from "./runtime.js";

/*
 * Adds objects of the account to the files.
 *
 * The state is written first: if the run stops after that, the next run declares the object under the name in
 * the state; until then a plan shows it as to be forgotten, which loses nothing. With the files first, and
 * two objects with the same name, the next run could not tell which one a file was written for.
 */

/** What to import: one object by id and address, or everything that no file declares. */
export type ImportTarget = { readonly address: string; readonly id: string } | "all";

/** What an import did, or would do. */
export interface ImportReport {
  readonly document: ImportDocument;
  /** Some objects could not be read. */
  readonly isPartial: boolean;
  /** Something was declared in the files. */
  readonly hasWritten: boolean;
}

/** Declares objects of the account in the files and starts to manage them. */
export async function importIntoFiles(
  runtime: Runtime,
  manifest: Manifest,
  target: ImportTarget,
  { dryRun = false }: { readonly dryRun?: boolean } = {},
): Promise<ImportReport> {
  if (dryRun) {
    const snapshot = await openProjectStore(runtime, manifest).read();
    return withService(runtime, manifest, async (service) => {
      const input = { runtime, manifest, state: snapshot?.state, service };
      return reportOn(await prepare(input, target, dryRun), dryRun);
    });
  }
  return withLock(runtime, manifest, "import", (session) =>
    withService(runtime, manifest, async (service) => {
      const work = await prepare({ runtime, manifest, state: session.state, service }, target, dryRun);
      await runtime.finishing(() => importObjects(runtime, manifest, session, service.baseUrl, work));
      return reportOn(work, dryRun);
    }),
  );
}

interface Work {
  readonly found: readonly AccountObject[];
  readonly declarations: NewDeclarations;
  /** Sentences. */
  readonly leftOut: readonly string[];
  /** Some objects could not be read. */
  readonly isPartial: boolean;
}

async function prepare(input: ImportInput, target: ImportTarget, dryRun: boolean): Promise<Work> {
  refuseOtherService(input.state, input.service);
  const account: AccountObjects =
    target === "all"
      ? await readUndeclared(input)
      : { objects: [await readImported(input, target.address, target.id)], leftOut: [], unread: [] };
  const settled = dryRun ? account : await accountWithTimestamps(input.runtime, input.service, account);
  const { objects, leftOut, unread } = settled;
  const declarations = declareObjects(
    input.manifest,
    objects.map(({ kind, key, spec, live: { id } }) => ({
      ...{ kind, key, spec },
      ...(kind.identity === "adopted" ? { id } : {}),
    })),
  );
  const refused = declarations.refused.map(
    ({ object: { kind, key }, reason }) => `${toAddress(kind, key)} cannot be declared: ${reason}.`,
  );
  if (target !== "all" && refused.length > 0) throw new UsageError("undeclarable", refused.join(" "));
  return {
    found: objects,
    declarations,
    leftOut: [...leftOut, ...unread, ...refused],
    isPartial: unread.length > 0,
  };
}

async function importObjects(
  runtime: Runtime,
  manifest: Manifest,
  session: StateSession,
  service: string,
  { found, declarations }: Work,
): Promise<void> {
  const addresses = new Set(declarations.declared.map(({ object: { kind, key } }) => toAddress(kind, key)));
  const adopted = found.filter(({ address }) => addresses.has(address));
  const state = await session.begin(service);
  const before = adopted.map(({ address }) => [address, state.objects[address]] as const);
  await Promise.all(adopted.map((object) => session.completeIntent(object.address, toEntry(object, state))));
  try {
    await inFolder(manifest.root, () => writeDeclarations(manifest.root, declarations));
    await refuseOtherReading(runtime, manifest, adopted, declarations);
  } catch (error) {
    await Promise.all(before.map(([address, entry]) => session.completeIntent(address, entry)));
    await session.commit();
    throw error;
  }
  await session.commit();
}

/** The files then match the live objects. */
function toEntry({ kind, address, live, spec, settled }: AccountObject, state: State): Entry {
  const stale = state.objects[address]?.stale;
  return {
    id: live.id,
    applied: toStoredSpec(kind, declaredSpec(kind, spec)),
    ...(settled && live.updatedAt ? { inSyncAt: live.updatedAt } : {}),
    ...(stale ? { stale } : {}),
  };
}

/** Loads the project again. If it does not declare what was intended, restores the files. */
async function refuseOtherReading(
  runtime: Runtime,
  manifest: Manifest,
  adopted: readonly AccountObject[],
  declarations: NewDeclarations,
): Promise<void> {
  const { manifest: now, diagnostics } = await loadManifest(toLoadOptions(runtime));
  const declared = new Map(now?.declarations.map((declaration) => [declaration.address, declaration]));
  const wrong = adopted.find(({ address, kind, spec, live }) => {
    const declaration = declared.get(address);
    const fields = Object.entries(kind.fields);
    const expected = declaredSpec(kind, spec);
    const isSame = fields.every(([name, field]) => sameValue(field, declaration?.spec[name], expected[name]));
    return !declaration || !isSame || (declaration.id !== undefined && declaration.id !== live.id);
  });
  if (!wrong) return;
  await undoDeclarations(manifest.root, declarations);
  const problem = diagnostics.find(({ severity }) => severity === "error")?.message;
  const why = problem ?? `${wrong.address} would not be declared as it is in the account`;
  throw new UsageError("undeclarable", `The files would not match the account: ${why}. Nothing was changed.`);
}

async function reportOn(
  { found, declarations, leftOut, isPartial }: Work,
  dryRun: boolean,
): Promise<ImportReport> {
  const { added, edited, declared, inCode } = declarations;
  const shown = (all: NewDeclarations["declared"]) => {
    const files = new Map(all.map(({ object: { kind, key }, file }) => [toAddress(kind, key), file]));
    return found.flatMap(({ address, live: { id, label } }) => {
      const file = files.get(address);
      return file === undefined ? [] : [{ address, id, label, file }];
    });
  };
  const document = importDocument({
    dry_run: dryRun,
    imported: shown(declared),
    to_paste: shown(inCode),
    ...(inCode.length > 0 ? { code: await toStatements(inCode) } : {}),
    files: [...added, ...edited].map(({ file }) => file),
    left_out: leftOut,
  });
  return { document, isPartial, hasWritten: declared.length + added.length > 0 };
}

async function toStatements(inCode: NewDeclarations["inCode"]): Promise<string> {
  const { typescriptStatements } = await import("../core/constructs/index.js");
  return typescriptStatements(inCode.map(({ object }) => object));
}
