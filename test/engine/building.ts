/** Builders for plan inputs. */
import { openSourceFile } from "../../src/base/diagnostics/index.js";
import type { Observation, Observed, Rotation } from "../../src/core/engine/index.js";
import {
  type ListedObject,
  type ListOperation,
  listWriteOnlyFields,
  parseAddress,
  type RemoteObject,
  type Spec,
  toListing,
} from "../../src/core/kinds/index.js";
import type { Declaration, Manifest } from "../../src/core/manifest/index.js";
import type { Intent, State, StateEntry } from "../../src/core/state/index.js";

const range = { source: openSourceFile("avatarops.yaml", ""), start: 0, end: 0 };

/** Declares one object. Write-only fields come from environment variables. */
export function declare(address: string, spec: Spec, id?: string): Declaration {
  const parsed = parseAddress(address);
  if (!parsed) throw new Error(`${address} is not an address`);
  const sources = listWriteOnlyFields(parsed.kind).map((name) => [name, { from: "env", name: "KEY" }]);
  return {
    ...{ address, ...parsed, spec, range, origins: {} },
    sources: Object.fromEntries(sources),
    ...(id === undefined ? {} : { id }),
  };
}

export function createManifest(...declarations: readonly Declaration[]): Manifest {
  return {
    root: "/project",
    file: "avatarops.yaml",
    files: ["avatarops.yaml"],
    service: {
      baseUrl: { literal: "https://a.example" },
      apiKey: { from: "env", name: "AVATAROPS_API_KEY" },
      allowedValues: {},
    },
    notify: [],
    templates: [],
    state: ".avatarops/state.json",
    drift: "refuse",
    thresholds: { maxPercent: 30, minObjects: 10 },
    reviews: { requireApproval: 0, comment: "always" },
    declarations,
    includes: [],
    environments: new Map(),
    presets: [],
    variables: {},
    elsewhere: new Map(),
  };
}

/** Builds a state. Interrupted writes are creates by default. */
export function createState(
  objects: Readonly<Record<string, StateEntry>> = {},
  pending: Readonly<Record<string, Partial<Intent>>> = {},
): State {
  const intents = Object.entries(pending).map(([address, intent]): [string, Intent] => [
    address,
    { address, action: "create", label: "", sent: {}, known: [], at: "2026-01-01T00:00:00.000Z", ...intent },
  ]);
  return {
    ...{ version: 1, lineage: "l", serial: 1, service: "https://a.example" },
    objects,
    pending: Object.fromEntries(intents),
  };
}

/** Builds a live object, last changed at the start of 2026. */
export function createLiveObject(kind: string, id: string, spec: Spec): RemoteObject {
  const label = spec[parseAddress(`${kind}.x`)?.kind.label ?? ""];
  return {
    id,
    label: typeof label === "string" ? label : "",
    updatedAt: "2026-01-01T00:00:00.000Z",
    spec,
    computed: {},
  };
}

interface Told {
  readonly rotations?: Readonly<Record<string, Rotation>>;
  /** Ids of live contexts by name, in list order. */
  readonly namesakes?: Readonly<Record<string, readonly string[]>>;
}

export function createObservation(
  objects: Readonly<Record<string, Observed>>,
  { rotations = {}, namesakes = {} }: Told = {},
): Observation {
  const entries = Object.entries(namesakes).flatMap(([label, ids]) => ids.map((id) => ({ id, label })));
  const operation: ListOperation = {
    ...{ endpoint: "contexts", exhaustive: true, whole: false },
    read: () => Promise.reject(new Error("Bug: a plan reads nothing")),
    toListed: (entry) => entry as ListedObject,
  };
  const listing = toListing(operation, { entries, count: entries.length, pages: 1, complete: true });
  return {
    objects: new Map(Object.entries(objects)),
    listings: new Map([["context", listing]]),
    rotations: new Map(Object.entries(rotations)),
    requests: 1,
  };
}
