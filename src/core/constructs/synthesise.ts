import type { IConstruct } from "constructs";
import { type SourceRange, suggest } from "../../base/diagnostics/index.js";
import { type Kind, kindNamed, kinds, preset, userKeyedFields, withEveryField } from "../kinds/index.js";
import {
  camelCase,
  collectionNames,
  type DiagnosticsCollector,
  type Entry,
  type ListNode,
  type MapNode,
  type Node,
  reportTwice,
  settingNames,
  type Trail,
  toField,
} from "../manifest/index.js";
import { isEnv, isFile, type ValueSource, writtenFields } from "../secrets/index.js";
import type { Frame } from "./call-site.js";
import { type Declared, declaredBy } from "./declared.js";
import { isMadeSource } from "./sources.js";

/*
 * Turns a tree of constructs into the tree of an equivalent YAML file. From there on, the manifest's code
 * does all checks, merges and references, so that both notations mean the same.
 *
 * A logical name is the path of the construct below its project, joined with "-". It depends only on the ids
 * in that path: not on the order of creation, and not on other constructs.
 */

export interface Synthesis {
  readonly collector: DiagnosticsCollector;
  /** The file of a text in the code, if it was read from one. */
  findFile(text: string): string | undefined;
  locate(madeAt: readonly Frame[]): SourceRange;
}

export function synthesise(
  project: IConstruct,
  declared: Declared,
  { collector, findFile, locate }: Synthesis,
): MapNode {
  const range = locate(declared.madeAt);
  const root: ValuePlace = {
    ...{ range, trail: undefined, subject: "", collector, within: [] },
    findFile,
  };
  const entries = new Map([...readSettings(declared, root).entries]);
  for (const [collection, objects] of readObjects(project, root, locate)) {
    entries.set(collection, { range, value: { ...facts(root), is: "map", entries: objects, flow: true } });
  }
  return { ...facts(root), is: "map", entries, flow: true };
}

function readSettings({ props }: Declared, root: ValuePlace): MapNode {
  const { range, collector } = root;
  const node = toNode(props ?? {}, root);
  if (node?.is !== "map") {
    if (!node?.broken) collector.error("wrong-type", "the properties of a project must be an object", range);
    return { ...facts(root), is: "map", entries: new Map(), flow: true };
  }
  const entries = new Map(node.entries);
  for (const key of node.entries.keys()) {
    if (settingNames.includes(key)) continue;
    entries.delete(key);
    const known = settingNames.map(camelCase);
    const hint = collectionNames.includes(key)
      ? "make them as constructs, with the project as their first argument"
      : suggest(key, known, `its properties are ${known.join(", ")}`);
    collector.error("unknown-field", `a project has no property ${JSON.stringify(key)}`, range, hint);
  }
  return { ...node, entries };
}

type Objects = Map<string, Map<string, Entry>>;

function readObjects(project: IConstruct, root: ValuePlace, locate: Synthesis["locate"]): Objects {
  const objects: Objects = new Map();
  for (const construct of project.node.findAll()) {
    const declared = declaredBy(construct);
    if (!declared || declared.what === "project") continue;
    const own = objects.get(declared.what) ?? new Map<string, Entry>();
    objects.set(declared.what, own);
    const name = toLogicalName(construct);
    const range = ownedSpot(construct, locate(declared.madeAt));
    const trail = { parent: { parent: undefined, key: declared.what }, key: name };
    // By its address; a preset by its place in the manifest.
    const kind = kinds.find(({ collection }) => collection === declared.what);
    const at: ValuePlace = { ...root, range, trail, subject: `${kind?.name ?? declared.what}.${name}` };
    const first = own.get(name);
    if (first)
      reportTwice(`${declared.what}.${name}`, range, first.range, root.collector, "give one another id");
    // Without properties, what is missing is reported later.
    else own.set(name, { range, value: toNode(declared.props ?? {}, at) as Node });
  }
  return objects;
}

function toLogicalName(construct: object): string {
  return listIds(construct as IConstruct).join("-");
}

/** The ids below the project, as given. */
function listIds({ node }: IConstruct): string[] {
  return node.scopes.slice(1).map((scope) => declaredBy(scope)?.id ?? scope.node.id);
}

/** For a nested construct also its path: the name alone does not show where the parts join. */
function ownedSpot(construct: IConstruct, range: SourceRange): SourceRange {
  const path = listIds(construct);
  return path.length > 1 ? { ...range, owner: `construct ${path.join("/")}` } : range;
}

