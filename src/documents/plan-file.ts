import { createHash } from "node:crypto";
import type { Plan } from "../engine/index.js";
import { digestChanges } from "../kinds/index.js";
import { PlanFileError } from "./plan-file-error.js";

const format = "avatarops/saved-plan";
const version = 1;

/**
 * The saved plan: everything apply needs, to be read back exactly by {@link readPlan}. It holds the prompts to be
 * written, and no value of a secret. One change a line, so that a diff of two files can be read.
 *
 * The checksum is over the plan's canonical JSON and not over the file's bytes: a file whose line endings were
 * converted on the way, or that was re-indented, still says the same.
 */
export function writePlan(plan: Plan): string {
  const { changes, ...rest } = runInOrder(plan);
  const members = Object.entries(rest).map(
    ([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`,
  );
  const lines = changes.map((change) => `  ${JSON.stringify(change)}`);
  return [
    "{",
    `"format": ${JSON.stringify(format)},`,
    `"version": ${version},`,
    `"checksum": ${JSON.stringify(checksumOf(plan))},`,
    '"plan": {',
    ...members.map((member) => `${member},`),
    `"changes": [${lines.length ? `\n${lines.join(",\n")}\n` : ""}]`,
    "}",
    "}",
    "",
  ].join("\n");
}

/** The plan of a saved file. Throws {@link PlanFileError} where the file does not say exactly what was written. */
export function readPlan(text: string): Plan {
  const file = parse(text);
  if (file.format !== format) throw new PlanFileError("not-a-plan");
  if (typeof file.version === "number" && file.version > version) throw new PlanFileError("newer-version");
  const { plan } = file;
  if (file.version !== version || !isPlan(plan) || file.checksum !== checksumOf(plan))
    throw new PlanFileError("edited");
  // Apply compares digests alone: what is shown of a file must be what its digest stands for.
  if (plan.digest !== digestChanges(plan.basis, plan.changes)) throw new PlanFileError("edited");
  return runInOrder(plan);
}

/** Enough of one to be looked at: the rest is held by its checksum and digest. */
function isPlan(value: unknown): value is Plan {
  const { basis, changes } = (value ?? {}) as { basis?: unknown; changes?: unknown };
  const isObject = (one: unknown) => typeof one === "object" && one !== null;
  return isObject(basis) && Array.isArray(changes) && changes.every(isObject);
}

function parse(text: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new PlanFileError(whatBroke(text), { cause });
  }
  if (typeof value !== "object" || value === null) throw new PlanFileError("not-a-plan");
  return value as Record<string, unknown>;
}

/** Why a text is no JSON. Only the last two lines of a plan file are single braces, so a cut one lacks them. */
function whatBroke(text: string): "not-a-plan" | "cut" | "edited" {
  if (!text.slice(0, 200).includes(`"${format}"`)) return "not-a-plan";
  const ends = text.trimEnd().split("\n").slice(-2);
  return ends.every((line) => line.trim() === "}") ? "edited" : "cut";
}

function checksumOf(plan: Plan): string {
  return `sha256:${createHash("sha256")
    .update(JSON.stringify(runInOrder(plan)))
    .digest("hex")}`;
}

/** The order of keys that the checksum knows; a key that no plan has stays, and so breaks the checksum. */
function runInOrder({ basis, changes, notices, requests, digest, ...unknown }: Plan): Plan {
  return { basis, notices, requests, digest, ...unknown, changes };
}
