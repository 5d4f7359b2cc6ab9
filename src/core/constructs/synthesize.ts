import type { IConstruct } from "constructs";
import { type SourceRange, suggest } from "../../base/diagnostics/index.js";
import { findKind, type Kind, kinds, preset, userKeyedFields, withEveryField } from "../kinds/index.js";
import {
  collectionNames,
  type DiagnosticsCollector,
  type ListNode,
  type MapEntry,
  type MapNode,
  type Node,
  reportDuplicate,
  settingNames,
  type Trail,
  toCamelCase,
  toField,
} from "../manifest/index.js";
import { isEnv, isFile, listWrittenFields, type ValueSource } from "../secrets/index.js";
import type { Frame } from "./call-site.js";
import { type ConstructArguments, readDeclaration } from "./declared.js";
import { isMadeSource } from "./sources.js";

/*
 * Converts a construct tree to the node tree of an equivalent YAML file. The same code then checks, merges and resolves
 * both notations, so they cannot differ in meaning.
 *
 * An object's key consists of the ids on the path from the project to its construct, joined with "-". The key does not
 * depend on creation order or on other constructs.
 */

export interface Synthesis {
  readonly collector: DiagnosticsCollector;
  /** Finds the file that a string in the code was read from. */
  findFile(text: string): string | undefined;
  locate(madeAt: readonly Frame[]): SourceRange;
}

export function synthesize(
  project: IConstruct,
  declared: ConstructArguments,
  { collector, findFile, locate }: Synthesis,
): MapNode {
  const range = locate(declared.madeAt);
  const root: ValueContext = {
    ...{ range, trail: undefined, subject: "", collector, within: [] },
    findFile,
  };
  const entries = new Map([...readSettings(declared, root).entries]);
  for (const [collection, objects] of readObjects(project, root, locate)) {
    entries.set(collection, {
      range,
      value: { ...toNodeFacts(root), is: "map", entries: objects, flow: true },
    });
  }
  return { ...toNodeFacts(root), is: "map", entries, flow: true };
}

function readSettings({ props }: ConstructArguments, root: ValueContext): MapNode {
  const { range, collector } = root;
  const node = toNode(props ?? {}, root);
  if (node?.is !== "map") {
    if (!node?.broken) collector.error("wrong-type", "the properties of a project must be an object", range);
    return { ...toNodeFacts(root), is: "map", entries: new Map(), flow: true };
  }
  const entries = new Map(node.entries);
  for (const key of node.entries.keys()) {
    if (settingNames.includes(key)) continue;
    entries.delete(key);
    const known = settingNames.map(toCamelCase);
    const hint = collectionNames.includes(key)
      ? "create them as constructs, with the project as the first argument"
      : suggest(key, known, `its properties are ${known.join(", ")}`);
    collector.error("unknown-field", `a project has no property ${JSON.stringify(key)}`, range, hint);
  }
  return { ...node, entries };
}

type Objects = Map<string, Map<string, MapEntry>>;

function readObjects(project: IConstruct, root: ValueContext, locate: Synthesis["locate"]): Objects {
  const objects: Objects = new Map();
  for (const construct of project.node.findAll()) {
    const declared = readDeclaration(construct);
    if (!declared || declared.what === "project") continue;
    const own = objects.get(declared.what) ?? new Map<string, MapEntry>();
    objects.set(declared.what, own);
    const name = toLogicalName(construct);
    const range = claimSpot(construct, locate(declared.madeAt));
    const trail = { parent: { parent: undefined, key: declared.what }, key: name };
    // Messages name objects by address, and presets by their path in the manifest.
    const kind = kinds.find(({ collection }) => collection === declared.what);
    const at: ValueContext = { ...root, range, trail, subject: `${kind?.name ?? declared.what}.${name}` };
    const first = own.get(name);
    if (first)
      reportDuplicate(
        `${declared.what}.${name}`,
        range,
        first.range,
        root.collector,
        "change one of the ids",
      );
    // Missing required properties are reported later.
    else own.set(name, { range, value: toNode(declared.props ?? {}, at) as Node });
  }
  return objects;
}

