import { expect } from "vitest";
import { editedPrompt, exampleManifest } from "../scripts/docs/example.js";
import { findPassages } from "../scripts/docs/passages.js";
import type { Project } from "./cli/hosting.js";
import { applyEachText } from "./cli/in-git.js";
import type { Ended } from "./installing.js";

/* Tasks in the README and docs pages, run by readme.test.ts. */

/** Runs a line in the project's folder. */
export type RunLine = (project: Project, line: string) => Promise<Ended>;

/** README passage to run, with its setup steps and checks. */
export interface Task {
  /** Environment variables that only this task needs. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Whether the task needs a terminal and a confirmation. */
  readonly asks?: boolean;
  /** Sets up the project, for example with the reader's earlier steps. */
  readonly before?: (project: Project, run: RunLine) => Promise<unknown>;
  /** Checks the result after all lines have run. */
  readonly after?: (project: Project, ran: readonly Ended[], run: RunLine) => Promise<unknown> | undefined;
}

/** Tasks, keyed by the first words of their first line. */
export const tasks: Readonly<Record<string, Task>> = {
  "init my-avatars": {
    async after(project) {
      for (const folder of ["my-avatars", "my-account"])
        expect(await project.avatarops("validate", "--file", `${folder}/avatarops.yaml`)).toMatchObject({
          exit: 0,
        });
      await project.expectNothingToDo("--file", "my-account/avatarops.yaml");
    },
  },
  validate: {
    before: (project) => project.write("prompts/returns.md", editedPrompt),
    async after(project, [, planned]) {
      expect(planned?.stdout).toContain("context.returns");
      await project.expectNothingToDo();
    },
  },
  "render --all": {
    async after(project) {
      expect(await project.read("texts/context.returns.prompt.txt")).not.toBe("");
    },
  },
  "pull --dry-run": {
    before: async ({ emulator }) =>
      emulator.editContext("Returns desk", { prompt: "Edited in the dashboard." }),
    async after(project, [first]) {
      expect(first?.stdout).toContain("context.returns");
      expect(await project.read("prompts/returns.md")).toBe("Edited in the dashboard.\n");
      await project.expectNothingToDo();
    },
  },
  "emulate edit": {
    async after(project) {
      expect(await project.avatarops("drift")).toMatchObject({
        exit: 2,
        stdout: expect.stringContaining("do for you"),
      });
    },
  },
  "apply --auto-approve": {
    async after({ emulator }, [, shown]) {
      const [old, latest] = emulator.world.secrets;
      expect(shown?.stdout).toContain(old?.id);
      expect(emulator.secretValue(latest?.id ?? "")).toBe("a-new-key");
    },
  },
  "sessions report": {
    async after(project) {
      expect(await project.read("report.html")).toMatch(/^<!doctype html>[\s\S]*Sessions/);
    },
  },
  "import context.returns": {
    async before({ emulator, avatarops }) {
      const made = emulator.world.contexts.find(({ name }) => name === "Returns desk");
      emulator.addContext({ name: "Returns desk" });
      Object.assign(made ?? {}, { id: "2c5faf09-e6fd-46fd-84e3-489b10838fbf" });
      await avatarops("state", "forget", "context.returns");
      expect(await avatarops("plan")).toMatchObject({ exit: 4 });
    },
    after: (project) => project.expectNothingToDo(),
  },
  prune: {
    async before({ emulator }) {
      const { id } = emulator.addContext({ name: "Returns at night", prompt: "Be quiet." });
      const made = emulator.world.contexts.find((one) => one.id === id);
      Object.assign(made ?? {}, { id: "1f0a4e0a-4c8e-4b0e-9f51-0d6bb1a4c0de" });
    },
    async after(project, [planned]) {
      expect(planned?.stdout).toContain("Returns at night");
      expect(await project.read("prompts/returns-night.md")).toBe("Be quiet.\n");
      await project.expectNothingToDo();
    },
  },
  "state mv": {
    before: (project) =>
      project.write(
        "avatarops.yaml",
        exampleManifest
          .replaceAll("  returns:", "  returns-desk:")
          .replace("context: returns", "context: returns-desk"),
      ),
    after: (project) => project.expectNothingToDo(),
  },
  "apply --accept-duplicate": {
    environment: createKeyVariables("a-new-key"),
    asks: true,
    async before({ emulator, avataropsWith }) {
      emulator.addFault("POST /v1/secrets drop-after");
      const lost = await avataropsWith(
        { environment: createKeyVariables("a-new-key") },
        "apply",
        "--auto-approve",
      );
      expect(lost.exit).not.toBe(0);
      expect(await avataropsWith({ environment: createKeyVariables("a-new-key") }, "plan")).toMatchObject({
        exit: 4,
      });
    },
    after: async (project) =>
      expect(project.emulator.world.secrets.map(({ secret_name }) => secret_name)).toHaveLength(3),
  },
  history: {
    before: (project) => applyEachText(project, "prompts/returns.md", ["Be quiet.\n", editedPrompt]),
    async after(_, [, differences, shown]) {
      expect(differences?.stdout).toContain("[-Be quiet.-]");
      expect(shown?.stdout).toContain("Be quiet.");
    },
  },
  "rollback --to": {
    asks: true,
    before: (project) =>
      applyEachText(project, "prompts/returns.md", ["Be quiet.\n", editedPrompt, "Be loud.\n"]),
    async after(project) {
      expect(await project.read("prompts/returns.md")).toBe(editedPrompt);
      await project.expectNothingToDo();
    },
  },
  hold: {
    async after(project) {
      const { notices } = JSON.parse((await project.avatarops("plan", "--format", "json")).stdout);
      expect(notices).toMatchObject([{ code: "held", message: expect.stringContaining("incident 42") }]);
    },
  },
  "git fetch origin": {
    async before(project, run) {
      const remote =
        "git init --quiet && git init --quiet --bare home/team.git && git remote add origin home/team.git";
      const [state = ""] = findPassages("docs/shared-state.md", "yaml");
      const migrate = `${remote} && avatarops state migrate --to ${state.replace("state: ", "")}`;
      expect(await run(project, migrate.trim())).toMatchObject({ exit: 0 });
      await project.write("avatarops.yaml", `${state}${exampleManifest}`);
    },
    async after(project, [, commits, state, refs], run) {
      expect(commits?.stdout).toContain("avatarops state migrate");
      expect(state?.stdout).toContain("context.returns");
      expect(refs?.stdout).toContain("refs/avatarops/production");
      expect(await run(project, "avatarops plan --detailed-exitcode")).toMatchObject({ exit: 0 });
    },
  },
  "terraform install": {
    after: async (project) => expect(await project.read("versions.tf")).toContain("required_providers"),
  },
  "token kiosk": {
    after: async (_, [printed]) => {
      expect(printed?.stdout).toMatch(/^session-token-\S+\n$/);
    },
  },
  "sessions list": {
    before: async ({ emulator }) => {
      const at = "2026-03-31T22:00:00.000Z";
      for (const created_at of ["2026-03-31T21:59:00.000Z", at]) {
        emulator.addSession({ created_at, ended_at: at, updated_at: at });
      }
    },
    after: async (_, ran) => {
      expect(ran[0]?.stdout).toContain("4 active sessions");
      expect(ran[2]?.stdout.match(/\d\d:59:00Z/g)).toEqual(["21:59:00Z"]);
    },
  },
  smoke: {
    after: async (_, ran) => {
      expect(ran.map(({ stdout }) => stdout)).toEqual([
        expect.stringContaining("Smoke check: 1 passed."),
        expect.stringContaining('"exit": "passed"'),
      ]);
    },
  },
  "generate types": {
    after: async (project) => {
      const types = await project.read("avatarops.d.ts");
      expect(types).toContain('readonly "kiosk": {');
      expect(JSON.parse(await project.read("avatarops.presets.json"))).toHaveProperty("presets.kiosk");
    },
  },
};

/** Returns environment variables with another value for the example's secret. */
export function createKeyVariables(key: string): { readonly LLM_API_KEY: string } {
  return { LLM_API_KEY: key };
}