function toPath(trail: Trail | undefined): (string | number)[] {
  const path: (string | number)[] = [];
  for (let at = trail; at; at = at.parent) path.unshift(at.key);
  return path;
}

/** Within `extra` of a preset, or another mapping by keys of the service's own; also of one that differs in an environment. */
function isExtra(trail: Trail | undefined): boolean {
  const path = toPath(trail);
  const [collection, , ...below] = path[0] === "environments" ? path.slice(2) : path;
  return collection === preset.collection && below.some((key) => userKeyedFields.includes(String(key)));
}

/** Names of environments, of objects within one, and of variables. */
function holdsNames(trail: Trail | undefined): boolean {
  const path = toPath(trail);
  if (path.at(-1) === "variables") return true;
  if (path[0] !== "environments") return false;
  return path.length === 1 || (path.length === 3 && collectionNames.includes(String(path[2])));
}

/** The place of a value in code. Within a call, only the call itself has a place. */
interface ValuePlace {
  readonly range: SourceRange;
  readonly trail: Trail | undefined;
  /** Its name in messages: `context.support.links[0].url`. */
  readonly subject: string;
  readonly collector: DiagnosticsCollector;
  /** See `Synthesis`. */
  findFile(text: string): string | undefined;
  /** The objects that contain it. */
  readonly within: readonly object[];
}

/** A value as the equivalent YAML node; undefined if there is no value. */
function toNode(value: unknown, at: ValuePlace): Node | undefined {
  if (value === undefined) return undefined;
  if (typeof value === "string") return textNode(value, at);
  if (value === null || typeof value === "boolean") return scalar(value, at);
  if (typeof value === "number" && Number.isFinite(value)) return scalar(value, at);
  if (typeof value === "number") return refused(`is ${value}, which is not a number`, at);
  if (typeof value !== "object") return refused(`is a ${typeof value}`, at);
  if (at.within.includes(value)) return refused("contains itself", at, "create a new object instead");
  const inner: ValuePlace = { ...at, within: [...at.within, value] };
  const declared = declaredBy(value);
  if (declared) return reference(value, declared.what, at);
  // Any JSON may be in `extra`, also with a text called `from`; no field of the manifest is called so.
  const hasFrom = typeof (value as { from?: unknown }).from === "string";
  if (isExtra(at.trail) ? isMadeSource(value) : hasFrom) return sourceNode(value as ValueSource, at);
  if (Array.isArray(value)) return listNode(value, inner);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) return mapNode(value, inner);
  return refused(`is a ${value.constructor?.name || "class instance"}`, at);
}

function facts({ range, trail }: ValuePlace) {
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
  const areFields = at.trail?.key === "ignore_changes" && !isExtra(at.trail);
  const items = Array.from(values, (value, i) => {
    const place = { ...at, trail: { parent: at.trail, key: i }, subject: `${at.subject}[${i}]` };
    return (
      toNode(areFields && typeof value === "string" ? toField(value) : value, place) ?? scalar(null, place)
    );
  });
  return { ...facts(at), is: "list", items, flow: true };
}

function mapNode(value: object, at: ValuePlace): MapNode {
  const entries = new Map<string, { range: SourceRange; value: Node }>();
  const named = holdsNames(at.trail) || isExtra(at.trail);
  for (const [property, inner] of Object.entries(value)) {
    const key = named ? property : toField(property);
    if (!named && key === property && camelCase(key) !== key && toField(camelCase(key)) === key) {
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
  const kind = isExtra(at.trail) ? undefined : findReferencedKind(at);
  if (kind?.collection === what) return scalar(toLogicalName(construct), at);
  const hint = kind
    ? `give it one of the ${kind.collection}, or its name`
    : "constructs are allowed only where something is referred to";
  return refused(`is a construct of ${what === "project" ? "a project" : what}`, at, hint);
}

/** The kind of what is named here: by the field of a kind, or, in presets, by the key. */
function findReferencedKind({ trail }: ValuePlace): Kind | undefined {
  if (typeof trail?.key !== "string") return undefined;
  const collection = trail.parent?.parent;
  const own = kinds.find((kind) => !collection?.parent && kind.collection === collection?.key);
  const field = own && withEveryField(own).fields[trail.key];
  if (own) return field?.type === "reference" ? kindNamed(field.kind) : undefined;
  return kindNamed(trail.key);
}

function sourceNode(source: ValueSource, at: ValuePlace): Node {
  if (isEnv(source)) return { ...scalar(textOrNothing(source.name), at), tag: "!env" };
  if (isFile(source) && source.variables === undefined)
    return { ...scalar(textOrNothing(source.path), at), tag: "!file" };
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
