import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { followFor, startTeam } from "./team.js";

test("closes secret source connections after a sync cycle, even those opened by a notice", async () => {
  const notify = "notify: [{ url: !keyring { name: 'http://127.0.0.1:9' }, events: [failed] }]";
  const team = await startTeam(`include: [desk.ts]\n${notify}\n`);
  const logFile = path.join(team.repository, "..", "connections.log");
  await team.commit({
    "desk.ts": `import { appendFileSync } from "node:fs";
import { defineSource, Project, Secret } from "avatarops";
const append = (what) => () => appendFileSync(${JSON.stringify(logFile)}, what + "\\n");
const keyring = defineSource({
  name: "keyring",
  title: "Keyring",
  fields: { name: { type: "string", required: true, description: "Name." } },
  describe: ({ name }) => name,
  async read({ name }, { connection }) {
    await connection("", async () => append("open")(), append("close"));
    return { value: name };
  },
});
const project = new Project();
const secretValue = keyring({ name: "x" });
new Secret(project, "llm", { secretName: "llm", secretType: "LLMPROVIDER_API_KEY", secretValue });
export default project;
`,
  });
  const { log } = await followFor(
    team,
    4,
    async (cycle) => {
      if (cycle === 1) await team.setAway(true);
    },
    "--allow-code",
  );
  expect(log.find(({ msg }) => msg === "cycle")?.outcome, JSON.stringify(log)).toBe("applied");
  const lines = readFileSync(logFile, "utf8").trim().split("\n");
  expect(lines.filter((line) => line === "open").length).toBeGreaterThan(1);
  expect(lines.join()).toMatch(/^(open,close,?)+$/);
});
