import type { IConstruct } from "constructs";
import { type SourceRange, suggest } from "../../base/diagnostics/index.js";
import { kinds, preset } from "../kinds/index.js";
import {
  camelCase,
  collectionNames,
  type DiagnosticsCollector,
  type Entry,
  type MapNode,
  type Node,
  reportTwice,
  settingNames,
  type Trail,
} from "../manifest/index.js";
import type { Frame } from "./call-site.js";
import { type Declared, declaredBy, findFrames } from "./declared.js";
import { facts, toNode, type ValuePlace } from "./values.js";

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
    ...{ toName: toLogicalName, holdsNames, isExtra, findFile },
  };
  const entries = new Map([...readSettings(declared, root).entries]);
  for (const [collection, objects] of readObjects(project, root, locate)) {
    entries.set(collection, { range, value: { ...facts(root), is: "map", entries: objects, flow: true } });
  }
  reportInvalid(project, root, locate);
  return { ...facts(root), is: "map", entries, flow: true };
}

/** Validation errors of constructs, from `node.addValidation`. */
function reportInvalid(
  project: IConstruct,
  { collector, range }: ValuePlace,
  locate: Synthesis["locate"],
): void {
  for (const construct of project.node.findAll()) {
    const problems = construct.node.validate();
    if (problems.length === 0) continue;
    const madeAt = findFrames(construct);
    const at = madeAt.length > 0 ? ownedSpot(construct, locate(madeAt)) : range;
    for (const problem of problems) {
      const path = listIds(construct).join("/");
      collector.error("construct-invalid", path ? `${path}: ${problem}` : problem, at);
    }
  }
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
    const at: ValuePlace = { ...root, range, trail, subject: toSubject(declared.what, name) };
    const first = own.get(name);
    if (first)
      reportTwice(`${declared.what}.${name}`, range, first.range, root.collector, "give one another id");
    else own.set(name, { range, value: declaredValue(declared.props, at) });
  }
  return objects;
}

/** An object without properties: reports what is missing later. */
function declaredValue(props: unknown, at: ValuePlace): Node {
  return toNode(props ?? {}, at) as Node;
}

/** How messages refer to an object: by its address; to a preset by its place in the manifest. */
function toSubject(collection: string, name: string): string {
  const kind = kinds.find((candidate) => candidate.collection === collection);
  return `${kind?.name ?? collection}.${name}`;
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

/** Within `extra` of a preset, also of one that differs in an environment. */
function isExtra(trail: Trail | undefined): boolean {
  const path = toPath(trail);
  const [collection, , ...below] = path[0] === "environments" ? path.slice(2) : path;
  return collection === preset.collection && below.includes(preset.extra.key);
}

/** Names of environments, and of objects within one. */
function holdsNames(trail: Trail | undefined): boolean {
  const path = toPath(trail);
  if (path[0] !== "environments") return false;
  return path.length === 1 || (path.length === 3 && collectionNames.includes(String(path[2])));
}
