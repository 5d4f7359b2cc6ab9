import { Construct, type IConstruct, Node, RootConstruct } from "constructs";
import { callSite, type Frame } from "./call-site.js";

/*
 * A construct's declaration is stored on it under a symbol that all copies of avatarops share. The files of a
 * project may use their own copy while another one, perhaps of another version, runs the command: no code
 * checks classes, and the running copy makes everything except this record.
 */

/** What a construct declares, exactly as given: nothing in it is checked. */
export interface Declared {
  readonly version: 1;
  /** "project", or its collection in the manifest. */
  readonly what: string;
  /** The given id; "" if it is not a string. */
  readonly id: string;
  readonly props: unknown;
  /** Where it was created, the innermost call first. */
  readonly madeAt: readonly Frame[];
}

/** A construct that declares one object. Apart from its scope, what it is given is not checked: errors are reported with their place. */
export class DeclaredConstruct extends Construct {
  constructor(what: string, scope: Construct, id: string, props: unknown) {
    if (!Construct.isConstruct(scope))
      throw new TypeError("the first argument of a construct must be the project, or a construct in it");
    const place = placeFor(scope, id);
    super(place.scope, place.id);
    if (place.node) Object.defineProperty(this, "node", { value: new place.node(this, scope, place.id) });
    const name = typeof id === "string" ? id : "";
    declare(this, { version: 1, what, id: name, props, madeAt: callSite(new.target) });
  }
}

export function declare(construct: object, declared: Declared): void {
  Object.defineProperty(construct, mark, { value: declared });
}

/** What a value declares, whichever copy of avatarops created it. */
export function declaredBy(value: unknown): Declared | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  return (value as { [mark]?: Declared })[mark];
}

const mark: unique symbol = Symbol.for("avatarops.declared") as never;

interface NodePlace {
  readonly scope: Construct;
  readonly id: string;
  /** The node class of the scope's own copy of `constructs`: the inside of nodes differs between versions. */
  readonly node?: typeof Node;
}

/**
 * A valid place for a construct in the tree, because `constructs` throws for an invalid one. A context and a
 * voice may have the same name, as in YAML; two contexts may not, and both must be in the tree to report
 * that.
 */
function placeFor(scope: IConstruct, id: string): NodePlace {
  const stem = typeof id === "string" && id !== "" ? id : "unnamed";
  let free = stem;
  // `constructs` keeps children in a plain object, which seems to have a "constructor" from the start.
  const isTaken = () => scope.node.tryFindChild(free) !== undefined || free in Object.prototype;
  for (let i = 2; isTaken(); i++) free = `${stem}#${i}`;
  const node = scope.node.constructor as typeof Node;
  return node === Node ? { scope, id: free } : { scope: new RootConstruct(), id: free, node };
}

/** A construct of a kind, by the kind's name. */
export type ConstructOf<Name extends string> = DeclaredConstruct & { readonly kind: Name };
