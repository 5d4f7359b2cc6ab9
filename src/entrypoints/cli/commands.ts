import type { CommandFacts, LoadableCommand, RunCommand } from "./command.js";
import { commentCommand } from "./facts/comment.js";
import {
  completionCommand,
  emulateCommand,
  emulateEditCommand,
  presetsCommand,
  schemaCommand,
  smokeCommand,
  terraformInstallCommand,
  tokenCommand,
  typesCommand,
} from "./facts/others.js";
import {
  applyCommand,
  exportCommand,
  importCommand,
  initCommand,
  planCommand,
  pullCommand,
  validateCommand,
} from "./facts/project.js";
import {
  sessionsListCommand,
  sessionsReportCommand,
  sessionsServeCommand,
  sessionsWatchCommand,
} from "./facts/sessions.js";
import {
  stateForgetCommand,
  stateListCommand,
  stateMigrateCommand,
  stateMoveServiceCommand,
  stateMvCommand,
  stateSecretsCommand,
  stateShowCommand,
  stateUnlockCommand,
} from "./facts/state.js";
import {
  diffCommand,
  driftCommand,
  historyCommand,
  holdCommand,
  releaseCommand,
  reviewCommand,
  rollbackCommand,
  showCommand,
  syncCommand,
} from "./facts/team.js";

/** Every command, in the order of `--help`. */
export const commands: readonly LoadableCommand[] = [
  command(initCommand, () => import("./commands/init.js")),
  command(validateCommand, () => import("./commands/validate.js")),
  command(planCommand, () => import("./commands/plan.js")),
  command(applyCommand, () => import("./commands/apply.js")),
  command(pullCommand, () => import("./commands/pull.js")),
  command(exportCommand, () => import("./commands/export.js")),
  command(importCommand, () => import("./commands/import.js")),
  command(historyCommand, () => import("./commands/history.js")),
  command(showCommand, () => import("./commands/show.js")),
  command(rollbackCommand, () => import("./commands/rollback.js")),
  command(holdCommand, () => import("./commands/hold.js")),
  command(releaseCommand, () => import("./commands/release.js")),
  command(reviewCommand, () => import("./commands/review.js")),
  command(commentCommand, () => import("./commands/comment.js")),
  command(diffCommand, () => import("./commands/diff.js")),
  command(driftCommand, () => import("./commands/drift.js")),
  command(syncCommand, () => import("./commands/sync.js")),
  command(stateListCommand, () => import("./commands/state-list.js")),
  command(stateShowCommand, () => import("./commands/state-show.js")),
  command(stateSecretsCommand, () => import("./commands/state-secrets.js")),
  command(stateMvCommand, () => import("./commands/state-mv.js")),
  command(stateForgetCommand, () => import("./commands/state-forget.js")),
  command(stateMoveServiceCommand, () => import("./commands/state-move-service.js")),
  command(stateUnlockCommand, () => import("./commands/state-unlock.js")),
  command(stateMigrateCommand, () => import("./commands/state-migrate.js")),
  command(sessionsListCommand, () => import("./commands/sessions-list.js")),
  command(sessionsReportCommand, () => import("./commands/sessions-report.js")),
  command(sessionsWatchCommand, () => import("./commands/sessions-watch.js")),
  command(sessionsServeCommand, () => import("./commands/sessions-serve.js")),
  command(tokenCommand, () => import("./commands/token.js")),
  command(smokeCommand, () => import("./commands/smoke.js")),
  command(typesCommand, () => import("./commands/types.js")),
  command(presetsCommand, () => import("./commands/presets.js")),
  command(schemaCommand, () => import("./commands/schema.js")),
  command(completionCommand, async () => {
    const { completion } = await import("./commands/completion.js");
    return { command: completion(commands) };
  }),
  command(terraformInstallCommand, () => import("./commands/terraform-install.js")),
  command(emulateCommand, () => import("./commands/emulate.js")),
  command(emulateEditCommand, () => import("./commands/emulate-edit.js")),
];

/** The code is called with the options that the facts declare, which nothing but its type says. */
function command<Facts extends CommandFacts>(
  facts: Facts,
  load: () => Promise<{ readonly command: RunCommand<Facts> }>,
): LoadableCommand {
  return { ...facts, load: load as unknown as LoadableCommand["load"] };
}
