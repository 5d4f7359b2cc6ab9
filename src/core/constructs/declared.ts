import { Construct, type IConstruct, Node, RootConstruct } from "constructs";
import { captureCallSite, type Frame } from "./call-site.js";

/*
 * Stores a construct's declaration on the construct, under a symbol that all copies of avatarops share. The project may
 * import a different copy or version of avatarops than the running command, so the command reads only this declaration
 * and never checks classes.
 */

/** Unchecked construct arguments. */
export interface ConstructArguments {
  readonly version: 1;
  /** "project", or the object's collection in the manifest. */
  readonly what: string;
  /** Id as given, or "" if it is not a string. */
  readonly id: string;
  readonly props: unknown;
  /** Call stack of the construct's creation, innermost first. */
  readonly madeAt: readonly Frame[];
}

/**
 * A construct that declares one object. Checks only its scope, because other errors are reported later, with their
 * location. A scope is locked once its project is read, because later constructs would be lost.
 */
export class DeclaredConstruct extends Construct {
  constructor(what: string, scope: Construct, id: string, props: unknown) {
    if (!Construct.isConstruct(scope))
      throw new TypeError("the first argument of a construct must be the project, or a construct in it");
    if (scope.node.locked) {
      const advice =
        "Add the missing `await`. Create the project in TypeScript, because Node keeps JavaScript modules for the next read";
      throw new Error(`${what}.${String(id)} was created after its project was read. ${advice}.`);
    }
    const position = findFreePosition(scope, id);
    super(position.scope, position.id);
    if (position.node)
      Object.defineProperty(this, "node", { value: new position.node(this, scope, position.id) });
    const name = typeof id === "string" ? id : "";
    declare(this, { version: 1, what, id: name, props, madeAt: captureCallSite(new.target) });
  }
}

export function declare(construct: object, declared: ConstructArguments): void {
  Object.defineProperty(construct, mark, { value: declared });
}

/** Reads a construct's declaration from any copy of avatarops. */
export function readDeclaration(value: unknown): ConstructArguments | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  return (value as { [mark]?: ConstructArguments })[mark];
}

const mark: unique symbol = Symbol.for("avatarops.declared") as never;

interface TreePosition {
  readonly scope: Construct;
  readonly id: string;
  /** Set if the scope comes from another copy of `constructs`, whose `Node` may have different internals. */
  readonly node?: typeof Node;
}

/**
 * Finds a free id in the tree, because `constructs` throws for duplicates. A context and a voice may share a name, and
 * duplicate contexts must be in the tree to be reported.
 */
function findFreePosition(scope: IConstruct, id: string): TreePosition {
  const stem = typeof id === "string" && id !== "" ? id : "unnamed";
  let free = stem;
  // `constructs` keeps children in a plain object, which inherits names such as "constructor".
  const isTaken = () => scope.node.tryFindChild(free) !== undefined || free in Object.prototype;
  for (let i = 2; isTaken(); i++) free = `${stem}#${i}`;
  const node = scope.node.constructor as typeof Node;
  return node === Node ? { scope, id: free } : { scope: new RootConstruct(), id: free, node };
}

/** Construct for the kind `Name`. */
export type ConstructOf<Name extends string> = DeclaredConstruct & { readonly kind: Name };
