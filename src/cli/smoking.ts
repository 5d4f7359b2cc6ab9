import type { Service } from "../api/index.js";
import { type ShownSmoke, shownSmoke } from "../documents/index.js";
import type { Outcome } from "../engine/index.js";
import type { Manifest, Preset } from "../manifest/index.js";
import { renderSmokeMarkdown, renderSmokeText } from "../render/index.js";
import { resolve } from "../secrets/index.js";
import { checkPresets, type SmokeReport } from "../sessions/index.js";
import type { State } from "../state/index.js";
import { showOutcome } from "./applying.js";
import { type Call, textOption } from "./command.js";
import { type ExitCode, smokeExitCode } from "./exit-code.js";
import { refuseOtherService } from "./planning.js";
import { idsOf, sandboxAvatarOf } from "./presets.js";
import { showReading } from "./progress.js";
import { sourcesOf } from "./project.js";
import { shellWord } from "./shell-word.js";
import { failureDocument } from "./show-failure.js";
import { sleepOf } from "./sleep.js";

/** How long a session may take to be listed as active, in ms. */
interface SmokeLimits {
  readonly patienceMs: number;
  readonly requireListed: boolean;
}

/** Of a check after an apply. */
const defaultLimits: SmokeLimits = { patienceMs: 10_000, requireListed: false };

/** What a check needs: the presets, the ids of what they refer to, and where to ask. */
interface Place {
  readonly manifest: Manifest;
  readonly state: State | undefined;
  readonly service: Service;
}

/**
 * Checks presets in sandbox mode. After a request to stop, no further session is requested, and what is known by then is
 * the result.
 */
export function smoke(
  call: Call,
  { manifest, state, service }: Place,
  presets: readonly Preset[],
  limits: SmokeLimits = defaultLimits,
): Promise<SmokeReport> {
  refuseOtherService(state, service);
  const options = {
    sandboxAvatar: sandboxAvatarOf(call, manifest),
    sleep: sleepOf(call.host),
    signal: call.signal,
  };
  return call.finishing(() =>
    showReading(call, service, () =>
      checkPresets(service, presets, idsOf(manifest, state), {
        ...limits,
        ...options,
        resolve: (source) => resolve(source, sourcesOf(call, manifest)),
      }),
    ),
  );
}

/** An apply, and the serial of the state before it; undefined if there was none. */
interface Applied {
  readonly outcome: Outcome;
  readonly serialBefore: number | undefined;
}

/**
 * Shows an apply, and what a check of the presets that refer to it finds. Returns the exit code: that of the apply, and
 * if it is done, that of the check.
 */
export async function showSmoked(call: Call, place: Place, applied: Applied): Promise<ExitCode> {
  const { output } = call;
  if (output.format === "json") {
    const shown = await smokeApplied(call, place, applied);
    return showOutcome(call, applied.outcome, shown) || smokeExitCode(shown.exit);
  }
  const exit = showOutcome(call, applied.outcome);
  const shown = await smokeApplied(call, place, applied);
  const isMarkdown = output.format === "markdown";
  output.result(isMarkdown ? `\n${renderSmokeMarkdown(shown)}` : renderSmokeText(shown, output.stdoutText));
  return exit || smokeExitCode(shown.exit);
}

async function smokeApplied(
  call: Call,
  place: Place,
  { outcome, serialBefore }: Applied,
): Promise<ShownSmoke> {
  const applied = outcome.results.filter(({ status }) => status === "applied");
  const presets = presetsUsing(place.manifest, new Set(applied.map(({ address }) => address)));
  // Whatever happens now, the outcome of the apply is shown.
  const report = await smoke(call, place, presets).catch((error: unknown) => {
    const { code, message } = failureDocument(error, call.signal);
    const checks = presets.map(
      ({ key: preset }) => ({ preset, status: "failed", problem: { code, message } }) as const,
    );
    return { checks, cancelled: call.signal.aborted };
  });
  return shownSmoke(report, { scope: "applied", advice: adviceAfter(call, serialBefore) });
}

/** The presets that refer to one of these objects, also through other objects. */
function presetsUsing({ presets, declarations }: Manifest, changed: ReadonlySet<string>): Preset[] {
  const referred = new Map(
    declarations.map(({ address, references = {} }) => [address, Object.values(references)]),
  );
  const uses = (address: string, seen: ReadonlySet<string>): boolean =>
    changed.has(address) ||
    (referred.get(address) ?? []).some((next) => !seen.has(next) && uses(next, new Set([...seen, next])));
  return presets.filter(({ references }) =>
    references.some(({ address }) => uses(address, new Set([address]))),
  );
}

function adviceAfter(call: Call, serialBefore: number | undefined): string {
  const correct = "The apply stands. Correct the files and apply them again";
  if (!serialBefore) return `${correct}.`;
  return `${correct}, or go back: \`${rollbackTo(call, String(serialBefore))}\`.`;
}

/** The command that goes back to a serial, in the same project. */
export function rollbackTo(call: Call, serial: string): string {
  const chosen = (["file", "env"] as const).flatMap((name) => {
    const value = textOption(call, name);
    return value === undefined ? [] : [`--${name}`, shellWord(value)];
  });
  return ["avatarops rollback --to", serial, ...chosen].join(" ");
}
