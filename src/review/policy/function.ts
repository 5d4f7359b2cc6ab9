import * as z from "zod";
import type { Spec } from "../../core/kinds/index.js";
import type { Declaration } from "../../core/manifest/index.js";
import type { PlanDocument } from "../../output/documents/index.js";

/**
 * Policy written as a function: the default export of a file listed in `policies.functions`. Receives a copy of the
 * plan, so it cannot change the plan.
 */
export type Policy = (
  plan: PolicyInput,
) => readonly PolicyFinding[] | undefined | Promise<readonly PolicyFinding[] | undefined>;

/** Plan in the format of `avatarops plan --format json`, with the declared objects. */
export interface PolicyInput extends PlanDocument {
  readonly declarations: readonly PolicyDeclaration[];
}

export interface PolicyDeclaration {
  /** Address in the form `kind.key`. */
  readonly address: string;
  readonly kind: string;
  /** Key of the object in the files. */
  readonly key: string;
  /** Declared fields, without secret values. */
  readonly fields: Spec;
  /** Addresses of referenced objects, by field. */
  readonly references?: Readonly<Record<string, string>>;
}

export const findingForm = z.object({
  /** Problem in one sentence. */
  message: z.string().min(1),
  /** Severity. Default: error, which blocks the plan. */
  severity: z.enum(["error", "warning"]).optional(),
  /** Object address, to show its location in the files. */
  address: z.string().optional(),
  /** Field of that object. */
  field: z.string().optional(),
  /** Advice on how to fix the problem. */
  hint: z.string().optional(),
});

/** Finding returned by a policy function. */
export type PolicyFinding = Readonly<z.infer<typeof findingForm>>;

export function createPolicyInput(plan: PlanDocument, declarations: readonly Declaration[]): PolicyInput {
  return {
    ...plan,
    declarations: declarations.map(({ address, kind, key, spec, references }) => ({
      ...{ address, kind: kind.name, key, fields: spec, references },
    })),
  };
}
