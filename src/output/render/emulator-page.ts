import { attributes, foreign, formValue, type Html, html, pageHtml } from "./html.js";
import { pageStyle } from "./page-style.js";
import { count } from "./phrases.js";

/*
 * The pages of `avatarops emulate`, where somebody edits the emulated account as in the service's dashboard. They need no script.
 */

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
  /** Sent back with the form: shows whether the object was changed meanwhile. */
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

export function renderAccountPage({ address, sandboxAvatarId, saved, kinds }: AccountPage): string {
  return pageHtml(
    { title: "Emulated account", style },
    html`
      ${pageHead(address, "Emulated account", html`It stands for the service's dashboard: what you change here is an edit made elsewhere, which <code>avatarops plan</code> shows as drift.`)}
      <main>
        ${saved && html`<p class="notices" role="status">Saved: ${foreign(saved.name)}. Now run <code>avatarops plan</code>.</p>`}
        ${kinds.map(({ title, objects }) => objectsSection(title, objects))}
        <h2>Sandbox</h2>
        <p>Sandbox sessions use the avatar <code>${sandboxAvatarId}</code>: set it as <code>service.sandbox_avatar</code>.</p>
      </main>
    `,
  );
}

function objectsSection(title: string, objects: readonly EditableObject[]): Html {
  const shown = objects.slice(0, mostShown);
  const left = objects.length - shown.length;
  return html`
    <section aria-label="${title}">
      <h2>${`${title}: ${objects.length}`}</h2>
      ${
        shown.length === 0
          ? html`<p class="soft">There are none yet.</p>`
          : html`<ul class="objects">${shown.map(objectItem)}</ul>`
      }
      ${left > 0 && html`<p class="soft">${left} more: edit them with <code>avatarops emulate edit</code>.</p>`}
    </section>
  `;
}

function objectItem({ href, id, name, facts }: EditableObject): Html {
  return html`
    <li>
      <a href="${href}">${name === "" ? "(no name)" : foreign(name)}</a>
      ${facts.map((fact) => html`<p class="soft">${foreign(fact, 160)}</p>`)}
      <p class="soft"><code>${foreign(id)}</code></p>
    </li>
  `;
}

export function renderEditPage(address: string, { object, kind, fields, seen, problem }: EditPage): string {
  const title = `Edit the ${kind}`;
  return pageHtml(
    { title, style, hasForms: true },
    html`
      ${pageHead(address, title, html`${foreign(object.name)} · <code>${foreign(object.id)}</code>`)}
      <main>
        ${problem !== undefined && html`<p class="notices" role="alert">${foreign(problem, 400)}</p>`}
        <form method="post" action="${object.href}">
          <input type="hidden" name="seen" value="${formValue(seen)}"/>
          ${fields.map(fieldInput)}
          <div class="actions"><button type="submit">Save</button>${backToAccount}</div>
        </form>
      </main>
    `,
  );
}

export function renderRefusalPage(address: string, sentence: string): string {
  return pageHtml(
    { title: "Not possible", style },
    html`${pageHead(address, "Not possible", foreign(sentence, 400))}<main><p>${backToAccount}</p></main>`,
  );
}

function fieldInput({ name, label, text, rows, required }: EditField): Html {
  const shared = attributes({ id: name, name, required, spellcheck: "false", dir: "auto" });
  const value = formValue(text);
  // The line break at the beginning of a text to edit is not part of it.
  const input =
    rows > 1
      ? html`<textarea${shared} rows="${rows}">${formValue("\n")}${value}</textarea>`
      : html`<input${shared} type="text" autocomplete="off" value="${value}"/>`;
  const size = rows > 1 ? ` (${count(text.length, "character")})` : "";
  return html`<div><label for="${name}">${label}${size}</label>${input}</div>`;
}

const backToAccount = html`<a href="/">Back to the account</a>`;

function pageHead(address: string, title: string, about: Html): Html {
  return html`
    <header>
      <p class="where"><strong>avatarops emulate</strong><span>${foreign(address)}</span></p>
      <h1>${title}</h1>
      <p class="soft">${about}</p>
    </header>
  `;
}
