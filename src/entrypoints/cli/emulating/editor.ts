import type { IncomingHttpHeaders } from "node:http";
import {
  type Emulator,
  EmulatorInputError,
  type EmulatorOptions,
  sandboxAvatarId,
} from "../../../emulator/index.js";
import {
  type EditableObject,
  type EditField,
  renderAccountPage,
  renderEditPage,
  renderRefusalPage,
} from "../../../output/render/index.js";

/*
 * Pages on the emulator's own address that list the account and edit it, for somebody at a browser of this machine. They ask for no
 * key. So they answer a form only if the browser says that it comes from these pages, and no other page shows them in a frame; the
 * emulator refuses requests for another host.
 */

type Fields = Readonly<Record<string, string>>;

/** What can be edited of a kind: its texts by their names, the longest last. */
interface Editor {
  readonly title: string;
  readonly fields: readonly (readonly [name: string, label: string, rows: number])[];
  objects(world: Emulator["world"]): readonly Editable[];
  save(emulator: Emulator, id: string, changed: Fields): void;
}

/** A stored object, with its texts, and what else there is to say of it. */
interface Editable {
  readonly id: string;
  readonly name: string;
  readonly updated_at: string;
  readonly facts: readonly string[];
}

const name = ["name", "Name", 1] as const;

const editors: Readonly<Record<string, Editor>> = {
  context: {
    title: "Contexts",
    fields: [name, ["opening_text", "Opening text", 2], ["prompt", "Prompt", 20]],
    objects: ({ contexts }) =>
      contexts.map((one) => ({ ...one, facts: one.opening_text === "" ? [] : [one.opening_text] })),
    save: (emulator, id, changed) => emulator.editContext(id, changed),
  },
  avatar: {
    title: "Avatars",
    fields: [name],
    objects: ({ avatars }) =>
      avatars.map((one) => ({
        ...one,
        facts: [
          ...(one.default_voice ? [`Voice: ${one.default_voice.name}`] : []),
          ...(one.id === sandboxAvatarId ? ["For sandbox sessions"] : []),
        ],
      })),
    save: (emulator, id, { name = "" }) => emulator.renameAvatar(id, name),
  },
  voice: {
    title: "Voices",
    fields: [name],
    objects: ({ voices }) => voices.map((one) => ({ ...one, facts: [`${one.language}, ${one.gender}`] })),
    save: (emulator, id, { name = "" }) => emulator.renameVoice(id, name),
  },
};

/** Answers the requests for the pages. */
export const editorPages: NonNullable<EmulatorOptions["pages"]> = (request, headers, emulator) => {
  const { method, path, query } = request;
  if (path === "/" && method === "GET") return page(200, accountPage(emulator, query.get("saved")));
  if (path !== "/edit") return undefined;
  const found = objectIn(emulator, query.get("kind"), query.get("id"));
  if (!found) return refused(emulator, 404, "The account has no such object; it may have been removed.");
  if (method === "GET") return page(200, editPage(emulator, found, readTexts(found)));
  if (method !== "POST") return undefined;
  if (!isOwnForm(headers))
    return refused(
      emulator,
      403,
      "Only a form of this page can edit: for scripts there is `avatarops emulate edit`.",
    );
  return saved(emulator, found, new URLSearchParams(request.text));
};

interface EditedObject {
  readonly kind: string;
  readonly editor: Editor;
  readonly object: Editable;
}

function objectIn(emulator: Emulator, kind: string | null, id: string | null): EditedObject | undefined {
  const editor = kind !== null && Object.hasOwn(editors, kind) ? editors[kind] : undefined;
  const object = editor?.objects(emulator.world).find((one) => one.id === id);
  return kind !== null && editor && object ? { kind, editor, object } : undefined;
}

