import path from "node:path";
import * as z from "zod";
import { type Diagnostic, type SourceRange, toPlace } from "../../base/diagnostics/index.js";
import type { Declaration, PolicyFunction } from "../../core/manifest/index.js";
import type { PolicyFinding, PolicyInput } from "./function.js";
import { type Running, runFunction } from "./run-function.js";

/** How long a function may take: far longer than any needs. */
const longestMs = 30_000;

/** The plan to judge, and how. */
export interface JudgedPlan extends Omit<Running, "limitMs"> {
  readonly input: PolicyInput;
  /** For the places of what the functions find. */
  readonly declarations: readonly Declaration[];
  /** In ms. Default: 30 s. */
  readonly limitMs?: number;
}

/** Judges a plan by the functions of the policies, in the order in which the manifest names them. */
export async function judgeByFunctions(
  functions: readonly PolicyFunction[],
  { input, declarations, limitMs = longestMs, ...running }: JudgedPlan,
): Promise<Diagnostic[]> {
  const found: Diagnostic[] = [];
  for (const { file, range } of functions) {
    const code = toCode(file);
    const returned = await runFunction(file, input, { ...running, limitMs });
    const findings = "value" in returned ? findingsIn(returned.value) : returned.failure;
    if (typeof findings === "string") found.push(failure(file, findings, range));
    else found.push(...findings.map((finding) => toDiagnostic(code, finding, declarations)));
  }
  return found;
}

/** Whoever cannot judge does not approve. */
function failure(file: string, what: string, range: SourceRange): Diagnostic {
  return {
    ...{ severity: "error", code: "policy-function", message: `${file} ${what}`, place: toPlace(range) },
    ...{ hint: "fix the function, or remove it from policies.functions", policy: {} },
  };
}

const findingForm = z.object({
  message: z.string().min(1),
  severity: z.enum(["error", "warning"]).optional(),
  address: z.string().optional(),
  field: z.string().optional(),
  hint: z.string().optional(),
});

/** What a function returned, checked; what is wrong with it, as the end of a sentence. */
export function findingsIn(value: unknown): readonly PolicyFinding[] | string {
  const read = z.array(findingForm).safeParse(value);
  if (read.success) return read.data as readonly PolicyFinding[];
  const [issue] = read.error.issues;
  const where = issue?.path.length ? ` (${issue.path.join(".")}: ${issue.message})` : "";
  return `did not return a list of { message, severity, address, field, hint }${where}`;
}

function toDiagnostic(
  code: string,
  { message, severity = "error", address, field, hint }: PolicyFinding,
  declarations: readonly Declaration[],
): Diagnostic {
  const declaration = declarations.find((candidate) => candidate.address === address);
  const range = declaration && ((field && declaration.keys?.[field]) || declaration.range);
  return {
    ...{
      severity,
      code,
      message: address && !message.includes(address) ? `${address}: ${message}` : message,
    },
    ...(range ? { place: toPlace(range) } : {}),
    ...(hint ? { hint } : {}),
    policy: { ...(address ? { address } : {}), ...(field ? { field } : {}) },
  };
}

/** The name of the file, in the form of codes. */
function toCode(file: string): string {
  const words = path.parse(file).name.split(/[^A-Za-z0-9]+/);
  return words.filter(Boolean).join("-").toLowerCase() || "policy";
}
