import { createHash } from "node:crypto";
import { UsageError } from "../../base/diagnostics/index.js";
import { isMapping, parseJson } from "../../base/text/index.js";
import type { Plan } from "../../core/engine/index.js";
import { digestChanges } from "../../core/kinds/index.js";

const format = "avatarops/saved-plan";
const version = 1;

/** Why a file cannot be applied. */
const sentences = {
  "not-a-plan": "The file is not a saved plan: write one with `avatarops plan --out FILE`.",
  "newer-version":
    "A newer version of avatarops saved the plan: apply it with that version, or plan again with this one.",
  edited:
    "The saved plan was changed after it was written, or its end is missing: copy the whole file, or plan again.",
};

function unusable(code: keyof typeof sentences): UsageError {
  return new UsageError(code, sentences[code]);
}

/**
 * The saved plan: everything apply needs, read back exactly by {@link readPlan}. It contains the prompts to
 * write, and no value of a secret. One change per line, so that two files can be compared with diff.
 *
 * The checksum covers the plan's canonical JSON and not the file's bytes: a file with converted line ends or
 * other indentation is still the same plan.
 */
export function writePlan(plan: Plan): string {
  const { changes, ...rest } = inChecksumOrder(plan);
  const members = Object.entries(rest).map(
    ([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`,
  );
  const lines = changes.map((change) => `  ${JSON.stringify(change)}`);
  return [
    "{",
    `"format": ${JSON.stringify(format)},`,
    `"version": ${version},`,
    `"checksum": ${JSON.stringify(computeChecksum(plan))},`,
    '"plan": {',
    ...members.map((member) => `${member},`),
    `"changes": [${lines.length ? `\n${lines.join(",\n")}\n` : ""}]`,
    "}",
    "}",
    "",
  ].join("\n");
}

/** The plan of a saved file. Throws UsageError if the file is not exactly what was written. */
export function readPlan(text: string): Plan {
  const file = parsePlanText(text);
  if (file.format !== format) throw unusable("not-a-plan");
  if (typeof file.version === "number" && file.version > version) throw unusable("newer-version");
  const { plan } = file;
  if (file.version !== version || !isPlan(plan) || file.checksum !== computeChecksum(plan))
    throw unusable("edited");
  // Apply compares only digests: the values shown from a file must match them.
  if (plan.digest !== digestChanges(plan.basis, plan.changes)) throw unusable("edited");
  return inChecksumOrder(plan);
}

/** Enough to inspect it: checksum and digest protect the rest. */
function isPlan(value: unknown): value is Plan {
  const { basis, changes } = (value ?? {}) as { basis?: unknown; changes?: unknown };
  return isMapping(basis) && Array.isArray(changes) && changes.every(isMapping);
}

function parsePlanText(text: string): Readonly<Record<string, unknown>> {
  const value = parseJson(text);
  if (isMapping(value)) return value;
  throw unusable(text.slice(0, 200).includes(`"${format}"`) ? "edited" : "not-a-plan");
}

function computeChecksum(plan: Plan): string {
  return `sha256:${createHash("sha256")
    .update(JSON.stringify(inChecksumOrder(plan)))
    .digest("hex")}`;
}

/** The keys in the order of the checksum; an unknown key stays and so breaks the checksum. */
function inChecksumOrder({ basis, changes, notices, requests, digest, ...unknown }: Plan): Plan {
  return { basis, notices, requests, digest, ...unknown, changes };
}
