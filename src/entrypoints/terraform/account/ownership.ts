import { toCanonicalId } from "../../../base/text/index.js";
import type { Kind, Spec } from "../../../core/kinds/index.js";

/** Objects and names that the configuration's resources use, as far as this process has seen. */
export type Ownership = ReturnType<typeof openOwnership>;

export function openOwnership() {
  const claimed = new Set<string>();
  const released = new Map<string, Spec>();
  const contested = new Set<string>();
  // For each name, the ids of the objects that have it or will get it, and whether each already has it. The id of a new
  // object is undefined.
  const reserved = new Map<string, Map<string | undefined, boolean>>();
  // Resource ids of the planned existing objects, by key.
  const planned = new Map<string, string | undefined>();
  let isApplying = false;
  const toKey = (kind: Kind, text: string) => `${kind.name} ${toCanonicalId(text)}`;
  return {
    /** Records that an object belongs to a resource. `name` is the object's name, or the id that the resource adopts. */
    claim(kind: Kind, id: string, name?: string): void {
      released.delete(toKey(kind, id));
      claimed.add(toKey(kind, id));
      if (name === undefined) return;
      const holders = reserved.get(toKey(kind, name)) ?? new Map();
      holders.delete(undefined);
      reserved.set(toKey(kind, name), holders.set(id, true));
    },
    isClaimed: (kind: Kind, id: string) => claimed.has(toKey(kind, id)),
    /** Records that a resource gave up an object in this run. `planned` contains the values that the plan saw. */
    release(kind: Kind, id: string, planned: Spec): void {
      claimed.delete(toKey(kind, id));
      released.set(toKey(kind, id), planned);
    },
    /** Returns the values that the plan saw, for an object that was given up in this run. */
    findReleased: (kind: Kind, id: string) => released.get(toKey(kind, id)),
    /** Records that a new resource was rejected because this object already has the name. */
    contest: (kind: Kind, id: string) => void contested.add(toKey(kind, id)),
    isContested: (kind: Kind, id: string) => contested.has(toKey(kind, id)),
    /**
     * Reserves a name, or an id to adopt. Returns false if another resource reserved it, unless both objects already
     * have the name. A new object has no `id`.
     */
    reserve(kind: Kind, name: string, id: string | undefined, hasName: boolean): boolean {
      const key = toKey(kind, name);
      const holders = reserved.get(key) ?? new Map<string | undefined, boolean>();
      const others = [...holders].filter(([other]) => id === undefined || other !== id);
      const isFree = others.every(([, otherHasName]) => hasName && otherHasName);
      if (isFree) reserved.set(key, holders.set(id, hasName));
      return isFree;
    },
    /**
     * Records the plan of an existing object. Returns false if another resource also plans it. Terraform may plan one
     * resource twice, with the same resource id.
     */
    planExisting(kind: Kind, id: string, resourceId: string | undefined): boolean {
      if (isApplying) return true;
      const key = toKey(kind, id);
      const isNew = !planned.has(key);
      if (isNew) planned.set(key, resourceId);
      return isNew || planned.get(key) === resourceId;
    },
    /** Stops recording plans, because an apply plans each resource again after earlier changes. */
    startApply(): void {
      isApplying = true;
    },
    /** Frees a name after a failed create, or when the object was forgotten or deleted. */
    releaseName: (kind: Kind, name: string, id?: string) => void reserved.get(toKey(kind, name))?.delete(id),
  };
}
