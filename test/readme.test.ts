import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { sampleWorld, type World } from "../src/emulator/index.js";
import { newFolder, type Project, type Ran, startProject } from "./cli/hosting.js";

/*
 * The README's example and every command line of its tasks, run as they stand. Each task begins with the example
 * applied to an account, and with what the task says has happened.
 */

const readme = readFileSync("README.md", "utf8");
const [manifest = ""] = blocks("yaml");
const prompt =
  "You help visitors return a bicycle. Ask for the order number first.\nSpeak with ${customer_name} politely.\n";
const editedPrompt = prompt.replace("order number first", "order number, then for the frame number");

describe("the example of the README", () => {
  test("prints the plan shown", async () => {
    const project = await applied();
    await project.write("prompts/returns.md", editedPrompt);

    const { exit, stdout } = await project.avataropsWith(withKey("a-new-key"), "plan");

    expect(exit).toBe(0);
    const [shown = ""] = blocks("text");
    expect(alike(stdout)).toBe(alike(shown));
  });
});

describe("the example of the README in TypeScript", () => {
  test("says the same", async () => {
    const project = await applied();
    await project.write("avatarops.yaml", "include: [avatarops.config.ts]\n");
    await project.write("avatarops.config.ts", blocks("ts")[0] ?? "");
    for (const file of ["avatarops.yaml", "avatarops.config.ts"]) {
      await project.expectNothingToDo("--file", file);
      const { stdout } = await project.avatarops("token", "kiosk", "--file", file);
      expect(stdout).toMatch(/^session-token-/);
    }
  });
});

interface Task {
  /** What the reader has done, or what has happened. */
  readonly before?: (project: Project) => Promise<unknown>;
  /** What holds when all its lines were run. */
  readonly after?: (project: Project, ran: readonly Ran[]) => Promise<unknown> | undefined;
}

/** By the first words of their first line. */
const tasks: Readonly<Record<string, Task>> = {
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
  "pull --dry-run": {
    before: async ({ emulator }) =>
      emulator.editContext("Returns desk", { prompt: "Edited in the dashboard." }),
    async after(project, [first]) {
      expect(first?.stdout).toContain("context.returns");
      expect(await project.read("prompts/returns.md")).toBe("Edited in the dashboard.\n");
      await project.expectNothingToDo();
    },
  },
  "apply --auto-approve": {
    async after({ emulator }, [, shown]) {
      const [old, latest] = emulator.world.secrets;
      expect(shown?.stdout).toContain(old?.id);
      expect(emulator.secretValue(latest?.id ?? "")).toBe("a-new-key");
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
  "state mv": {
    before: (project) =>
      project.write(
        "avatarops.yaml",
        manifest
          .replaceAll("  returns:", "  returns-desk:")
          .replace("context: returns", "context: returns-desk"),
      ),
    after: (project) => project.expectNothingToDo(),
  },
  "apply --accept-duplicate": {
    async before({ emulator, avataropsWith }) {
      emulator.addFault("POST /v1/secrets drop-after");
      const lost = await avataropsWith(withKey("a-new-key"), "apply", "--auto-approve");
      expect(lost.exit).not.toBe(0);
      expect(await avataropsWith(withKey("a-new-key"), "plan")).toMatchObject({ exit: 4 });
    },
    after: async (project) =>
      expect(project.emulator.world.secrets.map(({ secret_name }) => secret_name)).toHaveLength(3),
  },
  "terraform install": {
    after: async (_, [installed]) => expect(installed?.stdout).toContain("required_providers"),
  },
  "export --typescript": {
    after: (project) => project.expectNothingToDo("--file", "my-account/avatarops.config.ts"),
  },
  "token kiosk": {
    after: async (_, [minted, , listed]) => {
      expect(minted?.stdout).toMatch(/^session-token-\S+\n$/);
      expect(JSON.parse(listed?.stdout ?? "")).toMatchObject({ type: "historic" });
    },
  },
};

const lines = blocks("sh").map((block) => block.split("\n").filter((line) => /(^|\W)avatarops /.test(line)));

describe("the tasks of the README", () => {
  test.each(
    lines
      .filter(([first = ""]) => first && !first.includes("emulate"))
      .map((task) => [task[0] ?? "", task] as const),
  )("%s", async (first, task) => {
    const [name = "no task"] = Object.keys(tasks).filter((words) =>
      argumentsOf(first).join(" ").startsWith(words),
    );
    const { before, after } = tasks[name] ?? {};
    expect(tasks).toHaveProperty([name]);
    const project = await applied();
    await before?.(project);

    const ran: Ran[] = [];
    for (const line of task) ran.push(await project.avataropsWith(settingOf(line), ...argumentsOf(line)));

    expect(ran.map(({ exit, stderr }) => (exit === 0 ? 0 : stderr))).toEqual(task.map(() => 0));
    await after?.(project, ran);
  });

  test("are all there", () => {
    const firsts = lines.flatMap(([first]) => (first ? [argumentsOf(first).join(" ")] : []));
    expect(Object.keys(tasks).filter((words) => !firsts.some((first) => first.startsWith(words)))).toEqual(
      [],
    );
  });
});

/** The example, applied to the sample account. */
async function applied(): Promise<Project> {
  const files = { "avatarops.yaml": manifest, "prompts/returns.md": prompt };
  const environment = { LLM_API_KEY: "a-key", HOME: await newFolder() };
  const project = await startProject({ files, world: world(), environment });
  expect(await project.avatarops("apply", "--auto-approve")).toMatchObject({ exit: 0 });
  return project;
}

/** The sample without what the example leaves alone, of which a plan would speak. */
function world(): World {
  const sample = sampleWorld(Date.now());
  return { ...sample, contexts: [], avatars: sample.avatars.filter(({ id }) => manifest.includes(id)) };
}

function withKey(key: string) {
  return { environment: { LLM_API_KEY: key } };
}

/** Variables set in front of a command, and a "yes" for the one who asks. */
function settingOf(line: string) {
  const [, key] = /^LLM_API_KEY=(\S+)/.exec(line) ?? [];
  return { typed: "yes\n", ...(key ? withKey(key) : {}) };
}

function argumentsOf(line: string): string[] {
  const [, given = ""] = /avatarops ([^)>]*)/.exec(line) ?? [];
  return given.trim().split(/\s+/);
}

/** Without what differs from run to run: ids and the port. */
function alike(text: string): string {
  return text.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "ID").replace(/127\.0\.0\.1:\d+/, "HOST");
}

function blocks(language: string): string[] {
  return [...readme.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, "gms"))].map(
    ([, text = ""]) => text,
  );
}
