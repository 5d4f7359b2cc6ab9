import * as z from "zod";
import { type NoticeEvent, noticeEvents } from "../../../core/manifest/index.js";
import { array, count, createDocumentForm, object, openSet, text } from "./form.js";

export const noticeForm = createDocumentForm(
  "notice",
  "avatarops notice",
  "Payload for `notify:` webhooks with the format `standard`, following Standard Webhooks.",
  {
    type: openSet(noticeEvents satisfies Record<NoticeEvent, string>),
    timestamp: text("Time of the event, ISO 8601."),
    data: object("What happened.", {
      title: text("One sentence."),
      command: text("avatarops command, such as `apply` or `sync`."),
      project: text(
        "The repository, such as `team/avatars`, and the project folder in it. Without a remote, the folder name.",
      ),
      environment: text("The chosen environment, `--env`.").optional(),
      user: text("User who started the run, according to CI, git or the machine. Unverified.").optional(),
      run: text("URL of the CI run, or of the pull request.").optional(),
      commit: text("Commit that the run applied or tried to apply.").optional(),
      state_serial: count.optional().describe("State serial after the run."),
      objects: array(
        z.object({
          address: text("`kind.key`, such as `context.support`."),
          what: text("Result, such as `updated`, `failed` or `drifted`."),
          problem: text("Reason, as a sentence without long quotes.").optional(),
        }),
        "Affected objects, at most 50.",
      ),
      more_objects: count.describe("Number of affected objects that are not listed."),
      problems: array(
        z.object({
          code: text("Stable code in kebab case."),
          message: text("A sentence without long quotes."),
        }),
        "Problems not specific to one object, such as file errors or a rejected apply.",
      ),
    }),
  },
);
