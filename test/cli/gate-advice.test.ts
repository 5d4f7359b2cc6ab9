/**
 * Tests that a command rejected by a gate prints the complete command that passes the gate in the same
 * terminal or pipeline.
 */
import { describe, expect, test } from "vitest";
import { matchText, type Project, startAndApply } from "./hosting.js";

const names = ["a", "b", "c", "d", "e", "f"];
const formatManifest = (prompt: string) =>
  `thresholds: { max_percent: 10, min_objects: 1 }\ncontexts: { ${names.map((name) => `${name}: { name: ${name.toUpperCase()}, prompt: ${prompt} }`).join(", ")} }\n`;

/** Starts a project whose plan changes all objects. */
async function startChanged(): Promise<Project> {
  const project = await startAndApply({ files: { "avatarops.yaml": formatManifest("One") } });
  await project.write("avatarops.yaml", formatManifest("Two"));
  return project;
}

const countPrompts = ({ emulator }: Project, wanted: string) =>
  emulator.world.contexts.filter(({ prompt }) => prompt === wanted).length;

/** Returns the arguments to the recommended command with `--allow`. */
function readCommand(stderr: string): string[] {
  const [, command = ""] = /`avatarops ([^`]+ --allow [^`]+)`/.exec(stderr.replace(/\s+/g, " ")) ?? [];
  return command.split(" ");
}

/** Runs a rejected command, then the command that the error recommends, both without a terminal. */
async function follow(project: Project, ...argv: string[]): Promise<string> {
  const { exit, stderr } = await project.avatarops(...argv);
  expect(exit, stderr).toBe(7);
  const command = readCommand(stderr);
  await project.expectDone(...command);
  return command.join(" ");
}

describe("command recommended after a run without a terminal exceeds a threshold", () => {
  test("repeats -y and --target from the rejected apply", async () => {
    const project = await startChanged();
    const argv = ["apply", "-y", "--target", "context.a", "--target", "context.b"];
    expect(await follow(project, ...argv)).toBe(`${argv.join(" ")} --allow threshold`);
    expect(countPrompts(project, "Two")).toBe(2);
  });

  test("adds the plan's --digest to an apply without -y", async () => {
    const project = await startChanged();
    const command = await follow(project, "apply", "--target", "context.a", "--target", "context.b");
    expect(command).toMatch(/^apply --digest \S+ --target context.a --target context.b --allow threshold$/);
    expect(countPrompts(project, "Two")).toBe(2);
  });

  test("repeats the path of the saved plan", async () => {
    const project = await startChanged();
    await project.expectDone("plan", "--out", "my plan.json");
    const { exit, stderr } = await project.avatarops("apply", "my plan.json");
    const command = "apply 'my plan.json' --allow threshold";
    expect({ exit, stderr }).toEqual({
      exit: 7,
      stderr: matchText(`To apply anyway: \`avatarops ${command}\`.`),
    });
    await project.expectDone("apply", "my plan.json", "--allow", "threshold");
    expect(countPrompts(project, "Two")).toBe(6);
  });

  test.each([
    [[], /^rollback --digest \S+ --to 1 context.a context.b --allow threshold$/],
    [["-y"], /^rollback --to 1 context.a context.b -y --allow threshold$/],
  ])("repeats the arguments of a rollback with the options %j", async (options, expected) => {
    const project = await startChanged();
    await project.expectDone("apply", "-y", "--allow", "threshold");
    expect(await follow(project, "rollback", "--to", "1", "context.a", "context.b", ...options)).toMatch(
      expected,
    );
    expect(countPrompts(project, "One")).toBe(2);
  });
});

test("repeats --target in the apply command that plan recommends if a threshold is exceeded", async () => {
  const project = await startChanged();
  const { stdout } = await project.avatarops("plan", "--target", "context.*");
  expect(stdout).toEqual(matchText("To apply it: `avatarops apply --target 'context.*' --allow threshold`."));
  const status = await project.avatarops("status");
  expect(status.stdout).toEqual(matchText("To apply it, add `--allow threshold`."));
});

test("repeats the ids in the recommended command if a hold blocks a prune", async () => {
  const project = await startAndApply({
    files: { "avatarops.yaml": `service: { profile: liveavatar }\n${formatManifest("One")}` },
    emulator: { profile: "liveavatar" },
  });
  const { id } = project.emulator.addContext({ name: "Old", prompt: "Old." });
  await project.expectDone("hold", "--reason", "incident 42");
  expect(await follow(project, "prune", id, "-y")).toBe(`prune ${id} -y --allow held`);
  expect(countPrompts(project, "Old.")).toBe(0);
});

test("recommends apply without -y or --digest if the rejected apply ran in a terminal", async () => {
  const project = await startChanged();
  const { stderr } = await project.avataropsWith({ typed: "yes\n" }, "apply");
  const command = readCommand(stderr);
  expect(command).toEqual(["apply", "--allow", "threshold"]);
  expect(await project.avataropsWith({ typed: "yes\n" }, ...command)).toMatchObject({ exit: 0 });
  expect(countPrompts(project, "Two")).toBe(6);
});

test("keeps --target and --allow in the command recommended for an unapproved plan", async () => {
  const project = await startChanged();
  await project.write("avatarops.yaml", `reviews: { require_approval: 1 }\n${formatManifest("Two")}`);
  const argv = ["apply", "-y", "--target", "context.a"];
  expect(await project.avatarops(...argv)).toMatchObject({ exit: 7 });
  expect(await follow(project, ...argv, "--allow", "threshold")).toMatch(
    /^apply --target context.a --digest \S+ --allow threshold$/,
  );
  expect(countPrompts(project, "Two")).toBe(1);
});