/** The browser says where a form comes from; one of another page, or none that is named, has no business here. */
function isOwnForm({ origin, host, "sec-fetch-site": site = "same-origin" }: IncomingHttpHeaders): boolean {
  return origin === `http://${host}` && site === "same-origin";
}

function saved(emulator: Emulator, found: EditedObject, sent: URLSearchParams) {
  const { kind, editor, object } = found;
  const before = readTexts(found);
  const now = Object.fromEntries(
    editor.fields.map(([name, , rows]) => [name, asShown(sent.get(name) ?? before[name] ?? "", rows)]),
  );
  // The browser gives back each text with other line ends: what it shows of a text that nobody touched is no edit.
  const changed = Object.fromEntries(
    editor.fields.flatMap(([name, , rows]) =>
      now[name] === asShown(before[name] ?? "", rows) ? [] : [[name, now[name] ?? ""]],
    ),
  );
  const problem = problemWith(found, changed, sent.get("seen")) ?? saveAt(emulator, found, changed);
  if (problem !== undefined) return page(409, editPage(emulator, found, now, problem));
  return { status: 303, headers: { ...headers, location: `/?saved=${kind}.${object.id}` }, body: "" };
}

function problemWith({ object }: EditedObject, changed: Fields, seen: string | null): string | undefined {
  if (changed.name === "") return "It needs a name.";
  if (Object.keys(changed).length === 0 || seen === object.updated_at) return undefined;
  return "Somebody else has changed it meanwhile. Below is what you wrote; save again to replace what they wrote.";
}

/** Saves the changes, if there are any; returns why that is not possible. */
function saveAt(emulator: Emulator, { editor, object }: EditedObject, changed: Fields): string | undefined {
  try {
    if (Object.keys(changed).length > 0) editor.save(emulator, object.id, changed);
    return undefined;
  } catch (error) {
    if (error instanceof EmulatorInputError)
      return `Not saved: ${error.message.slice(`${error.about}: `.length)}.`;
    throw error;
  }
}

function readTexts({ editor, object }: EditedObject): Fields {
  const stored = new Map<string, unknown>(Object.entries(object));
  return Object.fromEntries(editor.fields.map(([name]) => [name, String(stored.get(name) ?? "")]));
}

/** A text as a field of a form holds it. */
function asShown(text: string, rows: number): string {
  const shown = text.replace(/[\0\p{Cs}]/gu, "\ufffd");
  return rows === 1 ? shown.replace(/[\r\n]/g, "") : shown.replace(/\r\n?/g, "\n");
}

function accountPage(emulator: Emulator, saved: string | null): string {
  const [kind = "", id = ""] = saved?.split(".") ?? [];
  const found = objectIn(emulator, kind, id);
  return renderAccountPage({
    address: emulator.url,
    sandboxAvatarId,
    saved: found && editable(found),
    kinds: Object.entries(editors).map(([kind, editor]) => ({
      title: editor.title,
      objects: editor.objects(emulator.world).map((object) => editable({ kind, object })),
    })),
  });
}

function editPage(emulator: Emulator, found: EditedObject, texts: Fields, problem?: string): string {
  const { kind, editor, object } = found;
  const fields = editor.fields.map(
    ([name, label, rows]): EditField => ({
      ...{ name, label, rows, text: texts[name] ?? "" },
      required: name === "name",
    }),
  );
  return renderEditPage(emulator.url, {
    object: editable(found),
    kind,
    fields,
    seen: object.updated_at,
    problem,
  });
}

function editable({ kind, object }: Pick<EditedObject, "kind" | "object">): EditableObject {
  const href = `/edit?${new URLSearchParams({ kind, id: object.id })}`;
  return { href, id: object.id, name: object.name, facts: object.facts };
}

const headers = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "cross-origin-resource-policy": "same-origin",
};

function page(status: number, body: string) {
  return { status, headers, body };
}

function refused(emulator: Emulator, status: number, sentence: string) {
  return page(status, renderRefusalPage(emulator.url, sentence));
}
