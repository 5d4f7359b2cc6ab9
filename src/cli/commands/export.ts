import { readdir } from "node:fs/promises";
import path from "node:path";
import { readOnly } from "../../api/index.js";
import { exportDocument } from "../../documents/index.js";
import { toStoredSpec } from "../../engine/index.js";
import {
  loadManifest,
  type Manifest,
  mainFiles,
  type NewProject,
  ProjectExistsError,
  projectTexts,
  writeProject,
} from "../../manifest/index.js";
import { renderJson } from "../../render/index.js";
import type { Entry, State } from "../../state/index.js";
import { type Call, isOn, type RunCommand, textArgument, textOption } from "../command.js";
import { withAccount } from "../connect.js";
import { addEditorSupport } from "../editor-support.js";
import { exitCode } from "../exit-code.js";
import { type Account, readAccount } from "../exporting.js";
import { inFolder } from "../folder.js";
import { showReading } from "../progress.js";
import { definitions } from "../project.js";
import { accountWithTimestamps } from "../reread.js";
import { shellWord } from "../shell-word.js";
import { openProjectStore, withLock } from "../store.js";

export const command: RunCommand = async (call) => {
  const folder = call.host.resolve(textArgument(call, 0));
  const baseUrl = textOption(call, "baseUrl");
  await inFolder(folder, () => namesIn(folder));
  return withAccount(call, async (service) => {
    // Reads everything before it writes the first file: if the service fails half-way, nothing is left
    // behind.
    const account = await showReading(call, service, async () =>
      accountWithTimestamps(call, service, await readAccount(readOnly(service), call.host.now)),
    );
    const texts = await textsOf(projectOf(account, baseUrl), isOn(call, "typescript"));
    await refuseOccupied(call, folder, texts);
    const files = await call.finishing(async () => {
      let written = 0;
      const write = () =>
        writeProject(folder, texts, (count) => {
          written = count;
        });
      const names = await showReading(
        call,
        service,
        () => inFolder(folder, write),
        () => ({ type: "writing", written, total: texts.length }),
      );
      const manifest = await loadWritten(folder);
      await writeState(call, manifest, account, service.baseUrl);
      const { advice } = await inFolder(folder, () =>
        addEditorSupport(folder, { yaml: !isOn(call, "typescript") }),
      );
      for (const sentence of advice) call.output.info(sentence);
      return names;
    });
    show(call, account, files, service.baseUrl);
    return account.unread.length > 0 ? exitCode.partly : exitCode.done;
  });
};

function projectOf({ objects }: Account, baseUrl: string | undefined): NewProject {
  return {
    ...(baseUrl === undefined ? {} : { baseUrl }),
    objects: objects.map(({ kind, key, live, spec }) => ({
      ...{ kind, key, spec },
      ...(kind.identity === "adopted" ? { id: live.id } : {}),
    })),
  };
}

type Texts = ReturnType<typeof projectTexts>;

async function textsOf(project: NewProject, inTypeScript: boolean): Promise<Texts> {
  if (!inTypeScript) return projectTexts(project);
  return (await import("../../constructs/index.js")).typescriptTexts(project);
}

/** Other files count as well: a manifest in the other language, Markdown files and a state. */
async function refuseOccupied(call: Call, folder: string, texts: Texts): Promise<void> {
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
  const known = await openProjectStore(call, { root: folder, state }).read();
  const existing = [...manifests, ...strangers.flat(), ...(known ? [state] : [])];
  if (existing.length > 0) throw new ProjectExistsError(folder, existing);
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
async function loadWritten(folder: string): Promise<Manifest> {
  const { manifest, diagnostics } = await loadManifest({ cwd: folder, definitions });
  if (manifest) return manifest;
  throw new Error(
    `Bug: the exported project is not valid: ${diagnostics.map(({ message }) => message).join("; ")}`,
  );
}

async function writeState(call: Call, manifest: Manifest, account: Account, service: string): Promise<void> {
  await withLock(call, manifest, "export", async (session) => {
    await session.begin(service);
    await session.replace({ objects: entriesOf(account, manifest), pending: {} });
  });
}

/** The declarations were made from the live objects, so every object is in sync. */
function entriesOf({ objects }: Account, { declarations }: Manifest): State["objects"] {
  const found = new Map(objects.map((object) => [object.address, object]));
  const entries = declarations.map(({ address, kind, spec }): [string, Entry] => {
    const object = found.get(address);
    if (!object) throw new Error(`Bug: ${address} was not read from the account`);
    const { id, updatedAt } = object.live;
    const inSync = object.settled && updatedAt ? { inSyncAt: updatedAt } : {};
    return [address, { id, applied: toStoredSpec(kind, spec), ...inSync }];
  });
  return Object.fromEntries(entries);
}

function show(
  call: Call,
  { objects, leftOut: caveats, unread }: Account,
  files: readonly string[],
  service: string,
): void {
  const { output } = call;
  const leftOut = [...caveats, ...unread];
  const shown = objects.map(({ address, live: { id, label } }) => ({ address, id, label }));
  const folder = textArgument(call, 0);
  if (output.format === "json") {
    output.result(renderJson(exportDocument({ service, files, objects: shown, left_out: leftOut })));
  } else {
    const counts = `${objects.length} ${objects.length === 1 ? "object" : "objects"} in ${files.length} ${files.length === 1 ? "file" : "files"}`;
    output.result(`Exported ${counts} to ${folder}.`);
  }
  for (const sentence of leftOut) output.warn(sentence);
  output.info(
    `Next: run \`cd ${shellWord(folder)}\` and \`avatarops plan\`. The plan is empty until a file or the account changes.`,
  );
}
