import type { PrivateState } from "@avatarops/terraform-plugin";
import { openService, readOnly, type Service, type ServiceOptions } from "../api/index.js";
import type { AllowedValues, Kind, Spec } from "../kinds/index.js";
import type { Sealed } from "../secrets/index.js";
import { type AccountReader, openAccountReader } from "./roster.js";
import type { drifts } from "./settings.js";
import type { Values } from "./values.js";

/** What every resource gets of one provider block. Accounts side by side share nothing. */
export interface Account {
  /** Undefined while the address or the key is known only after apply: then nothing can be read, and plans go on. */
  readonly open?: OpenAccount;
}

/** An account that can be reached. */
export interface OpenAccount {
  /** May write: for creates, updates and tokens alone. */
  readonly service: Service;
  /** Cannot write, whatever the code above it does (rule 1). */
  readonly reader: Service;
  readonly objects: AccountReader;
  readonly ownership: Ownership;
  readonly settings: AccountSettings;
  /** Objects with edits made elsewhere that no plan has told of yet, by {@link editKey}. */
  readonly unreportedEdits: Map<string, { readonly prior: Values; readonly kept: PrivateState }>;
  /** Other services whose objects were refused: each is told once. */
  readonly reportedServices: Set<string>;
  /** The service's clock where it is known, else ours. */
  nowMs(): number;
  /** Notes this moment. Asked later, it tells when that was by the service's clock, which is known only by then. */
  stopwatch(): () => number;
}

export interface AccountSettings {
  readonly allowedValues: AllowedValues;
  readonly drift: (typeof drifts)[number];
  /** Addresses under which the state may have recorded objects of this account. */
  readonly formerUrls: readonly string[];
  readonly sandboxAvatar?: string;
  readonly fingerprintKey?: Sealed;
  /** How long a create whose answer was lost may take to show. */
  readonly settleMs: number;
}

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

export function openAccount(
  options: ServiceOptions & { readonly now: () => number },
  settings: AccountSettings,
): OpenAccount {
  const service = openService(options);
  const reader = readOnly(service);
  const nowMs = () => service.serverTime() ?? options.now();
  return {
    service,
    reader,
    objects: openAccountReader(reader),
    ownership: openOwnership(),
    settings,
    unreportedEdits: new Map(),
    reportedServices: new Set(),
    nowMs,
    stopwatch() {
      const startedMs = options.now();
      return () => nowMs() - (options.now() - startedMs);
    },
  };
}

/** By which an object with edits is kept. */
export function editKey(kind: Kind, id: string): string {
  return `${kind.name} ${id}`;
}

function openOwnership(): Ownership {
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
