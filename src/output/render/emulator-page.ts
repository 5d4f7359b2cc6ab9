import { foreign, type HtmlContent, type HtmlElement, h, pageHtml } from "./html.js";
import { pageStyle } from "./page-style.js";
import { count } from "./phrases.js";

/*
 * The pages of `avatarops emulate`, where somebody edits the emulated account as in the service's dashboard. They need no script.
 */

/** An object of the account that can be edited. */
export interface EditableObject {
  /** Where it is edited: a path with its query. */
  readonly href: string;
  readonly id: string;
  readonly name: string;
  /** What else there is to say of it, each shortened to a line. */
  readonly facts: readonly string[];
}

/** The page that lists an account. */
export interface AccountPage {
  /** The address of the emulator. */
  readonly address: string;
  readonly sandboxAvatarId: string;
  /** The object that was saved last: what the page was loaded for. */
  readonly saved?: EditableObject | undefined;
  readonly kinds: readonly { readonly title: string; readonly objects: readonly EditableObject[] }[];
}

/** The page that edits an object. */
export interface EditPage {
  readonly object: EditableObject;
  /** Of its kind, such as "context". */
  readonly kind: string;
  readonly fields: readonly EditField[];
  /** Sent back with the form: tells whether the object was changed meanwhile. */
  readonly seen: string;
  /** Why it was not saved, in a sentence. */
  readonly problem?: string | undefined;
}

export interface EditField {
  readonly name: string;
  readonly label: string;
  readonly text: string;
  /** In lines; 1: it has no line ends. */
  readonly rows: number;
  readonly required: boolean;
}

/** More would make a page that nobody reads. */
const mostShown = 500;

const style = `${pageStyle}
main { padding-bottom: 40px; }
a { color: var(--sessions); }
code { font-size: 13px; overflow-wrap: anywhere; }
.objects { list-style: none; padding: 0; display: grid; gap: 8px; }
.objects li { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 10px 16px; }
.objects a { font-weight: 600; }
.objects p { font-size: 13px; }
.notices { margin: 20px 0; }
form { display: grid; gap: 16px; margin-top: 20px; }
label { display: block; font-weight: 600; margin-bottom: 4px; }
input, textarea { display: block; width: 100%; font: inherit; color: inherit; background: var(--card); border: 1px solid var(--soft); border-radius: 8px; padding: 8px 10px; }
textarea { resize: vertical; }
.actions { display: flex; flex-wrap: wrap; align-items: center; gap: 12px 20px; }
button { font: inherit; font-weight: 600; color: var(--page); background: var(--sessions); border: 1px solid var(--sessions); border-radius: 8px; padding: 7px 20px; cursor: pointer; }
:focus-visible { outline: 2px solid var(--sessions); outline-offset: 2px; }
`;

/** The objects of an account, each with a link to where it is edited. */
export function renderAccountPage({ address, sandboxAvatarId, saved, kinds }: AccountPage): string {
  return pageHtml(
    { title: "Emulated account", style },
    pageHead(
      address,
      "Emulated account",
      ...mixed`It stands for the service's dashboard: what you change here is an edit made elsewhere, which ${code("avatarops plan")} shows as drift.`,
    ),
    h(
      "main",
      {},
      saved &&
        h(
          "p",
          { class: "notices", role: "status" },
          ...mixed`Saved: ${foreign(saved.name)}. Now run ${code("avatarops plan")}.`,
        ),
      ...kinds.map(({ title, objects }) => objectsSection(title, objects)),
      h("h2", {}, "Sandbox"),
      h(
        "p",
        {},
        ...mixed`Sandbox sessions use the avatar ${code(sandboxAvatarId)}: set it as ${code("service.sandbox_avatar")}.`,
      ),
    ),
  );
}

function objectsSection(title: string, objects: readonly EditableObject[]): HtmlElement {
  const shown = objects.slice(0, mostShown);
  const left = objects.length - shown.length;
  return h(
    "section",
    { "aria-label": title },
    h("h2", {}, `${title}: ${objects.length}`),
    shown.length === 0
      ? h("p", { class: "soft" }, "There are none yet.")
      : h("ul", { class: "objects" }, ...shown.map(objectItem)),
    left === 0
      ? undefined
      : h("p", { class: "soft" }, `${left} more: edit them with `, code("avatarops emulate edit"), "."),
  );
}

function objectItem({ href, id, name, facts }: EditableObject): HtmlElement {
  return h(
    "li",
    {},
    h("a", { href }, name === "" ? "(no name)" : foreign(name)),
    ...facts.map((fact) => h("p", { class: "soft" }, foreign(fact, 160))),
    h("p", { class: "soft" }, code(foreign(id))),
  );
}

/** A form with the texts of an object. */
export function renderEditPage(address: string, { object, kind, fields, seen, problem }: EditPage): string {
  const title = `Edit the ${kind}`;
  return pageHtml(
    { title, style, hasForms: true },
    pageHead(address, title, foreign(object.name), " · ", code(foreign(object.id))),
    h(
      "main",
      {},
      problem === undefined ? undefined : h("p", { class: "notices", role: "alert" }, foreign(problem, 400)),
      h(
        "form",
        { method: "post", action: object.href },
        h("input", { type: "hidden", name: "seen", value: seen }),
        ...fields.map(fieldInput),
        h("div", { class: "actions" }, h("button", { type: "submit" }, "Save"), backToAccount),
      ),
    ),
  );
}

/** A page that says why there is nothing to edit. */
export function renderRefusalPage(address: string, sentence: string): string {
  return pageHtml(
    { title: "Not possible", style },
    pageHead(address, "Not possible", foreign(sentence, 400)),
    h("main", {}, h("p", {}, backToAccount)),
  );
}

function fieldInput({ name, label, text, rows, required }: EditField): HtmlElement {
  const shared = { id: name, name, required, spellcheck: "false", dir: "auto" };
  const length = rows > 1 ? `${label} (${count(text.length, "character")})` : label;
  return h(
    "div",
    {},
    h("label", { for: name }, length),
    rows > 1
      ? h("textarea", { ...shared, rows }, text)
      : h("input", { ...shared, type: "text", autocomplete: "off", value: text }),
  );
}

const backToAccount = h("a", { href: "/" }, "Back to the account");

function code(text: string | HtmlElement): HtmlElement {
  return h("code", {}, text);
}

/** Our words with elements between them. */
function mixed(ours: TemplateStringsArray, ...elements: readonly HtmlElement[]): HtmlContent[] {
  return ours.flatMap((text, at) => [text, elements[at]]);
}

function pageHead(address: string, title: string, ...about: readonly HtmlContent[]): HtmlElement {
  return h(
    "header",
    {},
    h("p", { class: "where" }, h("strong", {}, "avatarops emulate"), h("span", {}, foreign(address))),
    h("h1", {}, title),
    h("p", { class: "soft" }, ...about),
  );
}
