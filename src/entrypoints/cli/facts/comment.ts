import type { CommandFacts } from "../command.js";
import { wholeNumber } from "../parse.js";
import { flag, value } from "./option.js";
import { applyingExits, applyingOptions, sandboxAvatar } from "./shared-options.js";
import { reviewCommand } from "./team.js";

export const commentCommand = {
  name: "comment",
  summary: "do what a comment on a pull request says, such as `/avatarops plan`, and answer it",
  ofProject: true,
  reachesService: true,
  options: {
    pullRequest: value("--pull-request <NUMBER>", "the pull request (default: that of the CI job)", {
      parse: wholeNumber(1),
    }),
    comment: value("--comment <ID>", "the comment (default: the one that started the CI job)", {
      parse: wholeNumber(1),
    }),
    repo: reviewCommand.options.repo,
    host: reviewCommand.options.host,
    smoke: flag(
      "--smoke",
      "after an apply, check that sandbox sessions start with the presets that refer to what was applied",
    ),
    sandboxAvatar,
    ...applyingOptions,
  },
  help: [
    {
      title: "In the first line of a comment, by somebody who may push:",
      rows: [
        ["/avatarops plan [ENVIRONMENT]", "plan the pull request; once merged, the checkout"],
        ["/avatarops apply [ENVIRONMENT] [DIGEST] [--force]", "once merged: the reviewed plan, or this one"],
      ],
    },
    ...reviewCommand.help,
  ],
  exits: [
    applyingExits.partly,
    applyingExits.ambiguous,
    [5, "the plan is no longer the reviewed one"],
    applyingExits.locked,
  ],
  examples: [
    ["avatarops comment", "in a CI job that a comment started"],
    ["avatarops comment --repo team/avatars --pull-request 7 --comment 31", "elsewhere"],
  ],
} as const satisfies CommandFacts;