function toLogicalName(construct: object): string {
  return listIds(construct as IConstruct).join("-");
}

/** Lists the ids on the construct's path, below the project. */
function listIds({ node }: IConstruct): string[] {
  return node.scopes.slice(1).map((scope) => readDeclaration(scope)?.id ?? scope.node.id);
}

/** Adds a nested construct's path to its range, because the key does not show where the ids are joined. */
function claimSpot(construct: IConstruct, range: SourceRange): SourceRange {
  const path = listIds(construct);
  return path.length > 1 ? { ...range, owner: `construct ${path.join("/")}` } : range;
}

function toPath(trail: Trail | undefined): (string | number)[] {
  const path: (string | number)[] = [];
  for (let at = trail; at; at = at.parent) path.unshift(at.key);
  return path;
}

/**
 * Returns whether a value is in a mapping with the service's own keys, such as a preset's `extra`. Ignores the
 * environment in the path.
 */
function isExtra(trail: Trail | undefined): boolean {
  const path = toPath(trail);
  const [collection, , ...below] = path[0] === "environments" ? path.slice(2) : path;
  return collection === preset.collection && below.some((key) => userKeyedFields.includes(String(key)));
}

/** Returns whether a mapping's keys are names of environments, objects in an environment, or variables. */
function hasUserKeys(trail: Trail | undefined): boolean {
  const path = toPath(trail);
  const isInEnvironments = path[0] === "environments";
  if (isInEnvironments && path.length === 1) return true;
  const below = isInEnvironments ? path.slice(2) : path;
  const isInCollection = collectionNames.includes(String(below[0]));
  if (isInCollection && below.length <= 2) return isInEnvironments && below.length === 1;
  return below.at(-1) === "variables";
}

/** A value's location in code and its enclosing values. Values inside a call share the call's location. */
interface ValueContext {
  readonly range: SourceRange;
  readonly trail: Trail | undefined;
  /** Name for messages, such as `context.support.links[0].url`. */
  readonly subject: string;
  readonly collector: DiagnosticsCollector;
  /** Finds the file that a string in the code was read from. */
  findFile(text: string): string | undefined;
  /** Enclosing objects, to detect cycles. */
  readonly within: readonly object[];
}

/** Converts a value to the equivalent YAML node, or returns undefined if there is no value. */
function toNode(value: unknown, at: ValueContext): Node | undefined {
  if (value === undefined) return undefined;
  if (typeof value === "string") return createTextNode(value, at);
  if (value === null || typeof value === "boolean") return createScalar(value, at);
  if (typeof value === "number" && Number.isFinite(value)) return createScalar(value, at);
  if (typeof value === "number") return reject(`is ${value}, not a finite number`, at);
  if (typeof value !== "object") return reject(`is a ${typeof value}`, at);
  if (at.within.includes(value)) return reject("contains itself", at, "create a new object instead");
  const inner: ValueContext = { ...at, within: [...at.within, value] };
  const declared = readDeclaration(value);
  if (declared) return createReference(value, declared.what, at);
  // Fields of the manifest are never called `from`, but `extra` may contain any JSON.
  const hasFrom = typeof (value as { from?: unknown }).from === "string";
  if (isExtra(at.trail) ? isMadeSource(value) : hasFrom) return createSourceNode(value as ValueSource, at);
  if (Array.isArray(value)) return createListNode(value, inner);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) return createMapNode(value, inner);
  return reject(`is an instance of ${value.constructor?.name || "a class"}`, at);
}

function toNodeFacts({ range, trail }: ValueContext) {
  return { ...range, at: "typescript", trail } as const;
}

function createScalar(value: string | number | boolean | null, at: ValueContext): Node {
  return { ...toNodeFacts(at), is: "scalar", value, style: "PLAIN" };
}

