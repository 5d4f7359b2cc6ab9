import { parse } from "yaml";
import * as z from "zod";

const reviews = z.object({ require_approval: z.int().min(0).optional() }).nullish();
const form = z.object({
  reviews,
  environments: z.record(z.string(), z.object({ reviews }).nullish()).nullish(),
});

/**
 * Reads `reviews.require_approval` of an environment from the text of a main file of an earlier commit, without loading the project.
 *
 * @returns undefined if the file has errors, so that nothing could be applied with it; "unknown" if it is code that mentions it.
 */
export function readRequiredApprovals(
  file: string,
  text: string,
  environment: string | undefined,
): number | "unknown" | undefined {
  if (!/\.ya?ml$/.test(file)) return /require_?approval/i.test(text) ? "unknown" : 0;
  try {
    const { data } = form.safeParse(parse(text, { logLevel: "error", uniqueKeys: false }) ?? {});
    if (!data) return undefined;
    const own = environment === undefined ? undefined : data.environments?.[environment]?.reviews;
    return own?.require_approval ?? data.reviews?.require_approval ?? 0;
  } catch {
    return undefined;
  }
}
