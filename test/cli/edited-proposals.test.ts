/** People may edit the title and description of a pull request that avatarops opened. */
import { expect, test } from "vitest";
import { branch, startTeam, type Team } from "./drift-hosting.js";

/** Opens a drift pull request, and returns it with a function that adds another edit to it. */
async function openEdited() {
  const team = await startTeam("github");
  const { emulator } = team.project;
  emulator.editContext("Support desk", { prompt: "Be very polite." });
  await team.propose();
  const pull = findPull(team);
  return {
    ...{ team, pull },
    update: () => {
      emulator.editContext("Sales desk", { opening_text: "Hello!" });
      return team.propose();
    },
  };
}

function findPull(team: Team) {
  const [pull] = team.pulls();
  if (!pull) throw new Error("no pull request");
  return pull;
}

const countParts = (body: string) => body.split("<!-- avatarops:drift").length - 1;

test("keeps the edited title of a drift pull request, and the text around its part of the description", async () => {
  const { team, pull, update } = await openEdited();
  pull.title = "Polite desks, see TICKET-12";
  // Browsers submit text with CRLF line ends.
  pull.body = `Approved by legal.${pull.body}\n\nReview until Friday.`.replaceAll("\n", "\r\n");
  expect(await update()).toMatchObject({
    result: "updated",
    notes: [
      "The title was edited, so it is kept.",
      "The description was edited, so only the part by avatarops is updated.",
    ],
  });
  expect(pull.title).toBe("Polite desks, see TICKET-12");
  expect(pull.body).toMatch(/^Approved by legal\.\n\n<!-- avatarops:drift [\s\S]*\n\nReview until Friday\.$/);
  expect(pull.body).toContain("context.sales");
  expect(countParts(pull.body)).toBe(1);
  expect(await team.propose()).toMatchObject({ result: "unchanged", notes: [] });
  team.project.emulator.editContext("Support desk", { prompt: "Be polite." });
  team.project.emulator.editContext("Sales desk", { opening_text: "Hi!" });
  expect(await team.propose()).toMatchObject({ result: "closed" });
  expect(team.host.problems).toEqual([]);
});

test("keeps a drift pull request's description that was edited in its middle above the new one", async () => {
  const { team, pull, update } = await openEdited();
  const edited = pull.body.replace("Updated in the files:", "Updated in the files, as Ada wanted:");
  expect(edited).not.toBe(pull.body);
  pull.body = edited;
  expect(await update()).toMatchObject({
    result: "updated",
    notes: ["The description was edited, so the edited text is kept above the new one."],
  });
  expect(countParts(pull.body)).toBe(1);
  const [before = "", after = ""] = pull.body.split("<!-- avatarops:drift");
  expect(before).toBe(`${edited.slice(edited.indexOf("\n") + 1).trimEnd()}\n\n`);
  expect(after).toContain("context.sales");
  team.project.emulator.editContext("Sales desk", { opening_text: "Hey!" });
  expect(await team.propose()).toMatchObject({
    notes: ["The description was edited, so only the part by avatarops is updated."],
  });
  expect(pull.body.startsWith(before)).toBe(true);
  expect([countParts(pull.body), pull.body.includes("Hello!")]).toEqual([1, false]);
});

test("counts a closed drift pull request with text above its description as declined", async () => {
  const { team, pull, update } = await openEdited();
  const ada = { id: 5, login: "ada" };
  team.host.world.writers.push(ada);
  Object.assign(pull, { open: false, closedBy: ada, body: `Not now.\n\n${pull.body}` });
  expect(await update()).toMatchObject({
    ...{ result: "opened", branch },
    refused: [{ address: "context.support", reason: expect.stringContaining("was closed") }],
  });
});

test("shortens its part of a drift pull request to fit the host's limit with the text of people", async () => {
  const names = Array.from({ length: 60 }, (_, at) => `desk-${at}`);
  const contexts = names.map((name) => `  ${name}: { name: ${name}, prompt: Be kind. }\n`).join("");
  const team = await startTeam("github", { files: { "avatarops.yaml": `contexts:\n${contexts}` } });
  const edit = (prompt: string) => {
    for (const name of names) team.project.emulator.editContext(name, { prompt });
  };
  edit("Be very kind.");
  await team.propose();
  const pull = findPull(team);
  const text = "Read this. ".repeat(5_200).trim();
  pull.body = `${text}\n\n${pull.body}`;
  edit("Be kind and brief.");
  expect(await team.propose()).toMatchObject({ result: "updated" });
  expect(pull.body.startsWith(text) && pull.body.includes("context.desk-0")).toBe(true);
  expect(pull.body.length).toBeLessThan(65_536);
});
