import { toCanonicalId } from "../../../base/text/index.js";
import type { Kind, Spec } from "../../../core/kinds/index.js";

/** Which objects this process has met as resources of the configuration. */
export type Ownership = ReturnType<typeof openOwnership>;

/** Nothing met yet. */
export function openOwnership() {
  const claimed = new Set<string>();
  const released = new Map<string, Spec>();
  const contested = new Set<string>();
  // By name: each object that is to have it, and whether it has it already. The id of a new one is undefined.
  const reserved = new Map<string, Map<string | undefined, boolean>>();
  const toKey = (kind: Kind, of: string) => `${kind.name} ${toCanonicalId(of)}`;
  return {
    /** An object belongs to a resource, which is known by a name, or by the id it adopts. */
    claim(kind: Kind, id: string, knownBy?: string): void {
      released.delete(toKey(kind, id));
      claimed.add(toKey(kind, id));
      if (knownBy === undefined) return;
      const holders = reserved.get(toKey(kind, knownBy)) ?? new Map();
      holders.delete(undefined);
      reserved.set(toKey(kind, knownBy), holders.set(id, true));
    },
    has: (kind: Kind, id: string) => claimed.has(toKey(kind, id)),
    /** A resource let go of it in this very run; the plan took it to be so. */
    release(kind: Kind, id: string, as: Spec): void {
      claimed.delete(toKey(kind, id));
      released.set(toKey(kind, id), as);
    },
    /** What the plan took the released object to be; undefined if nobody let go of it. */
    released: (kind: Kind, id: string) => released.get(toKey(kind, id)),
    /** A new resource was refused, since this object has its name. */
    contest: (kind: Kind, id: string) => void contested.add(toKey(kind, id)),
    isContested: (kind: Kind, id: string) => contested.has(toKey(kind, id)),
    /**
     * Reserves what a resource is to be known by; returns false if another resource reserved it. Objects that have the name
     * already may share it. `id`: of the resource's object; undefined where it has none yet.
     */
    reserve(kind: Kind, knownBy: string, id: string | undefined, hasIt: boolean): boolean {
      const key = toKey(kind, knownBy);
      const holders = reserved.get(key) ?? new Map<string | undefined, boolean>();
      const others = [...holders].filter(([other]) => id === undefined || other !== id);
      const isFree = others.every(([, otherHasIt]) => hasIt && otherHasIt);
      if (isFree) reserved.set(key, holders.set(id, hasIt));
      return isFree;
    },
    /** Gives up a name: the create failed, or the object was forgotten or deleted. */
    giveBack: (kind: Kind, knownBy: string, id?: string) =>
      void reserved.get(toKey(kind, knownBy))?.delete(id),
  };
}
