import { readdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { toLocation, UsageError } from "../../base/diagnostics/index.js";
import { createFolders } from "../../base/files/index.js";
import { suggestAddress } from "../../core/kinds/index.js";
import { findFirstLine } from "../../core/manifest/index.js";
import type { ComposedSpan } from "../../core/templates/index.js";
import { makePlan } from "../plan/plan.js";
import { withService } from "../project/connect.js";
import { loadProject } from "../project/open-project.js";
import type { Project } from "../runtime/project.js";
import { runInFolder } from "../runtime/run-in-folder.js";
import type { Runtime } from "../runtime/runtime.js";
import { readKind } from "../state/project-history.js";
import { readState } from "../state/project-store.js";
import { getLiveValue } from "./prepare-edits.js";

/** A composed text from the files, or the live text. */
export interface RenderedText {
  readonly address: string;
  readonly field: string;
  readonly text: string;
  /** Time of the live object's last change, according to the service. Omitted if the text comes from the files. */
  readonly updatedAt?: string | undefined;
  /** Stretches with their locations in the files. Omitted for a live text. */
  readonly stretches?: readonly RenderedStretch[];
}

interface RenderedStretch {
  /** For a variable, `file` and `line` refer to its tag. */
  readonly is: ComposedSpan["is"];
  readonly text: string;
  readonly file: string;
  readonly line: number;
}

/**
 * Composes a declared object's text. With `live`, reads the live text instead.
 *
 * @param field Default: the prompt.
 * @throws UsageError, InvalidProjectError, ServiceError
 */
export async function renderDeclared(
  runtime: Runtime,
  address: string,
  { field: given, live }: { readonly field?: string | undefined; readonly live: boolean },
  loaded?: Project,
): Promise<RenderedText> {
  const project = loaded ?? (await loadProject(runtime));
  const kind = readKind(address, project.service.profile);
  const texts = Object.entries(kind.fields).filter(([, { type }]) => type === "string");
  const prompt = texts.find(([, text]) => "prose" in text) ?? texts[0];
  const field = given ?? prompt?.[0] ?? "";
  if (!texts.some(([name]) => name === field))
    throw new UsageError(
      "usage",
      `The kind ${kind.name} has no text field ${JSON.stringify(field)}. Choose one of ${texts.map(([name]) => name).join(", ")}.`,
    );
  const declaration = project.declarations.find((one) => one.address === address);
  if (!declaration) {
    const addresses = project.declarations.map((one) => one.address);
    const advice = suggestAddress(address, addresses, "`avatarops validate` lists problems in the files.");
    throw new UsageError("unknown-address", `No file declares ${address}. ${advice}`);
  }
  if (live) {
    const state = await readState(runtime, project);
    // Also reads unchanged objects. `auto` would skip them.
    const reading = { ...runtime, options: { ...runtime.options, refresh: "full" } };
    const { observation } = await withService(reading, project, (service) =>
      makePlan(reading, { manifest: project, state, service, targets: [address] }),
    );
    const seen = observation.objects.get(address);
    if (seen?.seen !== "live")
      throw new UsageError(
        "not-live",
        `${address} was not found in the account, or cannot be read. See why: \`avatarops plan --target ${address}\`.`,
      );
    const { updatedAt } = seen.live;
    return { address, field, text: getLiveValue(declaration.kind, seen.live, field) as string, updatedAt };
  }
  const text = (declaration.spec[field] ?? "") as string;
  const origin = declaration.origins[field];
  const stretches =
    origin?.at === "template"
      ? origin.composition.stretches.map(({ is, text: own, range }): RenderedStretch => {
          const { file, line } = toLocation(range);
          return { is, text: own, file, line };
        })
      : [{ is: "text" as const, text, ...findFirstLine(declaration, field) }];
  return { address, field, text, stretches };
}

/**
 * Writes each composed long text of the project to its own file, such as `context.support.prompt.txt`.
 *
 * @param folder New or empty folder, relative to the current one. Any existing files could be mistaken for current
 * texts.
 * @returns the file names.
 * @throws UsageError `not-empty`, `unwritable`; InvalidProjectError
 */
export async function renderAll(runtime: Runtime, folder: string): Promise<readonly string[]> {
  const { declarations } = await loadProject(runtime);
  const target = path.resolve(runtime.host.cwd, folder);
  const texts = declarations.flatMap(({ address, kind, spec }) =>
    Object.entries(kind.fields).flatMap(([name, field]) =>
      "prose" in field && typeof spec[name] === "string"
        ? [{ file: `${address}.${name}.txt`, text: spec[name] }]
        : [],
    ),
  );
  await runInFolder(folder, async () => {
    await createFolders(target);
    if ((await readdir(target)).length > 0)
      throw new UsageError("not-empty", `${folder} is not empty. Remove it, or choose another folder.`);
    for (const { file, text } of texts) await writeFile(path.join(target, file), text, { flag: "wx" });
  });
  return texts.map(({ file }) => file);
}
