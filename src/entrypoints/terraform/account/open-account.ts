import type { PrivateState } from "@avatarops/terraform-plugin";
import type { System } from "../../../base/system/index.js";
import {
  openService,
  readOnly,
  type Service,
  type ServiceError,
  type ServiceOptions,
  withDeadline,
} from "../../../core/api/index.js";
import { type AllowedValues, type Kind, listKinds, type ProfileName } from "../../../core/kinds/index.js";
import { openReferenceReader, type ReferenceReader, startStopwatch } from "../../../core/lifecycle/index.js";
import type { Sealed } from "../../../core/secrets/index.js";
import type { drifts } from "../settings.js";
import type { Values } from "../values.js";
import { type AccountReader, openAccountReader } from "./account-reader.js";
import { type Ownership, openOwnership } from "./ownership.js";
import { openPlannedNames, type PlannedNames } from "./planned-names.js";
import { untilDeadline } from "./until-deadline.js";

/** What every resource gets of one provider block. Accounts side by side share nothing. */
export interface Account {
  /** Undefined while the address or the key is known only after apply: then nothing can be read, and plans go on. */
  readonly open?: OpenAccount;
}

/** An account that can be reached. */
export interface OpenAccount {
  /** May write: only for creates, updates and tokens. */
  readonly service: Service;
  /** Cannot write, whatever the code above it does (rule 1). */
  readonly reader: Service;
  readonly objects: AccountReader;
  readonly findUsers: ReferenceReader;
  readonly ownership: Ownership;
  readonly plannedNames: PlannedNames;
  readonly settings: AccountSettings;
  /** Objects with edits made elsewhere that no plan has reported yet, by `toEditKey`. */
  readonly unreportedEdits: Map<string, { readonly prior: Values; readonly saved: PrivateState }>;
  /** What was superseded and is to be deleted, by id, while something refers to it: a later write may end that. */
  readonly inUse: Map<string, { readonly kind: Kind; readonly users: ReadonlySet<string> }>;
  /** Facts that are reported once, not for each object: other services and headlines. */
  readonly reported: Set<string>;
  /** Why nothing more is asked of the service. */
  readonly outage: { error?: ServiceError; isReported?: boolean };
  readonly system: System;
  /** Notes this moment; see `startStopwatch`. */
  stopwatch(): () => number;
  /** The same account for one call, whose requests and waits end when `deadline` aborts. What others wait for goes on. */
  limitTime(deadline: AbortSignal): OpenAccount;
}

export interface AccountSettings {
  readonly allowedValues: AllowedValues;
  /** What the deployment offers beyond the document. */
  readonly profile: ProfileName | undefined;
  readonly drift: (typeof drifts)[number];
  /** Addresses under which the state may have recorded objects of this account. */
  readonly formerUrls: readonly string[];
  readonly sandboxAvatar?: string;
  readonly fingerprintKey?: Sealed;
  /** How long a create whose answer was lost may take to show. */
  readonly settleMs?: number | undefined;
}

export function openAccount(options: ServiceOptions, settings: AccountSettings): OpenAccount {
  const outage = {};
  const service = openService({ ...options, outage });
  const reader = readOnly(service);
  const readObjects = openAccountReader(reader);
  const objects = readObjects();
  const { system } = options;
  const findUsers = openReferenceReader({ kinds: listKinds(settings.profile), service, list: objects.list });
  const account: OpenAccount = {
    service,
    reader,
    objects,
    findUsers,
    ownership: openOwnership(),
    plannedNames: openPlannedNames(),
    settings,
    unreportedEdits: new Map(),
    inUse: new Map(),
    reported: new Set(),
    outage,
    system,
    stopwatch: () => startStopwatch(service, system),
    limitTime: (deadline) => ({
      ...account,
      service: withDeadline(service, deadline),
      reader: withDeadline(reader, deadline),
      objects: readObjects(deadline),
      findUsers: (kind, id) =>
        untilDeadline(deadline, `The search for users of the ${kind.name}`, findUsers(kind, id)),
    }),
  };
  return account;
}

/**
 * What is read for a plan; undefined where the service cannot be used: that is one error, and not one for each of a
 * thousand objects. The run fails by it all the same.
 */
export async function unlessDown<T>({ outage }: OpenAccount, read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (!outage.error || !outage.isReported) {
      outage.isReported = outage.error !== undefined;
      throw error;
    }
    return undefined;
  }
}
