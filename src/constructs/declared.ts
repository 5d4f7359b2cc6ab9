import { Construct, type IConstruct, Node, RootConstruct } from "constructs";
import { callSite, type Frame } from "./call-site.js";

/*
 * What a construct declares hangs on it under a symbol that all copies of avatarops know. The files of a project may use
 * their own copy while another one, perhaps of another version, runs the command: classes are never asked for, and
 * everything but this record is made by the copy that runs.
 */

/** What a construct declares, as it was given: nothing in it is checked. */
export interface Declared {
  /** Of this record. */
  readonly version: 1;
  /** "project", or the collection of the manifest it belongs to. */
  readonly what: string;
  /** The id it was given; "" where that was none. */
  readonly id: string;
  readonly props: unknown;
  /** Where it was made, the innermost call first. */
  readonly madeAt: readonly Frame[];
}

/** A construct that declares one object. Whatever it is given, it does not throw: what is wrong is told with its place. */
export class DeclaredConstruct extends Construct {
  constructor(what: string, scope: Construct, id: string, props: unknown) {
    const place = placeFor(scope, id);
    super(place.scope, place.id);
    if (place.node) Object.defineProperty(this, "node", { value: new place.node(this, scope, place.id) });
    const name = typeof id === "string" ? id : "";
    declare(this, { version: 1, what, id: name, props, madeAt: callSite(new.target) });
    if (!isOpen(scope)) strays.push(this);
  }
}

/**
 * From now on, constructs of the project's own classes are noted with where they were made: what they find wrong with
 * themselves is told there. `constructs` has no hook for that; where it changes, they are told at the project.
 */
export function noteMaking(root: IConstruct): void {
  const nodes = Object.getPrototypeOf(root.node) as { addChild?: AddChild; [noted]?: true };
  const { addChild } = nodes;
  if (!addChild || nodes[noted]) return;
  nodes[noted] = true;
  nodes.addChild = function adding(child, name) {
    addChild.call(this, child, name);
    if (child instanceof DeclaredConstruct) return;
    // A class without a constructor of its own may be no call at all.
    const frames = callSite(child.constructor);
    Object.defineProperty(child, madeAt, { value: frames.length > 0 ? frames : callSite(adding) });
  };
}

type AddChild = (this: unknown, child: IConstruct, name: string) => void;

/** Where a construct was made, the innermost call first; empty where that is not known. */
export function framesOfMaking(construct: object): readonly Frame[] {
  return declaredBy(construct)?.madeAt ?? (construct as { [madeAt]?: readonly Frame[] })[madeAt] ?? [];
}

/** Notes what a construct declares. */
export function declare(construct: object, declared: Declared): void {
  Object.defineProperty(construct, mark, { value: declared });
}

/** What a value declares, whichever copy of avatarops made it. */
export function declaredBy(value: unknown): Declared | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  return (value as { [mark]?: Declared })[mark];
}

/** The constructs made since it was last asked that belong nowhere. */
export function takeUndeclared(): object[] {
  return strays.splice(0);
}

const mark: unique symbol = Symbol.for("avatarops.declared") as never;
const madeAt: unique symbol = Symbol.for("avatarops.madeAt") as never;
const noted: unique symbol = Symbol.for("avatarops.noted") as never;
const strays = sharedList(Symbol.for("avatarops.strays"));

/** One for all copies in this process. */
function sharedList(name: symbol): object[] {
  const world = globalThis as unknown as Record<symbol, object[] | undefined>;
  world[name] ??= [];
  return world[name];
}

interface Place {
  readonly scope: Construct;
  readonly id: string;
  /** The class of nodes of the scope's own copy of `constructs`: what is inside of nodes differs between versions. */
  readonly node?: typeof Node;
}

/**
 * A place in the tree where a construct can be, since `constructs` throws where it cannot. A context and a voice may have
 * one name, as they may in YAML; two contexts may not, and both have to be in the tree to be told apart.
 */
function placeFor(scope: IConstruct, id: string): Place {
  if (!isOpen(scope)) return { scope: new RootConstruct(), id: "stray" };
  const stem = typeof id === "string" && id !== "" ? id : "unnamed";
  let free = stem;
  // `constructs` keeps children in a plain object, which seems to have a "constructor" from the start.
  const isTaken = () => scope.node.tryFindChild(free) !== undefined || free in Object.prototype;
  for (let i = 2; isTaken(); i++) free = `${stem}#${i}`;
  const node = scope.node.constructor as typeof Node;
  return node === Node ? { scope, id: free } : { scope: new RootConstruct(), id: free, node };
}

function isOpen(scope: unknown): scope is Construct {
  return Construct.isConstruct(scope) && !scope.node.locked;
}
