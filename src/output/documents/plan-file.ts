import { createHash } from "node:crypto";
import { UsageError } from "../../base/diagnostics/index.js";
import { isMapping, parseJson } from "../../base/text/index.js";
import type { Plan } from "../../core/engine/index.js";
import { digestChanges } from "../../core/kinds/index.js";

const format = "avatarops/saved-plan";
const version = 1;

/** Reasons why a file cannot be applied. */
const messages = {
  "not-a-plan": "The file is not a saved plan. Save one with `avatarops plan --out FILE`.",
  "newer-version":
    "A newer version of avatarops saved the plan. Apply it with that version, or plan again with this one.",
  edited: "The saved plan was edited or truncated. Copy the whole file, or plan again.",
};

function toError(code: keyof typeof messages): UsageError {
  return new UsageError(code, messages[code]);
}

/**
 * Serializes a plan for {@link readPlan}, with the new prompts but without secret values. Each change is on its own
 * line, so that two files can be compared with diff.
 *
 * The checksum covers the canonical JSON instead of the bytes, so converted line endings do not break it.
 */
export function writePlan({ lastApplied: _, ...plan }: Plan): string {
  const { changes, ...rest } = orderForChecksum(plan);
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

/** Parses a saved plan. Throws UsageError if the file is not a plan, was edited, or needs a newer avatarops. */
export function readPlan(text: string): Plan {
  const file = parsePlanText(text);
  if (file.format !== format) throw toError("not-a-plan");
  if (typeof file.version === "number" && file.version > version) throw toError("newer-version");
  const { plan } = file;
  if (file.version !== version || !isPlan(plan) || file.checksum !== computeChecksum(plan))
    throw toError("edited");
  // Apply compares only digests, so the changes shown to a reviewer must match the digest.
  if (plan.digest !== digestChanges(plan.basis, plan.changes)) throw toError("edited");
  return orderForChecksum(plan);
}

/** Checks only the top level. The checksum and digest protect the rest. */
function isPlan(value: unknown): value is Plan {
  const { basis, changes } = (value ?? {}) as { basis?: unknown; changes?: unknown };
  return isMapping(basis) && Array.isArray(changes) && changes.every(isMapping);
}

function parsePlanText(text: string): Readonly<Record<string, unknown>> {
  const value = parseJson(text);
  if (isMapping(value)) return value;
  throw toError(text.slice(0, 200).includes(`"${format}"`) ? "edited" : "not-a-plan");
}

function computeChecksum(plan: Plan): string {
  return `sha256:${createHash("sha256")
    .update(JSON.stringify(orderForChecksum(plan)))
    .digest("hex")}`;
}

/** Sorts the keys for the checksum. Keeps unknown keys, so that adding one invalidates the checksum. */
function orderForChecksum({ basis, changes, notices, requests, digest, ...unknown }: Plan): Plan {
  return { basis, notices, requests, digest, ...unknown, changes };
}
