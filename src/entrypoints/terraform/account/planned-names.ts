import type { Unknown } from "@avatarops/terraform-plugin";
import type { Kind } from "../../../core/kinds/index.js";

/** What a plan does to the name of an object. */
export interface NameChange {
  /** Undefined for a new object. */
  readonly id?: string | undefined;
  readonly before?: string | undefined;
  /** Undefined if the object leaves the configuration. */
  readonly after?: string | Unknown | undefined;
  /** It leaves the account as well. */
  readonly isDeleted?: boolean;
}

/** A change that gives up a name. */
export type NameRelease = NameChange & { readonly id: string; readonly before: string };

/** A name that moves between two resources of a plan. */
export interface MovedName {
  readonly release: NameRelease;
  /** The change to apply first; undefined if names are exchanged in a circle. */
  readonly first: NameRelease | undefined;
}

/** The names that a plan gives up and takes. Terraform plans one resource at a time, in any order. */
export type PlannedNames = ReturnType<typeof openPlannedNames>;

export function openPlannedNames() {
  const released = new Map<string, NameRelease>();
  const taken = new Set<string>();
  let isApplying = false;
  const toKey = (kind: Kind, name: string) => `${kind.name} ${name}`;

  /** Follows a chain of names to the change that waits for no other. */
  function findFirst(kind: Kind, release: NameRelease): NameRelease | undefined {
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
    /** Notes a change; returns a name that it gives to another resource of the plan, or takes from one. */
    add(kind: Kind, change: NameChange): MovedName | undefined {
      const { id, before, after } = change;
      if (isApplying || before === after) return undefined;
      const isRelease = id !== undefined && before !== undefined;
      const own: NameRelease | undefined = isRelease ? { ...change, id, before } : undefined;
      if (own) released.set(toKey(kind, own.before), own);
      // Where names need not be unique, only a create looks for its name.
      const isTaker = kind.uniqueLabels || id === undefined;
      const taking = isTaker && typeof after === "string" ? toKey(kind, after) : undefined;
      if (taking !== undefined) taken.add(taking);
      const release =
        own && taken.has(toKey(kind, own.before))
          ? own
          : taking !== undefined
            ? released.get(taking)
            : undefined;
      return release && { release, first: findFirst(kind, release) };
    },
    /** Adds nothing from here on: an apply plans each change once more, when those before it are made. */
    startApply(): void {
      isApplying = true;
    },
  };
}
