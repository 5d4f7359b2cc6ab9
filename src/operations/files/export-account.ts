import { readdir } from "node:fs/promises";
import path from "node:path";
import { readOnly, type Service } from "../../core/api/index.js";
import { toStoredSpec } from "../../core/engine/index.js";
import type { Live, ProfileName } from "../../core/kinds/index.js";
import {
  loadManifest,
  type Manifest,
  mainFiles,
  projectExists,
  projectTexts,
  schemaFor,
  writeProject,
} from "../../core/manifest/index.js";
import type { Entry, State, StateWriter } from "../../core/state/index.js";
import { withService } from "../project/connect.js";
import { bareProject, definitionsWith } from "../project/open-project.js";
import { inFolder } from "../runtime/in-folder.js";
import type { Runtime } from "../runtime/runtime.js";
import { openProjectStore, withLock } from "../state/project-store.js";
import { accountWithTimestamps } from "./entries-with-timestamps.js";
import { type AccountObjects, readAccount, toNewObject } from "./read-account.js";

/** A new project of a whole account. */
export interface ExportResult extends Pick<AccountObjects, "leftOut" | "unread"> {
  readonly objects: readonly ExportedObject[];
  /** The files written, relative to the folder. */
  readonly files: readonly string[];
  /** The address of the account. */
  readonly service: string;
}

type Texts = ReturnType<typeof projectTexts>;

/** What is kept of an object that is in a file. */
interface ExportedObject extends Pick<Live, "id" | "label" | "updatedAt"> {
  readonly address: string;
  readonly settled: boolean;
}

/**
 * Writes an account as a new project, with its state. Neither its objects nor their texts are in memory any more when the
 * project is loaded.
 *
 * @param folder an absolute path.
 * @throws UsageError
 */
export async function exportAccount(
  runtime: Runtime,
  {
    folder,
    typescript,
    profile,
  }: { readonly folder: string; readonly typescript: boolean; readonly profile?: ProfileName | undefined },
): Promise<ExportResult> {
  await inFolder(folder, () => namesIn(folder));
  return withService(runtime, await bareProject(runtime), async (service) => {
    // Reads everything before it writes the first file: if the service fails half-way, nothing is left
    // behind.
    const { texts, ...exported } = await readTexts(runtime, service, { folder, typescript, profile });
    await refuseOccupied(runtime, folder, texts);
    return runtime.finishing(async () => {
      const files = await inFolder(folder, () => writeProject(folder, texts.splice(0)));
      const manifest = await loadWritten(runtime, folder);
      await withLock(runtime, manifest, "export", async (session) => {
        await session.begin(service.baseUrl);
        await session.replace({ objects: toEntries(exported.objects, manifest, session), pending: {} });
      });
      return { ...exported, files, service: service.baseUrl };
    });
  });
}

async function readTexts(
  runtime: Runtime,
  service: Service,
  { folder, typescript, profile }: Parameters<typeof exportAccount>[1],
): Promise<Omit<ExportResult, "files" | "service"> & { readonly texts: Texts }> {
  const { host, options, output } = runtime;
  const account = await output.reading(service, async () =>
    accountWithTimestamps(runtime, service, await readAccount(readOnly(service), host, profile)),
  );
  const project = { baseUrl: options.baseUrl, profile, objects: account.objects.map(toNewObject) };
  const texts = typescript
    ? (await import("../../core/constructs/index.js")).typescriptTexts(project)
    : projectTexts(project, schemaFor(folder));
  const objects = account.objects.map(({ address, settled, live: { id, label, updatedAt } }) => {
    return { address, settled, id, label, updatedAt };
  });
  return { objects, leftOut: account.leftOut, unread: account.unread, texts };
}

/** Other files count as well: a manifest in the other language, Markdown files and a state. */
async function refuseOccupied(runtime: Runtime, folder: string, texts: Texts): Promise<void> {
  const files = texts.map(({ file }) => file);
  const folders = [...new Set(files.map((file) => path.dirname(file)))].filter((name) => name !== ".");
  const manifests = (await namesIn(folder)).filter((name) => mainFiles.some((main) => main === name));
  const strangers = await Promise.all(
    folders.map(async (name) => {
      const names = await namesIn(path.join(folder, name));
      return names.filter((file) => file.endsWith(".md")).map((file) => `${name}/${file}`);
    }),
  );
  const state = ".avatarops/state.json";
  const known = await openProjectStore(runtime, { root: folder, state }).read();
  const existing = [...manifests, ...strangers.flat(), ...(known ? [state] : [])];
  if (existing.length > 0) throw projectExists(folder, existing);
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

/** The exported project, loaded again. */
async function loadWritten({ host }: Runtime, folder: string): Promise<Manifest> {
  const { manifest, diagnostics } = await loadManifest({
    cwd: folder,
    definitions: definitionsWith(host),
  });
  if (manifest) return manifest;
  throw new Error(
    `Bug: the exported project is not valid: ${diagnostics.map(({ message }) => message).join("; ")}`,
  );
}

/** The declarations were made from the live objects, so every object is in sync. */
function toEntries(
  objects: readonly ExportedObject[],
  { declarations }: Manifest,
  { noteText }: StateWriter,
): State["objects"] {
  const found = new Map(objects.map((object) => [object.address, object]));
  const entries = declarations.map(({ address, kind, spec }): [string, Entry] => {
    const object = found.get(address);
    if (!object) throw new Error(`Bug: ${address} was not read from the account`);
    const { id, settled, updatedAt } = object;
    const inSync = settled && updatedAt ? { inSyncAt: updatedAt } : {};
    return [address, { id, applied: toStoredSpec(kind, spec, noteText), ...inSync }];
  });
  return Object.fromEntries(entries);
}
