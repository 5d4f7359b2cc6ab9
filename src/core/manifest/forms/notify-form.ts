import * as z from "zod";
import { createLiteralOrSource } from "../../kinds/index.js";

/** Events that can trigger a notice, each with a description. */
export const noticeEvents = {
  applied: "An apply changed the account.",
  failed: "An apply or a drift check failed, or left changes that could not be applied.",
  refused:
    "Nothing was applied, because of a policy, a threshold or a plan that differs from the reviewed one. Requires a manual decision.",
  drifted: "An object was edited in the account since the last apply.",
  rotation_pending: "A secret was rotated at its source, and its new value has not been sent.",
  budget_exceeded: "`sessions report --budget` found that sessions used more credits than the budget.",
  no_run: "`sync` has not succeeded for a day.",
} as const;

export type NoticeEvent = keyof typeof noticeEvents;

const eventNames = Object.keys(noticeEvents) as NoticeEvent[];

/** An entry of `notify:`. */
export const noticeTargetForm = z.strictObject({
  url: createLiteralOrSource(
    z.string(),
    "URL that receives the notices, from a secret source such as `!env`.",
    "source-only",
  ),
  format: z
    .enum(["standard", "slack", "teams"])
    .optional()
    .describe(
      "`standard`: the JSON document. `slack`, `teams`: a message for their incoming webhooks. Default: standard.",
    ),
  events: z
    .array(z.enum(eventNames))
    .min(1)
    .optional()
    .describe(`The events to send: ${eventNames.map((name) => `\`${name}\``).join(", ")}. Default: all.`),
  secret: createLiteralOrSource(
    z.string(),
    "Key that signs the notices, `whsec_…`, from a secret source. Default: unsigned.",
    "source-only",
  ).optional(),
});

export type NoticeFormat = NonNullable<z.infer<typeof noticeTargetForm>["format"]>;

export const notifyForm = z.array(noticeTargetForm);
