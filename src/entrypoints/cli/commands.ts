import type { CommandFacts, LoadableCommand, RunCommand } from "./command.js";
import * as others from "./facts/others.js";
import * as project from "./facts/project.js";
import * as sessions from "./facts/sessions.js";
import * as state from "./facts/state.js";
import * as team from "./facts/team.js";

type Ungrouped = Omit<LoadableCommand, "group">;

/** Commands by `--help` heading, in order. Headings for everyday work come before headings for teams. */
const groups: readonly { readonly title: string; readonly commands: readonly Ungrouped[] }[] = [
  {
    title: "Start",
    commands: [
      command(project.initCommand, () => import("./commands/init.js")),
      command(project.exportCommand, () => import("./commands/export.js")),
    ],
  },
  {
    title: "Every day",
    commands: [
      command(project.validateCommand, () => import("./commands/validate.js")),
      command(project.planCommand, () => import("./commands/plan.js"), "plan"),
      command(project.applyCommand, () => import("./commands/apply.js")),
      command(project.pullCommand, () => import("./commands/import.js"), "pull"),
      command(project.statusCommand, () => import("./commands/plan.js"), "status"),
      command(team.diffCommand, () => import("./commands/plan.js"), "diff"),
    ],
  },
  {
    title: "Team",
    commands: [
      command(team.reviewCommand, () => import("./commands/review.js")),
      command(team.driftCommand, () => import("./commands/drift.js")),
      command(team.syncCommand, () => import("./commands/sync.js")),
      command(team.promoteCommand, () => import("./commands/promote.js")),
      command(team.holdCommand, () => import("./commands/hold.js"), "hold"),
      command(team.releaseCommand, () => import("./commands/hold.js"), "release"),
      command(team.historyCommand, () => import("./commands/history.js"), "history"),
      command(team.showCommand, () => import("./commands/history.js"), "show"),
      command(team.blameCommand, () => import("./commands/history.js"), "blame"),
    ],
  },
  {
    title: "Sessions",
    commands: [
      command(sessions.sessionsListCommand, () => import("./commands/sessions-list.js")),
      command(sessions.sessionsShowCommand, () => import("./commands/sessions-show.js"), "show"),
      command(sessions.sessionsStopCommand, () => import("./commands/sessions-show.js"), "stop"),
      command(sessions.sessionsReportCommand, () => import("./commands/sessions-report.js")),
      command(sessions.sessionsWatchCommand, () => import("./commands/sessions-watch.js")),
      command(sessions.sessionsServeCommand, () => import("./commands/sessions-serve.js")),
      command(others.tokenCommand, () => import("./commands/token.js"), "token"),
      command(others.smokeCommand, () => import("./commands/token.js"), "smokeCheck"),
    ],
  },
  {
    title: "Repair",
    commands: [
      command(team.rollbackCommand, () => import("./commands/rollback.js")),
      command(project.importCommand, () => import("./commands/import.js"), "importObjects"),
      command(project.pruneCommand, () => import("./commands/prune.js")),
      command(state.stateListCommand, () => import("./commands/state.js"), "list"),
      command(state.stateShowCommand, () => import("./commands/state.js"), "show"),
      command(state.stateMvCommand, () => import("./commands/state.js"), "mv"),
      command(state.stateForgetCommand, () => import("./commands/state.js"), "forget"),
      command(state.stateUnlockCommand, () => import("./commands/state.js"), "unlock"),
      command(state.stateReplaceProjectCommand, () => import("./commands/state.js"), "replaceProject"),
      command(state.stateReplaceServiceCommand, () => import("./commands/state.js"), "replaceService"),
      command(state.stateMigrateCommand, () => import("./commands/state.js"), "migrate"),
    ],
  },
  {
    title: "Tools",
    commands: [
      command(project.renderCommand, () => import("./commands/render.js")),
      command(others.generateTypesCommand, () => import("./commands/generate.js"), "types"),
      command(others.generatePresetsCommand, () => import("./commands/generate.js"), "presets"),
      command(others.generateSchemaCommand, () => import("./commands/generate-schema.js")),
      command(others.emulateCommand, () => import("./commands/emulate.js")),
      command(others.emulateEditCommand, () => import("./commands/emulate-edit.js")),
      command(others.terraformInstallCommand, () => import("./commands/terraform-install.js")),
      command(others.completionCommand, async () => {
        const { createCompletion } = await import("./commands/completion.js");
        return { command: createCompletion(commands) };
      }),
    ],
  },
];

export const commands: readonly LoadableCommand[] = groups.flatMap(({ title, commands }) =>
  commands.map((one) => ({ ...one, group: title })),
);

/** Combines a command's facts with its code. `load` hides the option types, so `RunCommand` checks the types here. */
function command<Facts extends CommandFacts, Name extends string = "command">(
  facts: Facts,
  load: () => Promise<{ readonly [Export in Name]: RunCommand<NoInfer<Facts>> }>,
  name: Name | "command" = "command",
): Ungrouped {
  const loadCommand = async () => (await load())[name as Name];
  return { ...facts, load: loadCommand as unknown as LoadableCommand["load"] };
}
