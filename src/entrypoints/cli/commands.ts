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
      defineCommand(project.initCommand, () => import("./commands/init.js")),
      defineCommand(project.exportCommand, () => import("./commands/export.js")),
    ],
  },
  {
    title: "Every day",
    commands: [
      defineCommand(project.validateCommand, () => import("./commands/validate.js")),
      defineCommand(project.planCommand, () => import("./commands/plan.js"), "plan"),
      defineCommand(project.applyCommand, () => import("./commands/apply.js")),
      defineCommand(project.pullCommand, () => import("./commands/import.js"), "pull"),
      defineCommand(project.statusCommand, () => import("./commands/plan.js"), "status"),
      defineCommand(team.diffCommand, () => import("./commands/plan.js"), "compareEnvironments"),
    ],
  },
  {
    title: "Team",
    commands: [
      defineCommand(team.reviewCommand, () => import("./commands/review.js")),
      defineCommand(team.driftCommand, () => import("./commands/drift.js")),
      defineCommand(team.syncCommand, () => import("./commands/sync.js")),
      defineCommand(team.promoteCommand, () => import("./commands/promote.js")),
      defineCommand(team.holdCommand, () => import("./commands/hold.js"), "hold"),
      defineCommand(team.releaseCommand, () => import("./commands/hold.js"), "release"),
      defineCommand(team.historyCommand, () => import("./commands/history.js"), "showHistory"),
      defineCommand(team.showCommand, () => import("./commands/history.js"), "showPastObject"),
      defineCommand(team.blameCommand, () => import("./commands/history.js"), "blame"),
    ],
  },
  {
    title: "Sessions",
    commands: [
      defineCommand(sessions.sessionsListCommand, () => import("./commands/sessions-list.js")),
      defineCommand(sessions.sessionsShowCommand, () => import("./commands/sessions-show.js"), "show"),
      defineCommand(sessions.sessionsStopCommand, () => import("./commands/sessions-show.js"), "stop"),
      defineCommand(sessions.sessionsReportCommand, () => import("./commands/sessions-report.js")),
      defineCommand(sessions.sessionsWatchCommand, () => import("./commands/sessions-watch.js")),
      defineCommand(sessions.sessionsServeCommand, () => import("./commands/sessions-serve.js")),
      defineCommand(others.tokenCommand, () => import("./commands/token.js"), "createToken"),
      defineCommand(others.smokeCommand, () => import("./commands/token.js"), "smokeCheck"),
    ],
  },
  {
    title: "Repair",
    commands: [
      defineCommand(team.rollbackCommand, () => import("./commands/rollback.js")),
      defineCommand(project.importCommand, () => import("./commands/import.js"), "importObjects"),
      defineCommand(project.pruneCommand, () => import("./commands/prune.js")),
      defineCommand(state.stateListCommand, () => import("./commands/state.js"), "listState"),
      defineCommand(state.stateShowCommand, () => import("./commands/state.js"), "show"),
      defineCommand(state.stateMvCommand, () => import("./commands/state.js"), "renameAddress"),
      defineCommand(state.stateForgetCommand, () => import("./commands/state.js"), "forget"),
      defineCommand(state.stateUnlockCommand, () => import("./commands/state.js"), "unlock"),
      defineCommand(state.stateReplaceProjectCommand, () => import("./commands/state.js"), "replaceProject"),
      defineCommand(state.stateReplaceServiceCommand, () => import("./commands/state.js"), "replaceService"),
      defineCommand(state.stateMigrateCommand, () => import("./commands/state.js"), "migrate"),
    ],
  },
  {
    title: "Tools",
    commands: [
      defineCommand(project.renderCommand, () => import("./commands/render.js")),
      defineCommand(others.generateTypesCommand, () => import("./commands/generate.js"), "generateTypes"),
      defineCommand(others.generatePresetsCommand, () => import("./commands/generate.js"), "generatePresets"),
      defineCommand(others.generateSchemaCommand, () => import("./commands/generate-schema.js")),
      defineCommand(others.emulateCommand, () => import("./commands/emulate.js")),
      defineCommand(others.emulateEditCommand, () => import("./commands/emulate-edit.js")),
      defineCommand(others.terraformInstallCommand, () => import("./commands/terraform-install.js")),
      defineCommand(others.completionCommand, async () => {
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
function defineCommand<Facts extends CommandFacts, Name extends string = "command">(
  facts: Facts,
  load: () => Promise<{ readonly [Export in Name]: RunCommand<NoInfer<Facts>> }>,
  name: Name | "command" = "command",
): Ungrouped {
  const loadCommand = async () => (await load())[name as Name];
  return { ...facts, load: loadCommand as unknown as LoadableCommand["load"] };
}
