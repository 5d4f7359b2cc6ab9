import type { SourceRange } from "../../base/diagnostics/index.js";
import { type Kind, kindNamed, kinds } from "../kinds/index.js";
import {
  camelCase,
  type DiagnosticsCollector,
  type Entry,
  fieldOf,
  type ListNode,
  type MapNode,
  type Node,
  type Trail,
} from "../manifest/index.js";
import { isEnv, isFile, type ValueSource, writtenFields } from "../secrets/index.js";
import { declaredBy } from "./declared.js";
import { isMadeSource } from "./sources.js";

/** The place of a value in code. Within a call, only the call itself has a place. */
export interface ValuePlace {
  readonly range: SourceRange;
  readonly trail: Trail | undefined;
  /** Its name in messages: `context.support.links[0].url`. */
  readonly subject: string;
  readonly collector: DiagnosticsCollector;
  /** See `Synthesis`. */
  findFile(text: string): string | undefined;
  toName(construct: object): string;
  /** Whether the keys of this value are names chosen by the user, not properties. */
  holdsNames(trail: Trail | undefined): boolean;
  /** Whether this value is sent as it stands, within `extra` of a preset. */
  isExtra(trail: Trail | undefined): boolean;
  /** The objects that contain it. */
  readonly within: readonly object[];
}

/** A value as the equivalent YAML node; undefined if there is no value. */
export function toNode(value: unknown, at: ValuePlace): Node | undefined {
  if (value === undefined) return undefined;
  if (typeof value === "string") return textNode(value, at);
  if (value === null || typeof value === "boolean") return scalar(value, at);
  if (typeof value === "number" && Number.isFinite(value)) return scalar(value, at);
  if (typeof value !== "object") return refused(`is ${describe(value)}`, at);
  if (at.within.includes(value)) return refused("contains itself", at, "create a new object instead");
  const inner: ValuePlace = { ...at, within: [...at.within, value] };
  const declared = declaredBy(value);
  if (declared) return reference(value, declared.what, at);
  // Any JSON may be in `extra`, also with a text called `from`.
  if (at.isExtra(at.trail) ? isMadeSource(value) : isSource(value))
    return sourceNode(value as ValueSource, at);
  if (Array.isArray(value)) return listNode(value, inner);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) return mapNode(value, inner);
  return refused(`is a ${value.constructor?.name || "class instance"}`, at);
}

export function facts({ range, trail }: ValuePlace) {
  return { ...range, at: "typescript", trail } as const;
}

function scalar(value: string | number | boolean | null, at: ValuePlace): Node {
  return { ...facts(at), is: "scalar", value, style: "PLAIN" };
}

/** The place of a text that is the whole of a file is that file. */
function textNode(text: string, at: ValuePlace): Node {
  const file = at.findFile(text);
  return file === undefined ? scalar(text, at) : { ...scalar(file, at), tag: "!file" };
}

function listNode(values: readonly unknown[], at: ValuePlace): ListNode {
  const items = Array.from(values, (value, i) => {
    const place = { ...at, trail: { parent: at.trail, key: i }, subject: `${at.subject}[${i}]` };
    return toNode(value, place) ?? scalar(null, place);
  });
  return { ...facts(at), is: "list", items, flow: true };
}

function mapNode(value: object, at: ValuePlace): MapNode {
  const entries = new Map<string, { range: SourceRange; value: Node }>();
  const named = at.holdsNames(at.trail) || at.isExtra(at.trail);
  for (const [property, inner] of Object.entries(value)) {
    const key = named ? property : fieldOf(property);
    if (!named && key === property && camelCase(key) !== key && fieldOf(camelCase(key)) === key) {
      const message = `${at.subject || "the project"} has a property in YAML spelling`;
      at.collector.error("unknown-field", message, at.range, `write ${camelCase(key)}`);
      continue;
    }
    const subject = at.subject === "" ? property : `${at.subject}.${property}`;
    const node = toNode(inner, { ...at, trail: { parent: at.trail, key }, subject });
    if (node) entries.set(key, { range: at.range, value: node });
  }
  return { ...facts(at), is: "map", entries, flow: true };
}

/** A construct instead of a name: presets name references after the kind. */
function reference(construct: object, what: string, at: ValuePlace): Node {
  const isExtra = at.isExtra(at.trail);
  const kind = isExtra ? undefined : referredKind(at);
  if (kind?.collection === what) return scalar(at.toName(construct), at);
  const hint = kind
    ? `give it one of the ${kind.collection}, or its name`
    : isExtra
      ? "extra is sent as it stands: write the id"
      : "constructs are allowed in presets only";
  return refused(`is a construct of ${what === "project" ? "a project" : what}`, at, hint);
}

/** The kind of what is named here: by the field of a kind, or, in presets, by the key. */
function referredKind({ trail }: ValuePlace): Kind | undefined {
  if (typeof trail?.key !== "string") return undefined;
  const collection = trail.parent?.parent;
  const own = kinds.find((kind) => !collection?.parent && kind.collection === collection?.key);
  const field = own?.fields[trail.key];
  if (own) return field?.type === "reference" ? kindNamed(field.kind) : undefined;
  return kindNamed(trail.key);
}

/** No field of the manifest is called `from`. */
function isSource(value: object): value is ValueSource {
  return typeof (value as { from?: unknown }).from === "string";
}

function sourceNode(source: ValueSource, at: ValuePlace): Node {
  if (isEnv(source)) return { ...scalar(textOrNothing(source.name), at), tag: "!env" };
  if (isFile(source)) return { ...scalar(textOrNothing(source.path), at), tag: "!file" };
  const entries = new Map<string, Entry>();
  const add = (key: string, value: unknown) => {
    const node = toNode(value, { ...at, trail: { parent: at.trail, key }, subject: `${at.subject}.${key}` });
    if (node) entries.set(key, { range: at.range, value: node });
  };
  for (const [field, value] of Object.entries(writtenFields(source))) add(field, value);
  return { ...facts(at), is: "map", entries, flow: true, tag: `!${source.from}` };
}

function textOrNothing(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

function refused(
  what: string,
  at: ValuePlace,
  hint = "use text, numbers, true, false, arrays and plain objects",
): Node {
  at.collector.error("wrong-type", `${at.subject} ${what}`, at.range, hint);
  return { ...facts(at), is: "scalar", value: null, style: "PLAIN", broken: true };
}

function describe(value: unknown): string {
  if (typeof value === "number") return `${value}, which is not a number`;
  return `a ${typeof value}`;
}
