import * as z from "zod";
import { type NoticeEvent, noticeEvents } from "../../../core/manifest/index.js";
import { count, documentForm, list, object, openSet, text } from "./form.js";

export const noticeForm = documentForm(
  "notice",
  "avatarops notice",
  "What is posted to a webhook of `notify:` with the format `standard`: the payload of Standard Webhooks.",
  {
    type: openSet(noticeEvents satisfies Record<NoticeEvent, string>),
    timestamp: text("When it happened, ISO 8601."),
    data: object("What happened.", {
      title: text("One sentence."),
      command: text("Of avatarops, such as `apply` or `sync`."),
      project: text(
        "The repository, such as `team/avatars`, and the project's folder in it. Without a remote: the name of the folder.",
      ),
      environment: text("The chosen environment, `--env`.").optional(),
      user: text("Who ran it, as CI, git or the machine says. Nobody checks it.").optional(),
      run: text("The page of the CI's run, or of the pull request about it.").optional(),
      commit: text("The commit that was applied or followed.").optional(),
      state_serial: count.optional().describe("Serial of the state afterwards."),
      objects: list(
        z.object({
          address: text("`kind.key`, such as `context.support`."),
          what: text("What became of it, such as `updated`, `failed` or `drifted`."),
          problem: text("Why, as a sentence without long quotes.").optional(),
        }),
        "The objects that it is about, at most 50.",
      ),
      more_objects: count.describe("The number of further objects."),
      problems: list(
        z.object({ code: text("Kebab-case and stable."), message: text("A sentence without long quotes.") }),
        "What is about no object: errors of files, refusals.",
      ),
    }),
  },
);
