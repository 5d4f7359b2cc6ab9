import { UsageError } from "../../../base/diagnostics/index.js";
import { HttpError, type HttpResponse, openHttpClient } from "../../../base/http/index.js";
import { listNames, parseJson, toMapping, toPlainLine } from "../../../base/text/index.js";
import { listIgnoredFields } from "../../../core/kinds/index.js";
import { findDeclaration, type Manifest } from "../../../core/manifest/index.js";
import {
  assertInState,
  assertSameService,
  createIdLookup,
  describeNoState,
  loadProject,
  readProxy,
  readState,
  resolveAccess,
} from "../../../operations/index.js";
import type { CommandCall, RunCommand } from "../command.js";
import type { emulateEditCommand } from "../facts/others.js";

/** Edits an object in the emulator like a dashboard edit. The state does not change. */
export const command: RunCommand<typeof emulateEditCommand> = async (call) => {
  const { output, signal } = call;
  const [address] = call.arguments;
  const [kind = ""] = address.split(".");
  const texts = readTexts(call);
  const project = await loadProject(call);
  const state = await readState(call, project);
  const id = createIdLookup(project, state)(address);
  if (id === undefined) {
    if (!state) throw new UsageError("no-state", describeNoState(project));
    assertInState(address, state);
    throw new UsageError("unsettled", `${address} has no id yet. Run \`avatarops apply\` first.`);
  }
  const edit = toEdit(kind, id, texts);
  const { baseUrl, apiKey } = await resolveAccess(call, project);
  assertSameService(state, { baseUrl });
  const client = openHttpClient({
    proxy: readProxy(call),
    timeoutMs: 30_000,
    maxResponseBytes: 64 * 1024 * 1024,
  });
  const send = async (path: string, body?: object): Promise<HttpResponse> => {
    const init = body ? { method: "POST", body: JSON.stringify(body) } : {};
    const headers = { "x-api-key": apiKey.reveal(), "content-type": "application/json" };
    return client.send(`${baseUrl}${path}`, { ...init, headers, signal });
  };
  try {
    // This check comes first, because the edit must not reach a real service.
    if (!isOverview(await send("/_emulator")))
      throw new UsageError(
        "no-emulator",
        `${baseUrl} is not an emulator that accepts this key. Start one with \`avatarops emulate\`.`,
      );
    const { status, text } = await send("/_emulator/edit", edit);
    if (status !== 200)
      throw new UsageError("not-edited", `The emulator did not edit ${address}: ${toPlainLine(text)}`);
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    throw new UsageError("no-emulator", `The emulator at ${baseUrl} did not respond: ${error.message}.`);
  } finally {
    await client.close();
  }
  output.info(`Edited ${address} in the emulator. ${describeDrift(project, address, Object.keys(texts))}`);
};

/** Describes whether a plan shows the edit. Plans omit fields that are not compared. */
function describeDrift(
  project: Pick<Manifest, "declarations">,
  address: string,
  fields: readonly string[],
): string {
  const declaration = findDeclaration(project, address);
  const ignored = declaration ? listIgnoredFields(declaration.kind) : [];
  const unseen = [
    ...fields
      .filter((field) => ignored.includes(field))
      .map((field) => `${field} (listed in \`ignore_changes\`)`),
    ...fields
      .filter((field) => !ignored.includes(field) && declaration?.spec[field] === undefined)
      .map((field) => `${field} (not declared in any file)`),
  ];
  if (unseen.length === 0) return "`avatarops plan` shows the drift.";
  return `\`avatarops plan\` does not show the edit to ${listNames(unseen)}.`;
}

function readTexts({
  options: { name, prompt, openingText: opening_text },
}: CommandCall<typeof emulateEditCommand>): Readonly<Record<string, string>> {
  const given = Object.entries({ name, opening_text, prompt }).filter(([, text]) => text !== undefined);
  if (given.length > 0) return Object.fromEntries(given) as Record<string, string>;
  throw new UsageError("usage", "Nothing to edit. Add --name, --prompt or --opening-text.");
}

/** Converts an edit to the emulator's request. */
function toEdit(kind: string, id: string, texts: Readonly<Record<string, string>>): object {
  if (kind === "context") return { do: "editContext", context: id, patch: texts };
  const renames: Readonly<Record<string, string>> = { avatar: "renameAvatar", voice: "renameVoice" };
  const rename = renames[kind];
  if (rename === undefined)
    throw new UsageError(
      "usage",
      `The emulator cannot edit objects of the kind ${kind}. Choose a context, an avatar or a voice.`,
    );
  const { name, ...others } = texts;
  if (name === undefined || Object.keys(others).length > 0)
    throw new UsageError("usage", `${kind === "avatar" ? "An avatar" : "A voice"} supports only --name.`);
  return { do: rename, id, name };
}

function isOverview({ status, text }: HttpResponse): boolean {
  return status === 200 && "behavior" in toMapping(parseJson(text));
}
