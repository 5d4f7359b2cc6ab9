import * as z from "zod";
import type { Spec } from "../../core/kinds/index.js";
import type { Declaration } from "../../core/manifest/index.js";
import type { PlanDocument } from "../../output/documents/index.js";

/**
 * A rule as a function: the default export of a file that `policies.functions` names. It gets a copy, so that nothing it
 * does changes the plan.
 */
export type Policy = (
  plan: PolicyInput,
) => readonly PolicyFinding[] | undefined | Promise<readonly PolicyFinding[] | undefined>;

/** The plan, as `avatarops plan --format json` prints it, and what the files declare. */
export interface PolicyInput extends PlanDocument {
  readonly declarations: readonly PolicyDeclaration[];
}

/** A declared object. */
export interface PolicyDeclaration {
  /** `kind.key` */
  readonly address: string;
  readonly kind: string;
  /** Its logical name. */
  readonly key: string;
  /** Its declared fields, without the values of secrets. */
  readonly fields: Spec;
  /** The addresses that it refers to, by field. */
  readonly references?: Readonly<Record<string, string>>;
}

export const findingForm = z.object({
  /** One sentence. */
  message: z.string().min(1),
  /** Default: error, which refuses the plan. */
  severity: z.enum(["error", "warning"]).optional(),
  /** The object it is about, for its place. */
  address: z.string().optional(),
  /** The field of that object. */
  field: z.string().optional(),
  /** What to do. */
  hint: z.string().optional(),
});

/** What a function found. */
export type PolicyFinding = Readonly<z.infer<typeof findingForm>>;

/** What a function gets: the plan, and what the files declare. */
export function policyInput(plan: PlanDocument, declarations: readonly Declaration[]): PolicyInput {
  return {
    ...plan,
    declarations: declarations.map(({ address, kind, key, spec, references }) => ({
      ...{ address, kind: kind.name, key, fields: spec, references },
    })),
  };
}