/** Creates the node for a string. If a file has this content, the node refers to the file. */
function createTextNode(text: string, at: ValueContext): Node {
  const file = at.findFile(text);
  return file === undefined ? createScalar(text, at) : { ...createScalar(file, at), tag: "!file" };
}

function createListNode(values: readonly unknown[], at: ValueContext): ListNode {
  const areFields = at.trail?.key === "ignore_changes" && !isExtra(at.trail);
  const items = Array.from(values, (value, i) => {
    const item = { ...at, trail: { parent: at.trail, key: i }, subject: `${at.subject}[${i}]` };
    return (
      toNode(areFields && typeof value === "string" ? toField(value) : value, item) ??
      createScalar(null, item)
    );
  });
  return { ...toNodeFacts(at), is: "list", items, flow: true };
}

function createMapNode(value: object, at: ValueContext): MapNode {
  const entries = new Map<string, { range: SourceRange; value: Node }>();
  const named = hasUserKeys(at.trail) || isExtra(at.trail);
  for (const [property, inner] of Object.entries(value)) {
    const key = named ? property : toField(property);
    if (!named && key === property && toCamelCase(key) !== key && toField(toCamelCase(key)) === key) {
      const message = `${at.subject || "the project"} uses the YAML name of a property`;
      at.collector.error("unknown-field", message, at.range, `write ${toCamelCase(key)}`);
      continue;
    }
    const subject = at.subject === "" ? property : `${at.subject}.${property}`;
    const node = toNode(inner, { ...at, trail: { parent: at.trail, key }, subject });
    if (node) entries.set(key, { range: at.range, value: node });
  }
  return { ...toNodeFacts(at), is: "map", entries, flow: true };
}

/** Converts a construct that is passed instead of a name. */
function createReference(construct: object, what: string, at: ValueContext): Node {
  const kind = isExtra(at.trail) ? undefined : findReferencedKind(at);
  if (kind?.collection === what) return createScalar(toLogicalName(construct), at);
  const hint = kind
    ? `pass one of the ${kind.collection}, or its name`
    : "constructs are allowed only in references";
  return reject(`is ${what === "project" ? "a project" : `one of the ${what}`}`, at, hint);
}

/** Finds the kind that a reference points to, from the field of its object or, in presets, from the key. */
function findReferencedKind({ trail }: ValueContext): Kind | undefined {
  if (typeof trail?.key !== "string") return undefined;
  const collection = trail.parent?.parent;
  const own = kinds.find((kind) => !collection?.parent && kind.collection === collection?.key);
  const field = own && withEveryField(own).fields[trail.key];
  if (own) return field?.type === "reference" ? findKind(field.kind) : undefined;
  return findKind(trail.key);
}

function createSourceNode(source: ValueSource, at: ValueContext): Node {
  if (isEnv(source)) return { ...createScalar(toTextOrNull(source.name), at), tag: "!env" };
  if (isFile(source) && source.variables === undefined)
    return { ...createScalar(toTextOrNull(source.path), at), tag: "!file" };
  const entries = new Map<string, MapEntry>();
  const add = (key: string, value: unknown) => {
    const node = toNode(value, { ...at, trail: { parent: at.trail, key }, subject: `${at.subject}.${key}` });
    if (node) entries.set(key, { range: at.range, value: node });
  };
  for (const [field, value] of Object.entries(listWrittenFields(source))) add(field, value);
  return { ...toNodeFacts(at), is: "map", entries, flow: true, tag: `!${source.from}` };
}

function toTextOrNull(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

function reject(
  what: string,
  at: ValueContext,
  hint = "use strings, numbers, true, false, arrays and plain objects",
): Node {
  at.collector.error("wrong-type", `${at.subject} ${what}`, at.range, hint);
  return { ...toNodeFacts(at), is: "scalar", value: null, style: "PLAIN", broken: true };
}
