import type { Kind, Spec } from "../../kinds/index.js";

/** Which objects this process has met as resources of the configuration. */
export interface Ownership {
  /** An object belongs to a resource. */
  claim(kind: Kind, id: string): void;
  has(kind: Kind, id: string): boolean;
  /** A resource let go of it in this very run; the plan took it to be so. */
  release(kind: Kind, id: string, as: Spec): void;
  /** What the plan took the released object to be; undefined if nobody let go of it. */
  released(kind: Kind, id: string): Spec | undefined;
  /** Takes a name for a create; false where another create of this run has it. */
  reserve(kind: Kind, label: string): boolean;
  /** The create came to nothing, or what it made was let go of. */
  giveBack(kind: Kind, label: string): void;
}

/** Nothing met yet. */
export function openOwnership(): Ownership {
  const claimed = new Set<string>();
  const released = new Map<string, Spec>();
  const reserved = new Set<string>();
  const keyOf = (kind: Kind, of: string) => `${kind.name} ${of}`;
  return {
    claim(kind, id) {
      released.delete(keyOf(kind, id));
      claimed.add(keyOf(kind, id));
    },
    has: (kind, id) => claimed.has(keyOf(kind, id)),
    release(kind, id, as) {
      claimed.delete(keyOf(kind, id));
      released.set(keyOf(kind, id), as);
    },
    released: (kind, id) => released.get(keyOf(kind, id)),
    reserve(kind, label) {
      const isFree = !reserved.has(keyOf(kind, label));
      reserved.add(keyOf(kind, label));
      return isFree;
    },
    giveBack: (kind, label) => void reserved.delete(keyOf(kind, label)),
  };
}
