import type { Unknown } from "@avatarops/terraform-plugin";
import type { Kind } from "../../../core/kinds/index.js";

/** Change to an object's name in a plan. */
export interface NameChange {
  /** Object id, or undefined for a new object. */
  readonly id?: string | undefined;
  readonly before?: string | undefined;
  /** New name, or undefined if the object leaves the configuration. */
  readonly after?: string | Unknown | undefined;
  /** Whether the object is also deleted from the account. */
  readonly isDeleted?: boolean;
}

/** Change that gives up a name. */
export type NameRelease = NameChange & { readonly id: string; readonly before: string };

/** Name that moves between two resources of a plan. */
export interface MovedName {
  /** Change that takes the name. */
  readonly taker: NameChange;
  readonly release: NameRelease;
  /** Change to apply first, which is the last known one in the chain of names. Undefined if the names form a cycle. */
  readonly first: NameRelease | undefined;
}

/** Names that a plan gives up and takes. Terraform plans one resource at a time, in any order. */
export type PlannedNames = ReturnType<typeof openPlannedNames>;

export function openPlannedNames() {
  const released = new Map<string, NameRelease>();
  const taken = new Map<string, NameChange>();
  let isApplying = false;
  const toKey = (kind: Kind, name: string) => `${kind.name} ${name}`;

  /** Follows a chain of names to the change that does not depend on another planned change. */
  function findFirst(kind: Kind, release: NameRelease): NameRelease | undefined {
    // Without unique names, a rename does not depend on other changes.
    if (!kind.uniqueLabels) return release;
    const seen = new Set<NameRelease>();
    let first = release;
    while (!seen.has(first)) {
      seen.add(first);
      const next = typeof first.after === "string" ? released.get(toKey(kind, first.after)) : undefined;
      if (!next) return first;
      first = next;
    }
    return undefined;
  }

  return {
    /** Adds a change. Returns the name that moves between its resource and another resource of the plan, if any. */
    add(kind: Kind, change: NameChange): MovedName | undefined {
      const { id, before, after } = change;
      if (isApplying || before === after) return undefined;
      const isRelease = id !== undefined && before !== undefined;
      const own: NameRelease | undefined = isRelease ? { ...change, id, before } : undefined;
      if (own) released.set(toKey(kind, own.before), own);
      // If names need not be unique, only a create looks up its name.
      const isTaker = kind.uniqueLabels || id === undefined;
      const taking = isTaker && typeof after === "string" ? toKey(kind, after) : undefined;
      if (taking !== undefined) taken.set(taking, change);
      const taker = own && taken.get(toKey(kind, own.before));
      if (own && taker) return { taker, release: own, first: findFirst(kind, own) };
      const release = taking === undefined ? undefined : released.get(taking);
      return release && { taker: change, release, first: findFirst(kind, release) };
    },
    /** Stops recording changes, because an apply plans each resource again after earlier changes. */
    startApply(): void {
      isApplying = true;
    },
  };
}
