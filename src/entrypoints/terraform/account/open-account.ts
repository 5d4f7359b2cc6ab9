import type { PrivateState } from "@avatarops/terraform-plugin";
import type { System } from "../../../base/system/index.js";
import {
  openService,
  restrictToReads,
  type Service,
  type ServiceError,
  type ServiceOptions,
  withDeadline,
} from "../../../core/api/index.js";
import { type AllowedValues, type Kind, listKinds, type ProfileName } from "../../../core/kinds/index.js";
import { openReferenceReader, type ReferenceReader, startStopwatch } from "../../../core/lifecycle/index.js";
import type { Sealed } from "../../../core/secrets/index.js";
import type { driftModes } from "../settings.js";
import type { AttributeValues } from "../values.js";
import { type AccountReader, openAccountReader } from "./account-reader.js";
import { type Ownership, openOwnership } from "./ownership.js";
import { openPlannedNames, type PlannedNames } from "./planned-names.js";
import { waitUntilDeadline } from "./wait-until-deadline.js";

/** Client for one provider block. No other block shares it. */
export interface ProviderClient {
  /** Account, or undefined while the base URL or the key is known only after apply. Plans then use only the state. */
  readonly account?: OpenedAccount;
}

/** Account that can be read and written. */
export interface OpenedAccount {
  /** Service that can write. Used only for creates, updates, deletes and tokens. */
  readonly service: Service;
  /** Service that rejects writes (rule 1). */
  readonly reader: Service;
  readonly objects: AccountReader;
  readonly findUsers: ReferenceReader;
  readonly ownership: Ownership;
  readonly plannedNames: PlannedNames;
  readonly settings: AccountSettings;
  /** Dashboard edits that no plan has reported yet, by `toEditKey`. */
  readonly unreportedEdits: Map<string, { readonly prior: AttributeValues; readonly saved: PrivateState }>;
  /** Superseded objects that are still in use, by id. Each is deleted after a write removes its last use. */
  readonly inUse: Map<string, { readonly kind: Kind; readonly users: ReadonlySet<string> }>;
  /** Base URLs and headlines already reported, so that none is reported twice. */
  readonly reported: Set<string>;
  /** Error that stops further requests. */
  readonly outage: { error?: ServiceError; isReported?: boolean };
  readonly system: System;
  /** See `startStopwatch`. */
  startStopwatch(): () => number;
  /** Returns the account for one call. Its requests and waits end when `deadline` aborts, but shared reads continue. */
  limitTime(deadline: AbortSignal): OpenedAccount;
}

export interface AccountSettings {
  readonly allowedValues: AllowedValues;
  /** Extra features of the deployment. */
  readonly profile: ProfileName | undefined;
  readonly drift: (typeof driftModes)[number];
  /** Earlier base URLs of this account, which a state may contain. */
  readonly formerUrls: readonly string[];
  readonly sandboxAvatar?: string;
  readonly fingerprintKey?: Sealed;
  /** Maximum time in ms until the list shows a create whose response was lost. */
  readonly settleMs?: number | undefined;
}

export function openAccount(options: ServiceOptions, settings: AccountSettings): OpenedAccount {
  const outage = {};
  const service = openService({ ...options, outage });
  const reader = restrictToReads(service);
  const readObjects = openAccountReader(reader);
  const objects = readObjects();
  const { system } = options;
  const findUsers = openReferenceReader({ kinds: listKinds(settings.profile), service, list: objects.list });
  const account: OpenedAccount = {
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
    startStopwatch: () => startStopwatch(service, system),
    limitTime: (deadline) => ({
      ...account,
      service: withDeadline(service, deadline),
      reader: withDeadline(reader, deadline),
      objects: readObjects(deadline),
      findUsers: (kind, id) =>
        waitUntilDeadline(deadline, `The search for users of the ${kind.name}`, findUsers(kind, id)),
    }),
  };
  return account;
}

/**
 * Reads for a plan. During an outage, throws the error once and then returns undefined, to avoid an error for each
 * object.
 */
export async function readUnlessDown<T>(
  { outage }: OpenedAccount,
  read: () => Promise<T>,
): Promise<T | undefined> {
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
