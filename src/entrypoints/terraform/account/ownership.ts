import type { Kind, Spec } from "../../../core/kinds/index.js";

/** Which objects this process has met as resources of the configuration. */
export type Ownership = ReturnType<typeof openOwnership>;

/** Nothing met yet. */
export function openOwnership() {
  const claimed = new Set<string>();
  const released = new Map<string, Spec>();
  const contested = new Set<string>();
  const reserved = new Map<string, string | undefined>();
  const toKey = (kind: Kind, of: string) => `${kind.name} ${of}`;
  return {
    /** An object belongs to a resource, which is known by a name, or by the id it adopts. */
    claim(kind: Kind, id: string, knownBy?: string): void {
      released.delete(toKey(kind, id));
      claimed.add(toKey(kind, id));
      if (knownBy !== undefined) reserved.set(toKey(kind, knownBy), id);
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
     * Notes what a resource is to be known by. `id`: of its object; undefined where it has none yet. False where another
     * resource is to be known by it, too.
     */
    reserve(kind: Kind, knownBy: string, id: string | undefined): boolean {
      const key = toKey(kind, knownBy);
      const isFree = !reserved.has(key) || (id !== undefined && reserved.get(key) === id);
      if (isFree) reserved.set(key, id);
      return isFree;
    },
    /** The create came to nothing, or what it made was let go of. */
    giveBack: (kind: Kind, knownBy: string) => void reserved.delete(toKey(kind, knownBy)),
  };
}
