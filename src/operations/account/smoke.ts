import type { Service } from "../../core/api/index.js";
import type { Outcome } from "../../core/engine/index.js";
import type { Manifest, Preset } from "../../core/manifest/index.js";
import { resolve } from "../../core/secrets/index.js";
import type { State } from "../../core/state/index.js";
import { type ShownSmoke, toShownSmoke } from "../../output/documents/index.js";
import { type SmokeReport, smokeTestPresets } from "../../sessions/reports/index.js";
import { assertSameService } from "../plan/plan.js";
import { chooseSandboxAvatar, createIdLookup } from "../project/presets.js";
import { createSourceEnvironment } from "../runtime/access.js";
import { toFailureDocument } from "../runtime/failure-document.js";
import type { Runtime } from "../runtime/runtime.js";

/** Default limits. `patienceMs` is how long a session may take to appear in the list of active sessions. */
const defaultLimits = { patienceMs: 10_000, requireListed: false };

/** Input for a check: the presets, the ids of their references, and the service. */
interface SmokeInput {
  readonly manifest: Manifest;
  readonly state: State | undefined;
  readonly service: Service;
}

/** Checks presets in sandbox mode. If cancelled, starts no more sessions and returns the results so far. */
export function runSmokeTest(
  runtime: Runtime,
  { manifest, state, service }: SmokeInput,
  presets: readonly Preset[],
  limits = defaultLimits,
): Promise<SmokeReport> {
  assertSameService(state, service);
  const options = {
    sandboxAvatar: chooseSandboxAvatar(runtime, manifest),
    monotonic: runtime.host.monotonic,
    sleep: runtime.host.pause ?? runtime.host.sleep,
    signal: runtime.signal,
  };
  return runtime.runToEnd(() =>
    runtime.output.reading(service, () =>
      smokeTestPresets(service, presets, createIdLookup(manifest, state), {
        ...limits,
        ...options,
        resolve: (source) => resolve(source, createSourceEnvironment(runtime, manifest)),
      }),
    ),
  );
}

/**
 * Checks the presets that refer to applied objects. Never throws, so that the outcome of the apply is always shown.
 */
export async function smokeTestApplied(
  runtime: Runtime,
  input: SmokeInput,
  { results, serial }: Outcome,
): Promise<ShownSmoke> {
  const applied = results.filter(({ status }) => status === "applied");
  const presets = findPresetsUsing(input.manifest, new Set(applied.map(({ address }) => address)));
  const report = await runSmokeTest(runtime, input, presets).catch((error: unknown) => {
    const { code, message } = toFailureDocument(error, runtime.signal);
    const checks = presets.map(
      ({ key: preset }) => ({ preset, status: "failed", problem: { code, message } }) as const,
    );
    return { checks, cancelled: runtime.signal.aborted };
  });
  const goBack = serial > 1 ? `, or undo the apply with \`avatarops rollback --to ${serial - 1}\`` : "";
  const advice = `The apply was not undone. Correct the files and apply them again${goBack}.`;
  return toShownSmoke(report, { scope: "applied", advice });
}

/** Finds the presets that refer to one of these objects, directly or through other objects. */
function findPresetsUsing({ presets, declarations }: Manifest, changed: ReadonlySet<string>): Preset[] {
  const referred = new Map(
    declarations.map(({ address, references = {} }) => [address, Object.values(references)]),
  );
  const usesChangedObject = (address: string, seen: ReadonlySet<string>): boolean =>
    changed.has(address) ||
    (referred.get(address) ?? []).some(
      (next) => !seen.has(next) && usesChangedObject(next, new Set([...seen, next])),
    );
  return presets.filter(({ references }) =>
    references.some(({ address }) => usesChangedObject(address, new Set([address]))),
  );
}
