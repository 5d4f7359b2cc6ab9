/** Checks that commands without a terminal or with JSON output do not hang and write nothing without approval. */
import { describe, expect, it } from "vitest";
import { type Project, startProject } from "../cli/hosting.js";
import { applySuccessfully, listWrites, runUnwrapped, summarizePlan } from "./commands.js";

const manifest =
  "contexts:\n  support: { name: Support, prompt: Be kind. }\n  shop: { name: Shop, prompt: Be brief. }\n";

const start = (text = manifest): Promise<Project> => startProject({ files: { "avatarops.yaml": text } });

describe("apply without confirmation", () => {
  it.each([
    ["text", []],
    ["text", ["--format", "text"]],
    ["markdown", ["--format", "markdown"]],
    ["json", ["--format", "json"]],
  ])(
    "prints the plan as %s with the options %j, exits with 7 and names the next command",
    async (format, asked) => {
      const project = await start();
      const planned = await runUnwrapped(project, "plan", "--format", format);
      const ran = await runUnwrapped(project, "apply", ...asked);
      expect(ran.exit).toBe(7);
      const [message = "", next = ""] =
        /^Nothing was applied, because confirmation needs a terminal\. .*: `avatarops (.+)`\n$/.exec(
          ran.stderr,
        ) ?? [];
      expect(message).toBe(ran.stderr);
      if (format === "json") {
        const { next: named, ...plan } = JSON.parse(ran.stdout);
        expect(plan).toEqual(JSON.parse(planned.stdout));
        expect(named.command.join(" ")).toBe(`avatarops ${next}`);
      } else expect(ran.stdout).toBe(planned.stdout);
      expect(listWrites(project)).toEqual([]);
      expect(project.has(".avatarops/state.json")).toBe(false);
      expect((await summarizePlan(project)).changes).toHaveLength(2);
      await project.write("avatarops.yaml", manifest.replace("kind", "short"));
      expect(await runUnwrapped(project, ...next.split(" "))).toMatchObject({ exit: 5 });
      await project.write("avatarops.yaml", manifest);
      expect(await runUnwrapped(project, ...next.split(" "))).toMatchObject({ exit: 0 });
      expect(listWrites(project)).not.toEqual([]);
    },
  );

  it("succeeds without a terminal if there are no changes", async () => {
    const project = await start();
    await applySuccessfully(project);
    expect(await runUnwrapped(project, "apply")).toMatchObject({ exit: 0 });
    await project.expectNothingToDo();
  });
});

describe("--format json", () => {
  const json = ["--format", "json"] as const;
  const cases: readonly {
    readonly what: string;
    readonly line: readonly string[];
    readonly exit: number;
    readonly document: object;
    readonly before?: (project: Project) => Promise<void> | void;
  }[] = [
    {
      what: "an empty plan",
      line: ["plan"],
      exit: 0,
      document: { format: "avatarops/plan", exit: "nothing" },
      before: async (project) => void (await applySuccessfully(project)),
    },
    {
      what: "a plan",
      line: ["plan", "--detailed-exitcode"],
      exit: 2,
      document: { format: "avatarops/plan", exit: "changes" },
    },
    {
      what: "an apply",
      line: ["apply", "-y"],
      exit: 0,
      document: { format: "avatarops/outcome", exit: "done" },
    },
    { what: "an unconfirmed apply", line: ["apply"], exit: 7, document: { format: "avatarops/plan" } },
    {
      what: "an apply that failed",
      line: ["apply", "-y"],
      exit: 1,
      document: { format: "avatarops/outcome", exit: "failed" },
      before: ({ emulator }) => emulator.addFault("POST /v1/contexts 400 times=2"),
    },
    {
      what: "a partly completed apply",
      line: ["apply", "-y"],
      exit: 3,
      document: { format: "avatarops/outcome", exit: "partly" },
      before: ({ emulator }) => emulator.addFault("POST /v1/contexts 400"),
    },
    {
      what: "an apply with an unknown outcome",
      line: ["apply", "-y"],
      exit: 4,
      document: { format: "avatarops/outcome", exit: "ambiguous" },
      before: ({ emulator }) => emulator.addFault("POST /v1/contexts drop-before"),
    },
    {
      what: "a service error",
      line: ["plan"],
      exit: 1,
      document: { format: "avatarops/error", code: "unauthorized" },
      before: ({ emulator }) => emulator.addFault("* * 401"),
    },
    {
      what: "a manifest with mistakes",
      line: ["apply", "-y"],
      exit: 1,
      document: { format: "avatarops/diagnostics", valid: false },
      before: (project) => project.write("avatarops.yaml", "contexts:\n  desk: { nam: Desk }\n"),
    },
    {
      what: "a missing manifest",
      line: ["plan", "--file", "other.yaml"],
      exit: 1,
      document: { format: "avatarops/diagnostics", valid: false },
    },
    {
      what: "a target that does not exist",
      line: ["plan", "--target", "context.nobody"],
      exit: 1,
      document: { format: "avatarops/error", code: "unknown-address" },
    },
    {
      what: "a stale plan",
      line: ["apply", "plan.json"],
      exit: 5,
      document: { format: "avatarops/error", code: "stale-plan" },
      before: async (project) => {
        await runUnwrapped(project, "plan", "--out", "plan.json");
        await applySuccessfully(project);
        await project.write("avatarops.yaml", manifest.replace("kind", "short"));
      },
    },
    {
      what: "a file that is not a plan",
      line: ["apply", "plan.json"],
      exit: 1,
      document: { format: "avatarops/error", code: "not-a-plan" },
      before: (project) => project.write("plan.json", "{}"),
    },
    {
      what: "a truncated state",
      line: ["plan"],
      exit: 1,
      document: { format: "avatarops/error", code: "corrupt" },
      before: (project) => project.write(".avatarops/state.json", "{"),
    },
  ];
  for (const { what, line, exit, document, before } of cases) {
    it(`prints one JSON document for ${what} (exit code ${exit})`, async () => {
      const project = await start();
      await before?.(project);
      const ran = await runUnwrapped(project, ...line, ...json);
      expect(ran.exit, ran.stdout + ran.stderr).toBe(exit);
      expect(JSON.parse(ran.stdout)).toMatchObject(document);
    });
  }
});
