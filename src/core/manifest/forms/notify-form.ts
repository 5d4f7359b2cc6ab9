import * as z from "zod";
import { literalOrSource } from "../../kinds/index.js";

/** What a notice can be about, each with when it is sent. */
export const noticeEvents = {
  applied: "An apply has changed the account.",
  failed:
    "An apply, or a look at the account, ended with an error, or left changes that could not be applied.",
  refused:
    "Nothing was applied, because a person must decide: a policy, a threshold, a plan that is not the reviewed one.",
  drifted: "Something was edited in the account since the last apply.",
  rotation_pending: "A secret was rotated at its source, and its new value was not sent.",
  budget_exceeded: "`sessions report --budget` found that sessions have used more credits than that.",
  no_run: "`sync` has not succeeded for a day.",
} as const;

export type NoticeEvent = keyof typeof noticeEvents;

const eventNames = Object.keys(noticeEvents) as NoticeEvent[];

/** An entry of `notify:`. */
export const noticeTargetForm = z.strictObject({
  url: literalOrSource(
    z.string(),
    "Where notices are posted to, from a source such as `!env`.",
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
    .describe(`What it gets, of ${eventNames.map((name) => `\`${name}\``).join(", ")}. Default: all.`),
  secret: literalOrSource(
    z.string(),
    "Key that signs what is sent, `whsec_…`, from a source. Default: it is not signed.",
    "source-only",
  ).optional(),
});

export type NoticeFormat = NonNullable<z.infer<typeof noticeTargetForm>["format"]>;

export const notifyForm = z.array(noticeTargetForm);
