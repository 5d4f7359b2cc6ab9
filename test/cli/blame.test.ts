// @module-tag ci
import { describe, expect, test } from "vitest";

import { formatManifest, startTeam } from "./git-team.js";
import { matchText, type Project, startProject } from "./hosting.js";
import { applyEachText, change, commit, forgetTexts, git, startRepository } from "./in-git.js";

/** Padding that makes a prompt long enough to be recorded as a digest. */
const rest =
  "You answer callers of the returns desk politely and briefly, whatever they have bought. ".repeat(3);
const formatPrompt = (...sentences: string[]) => `${sentences.join(" ")} ${rest}`.trim();

/** Returns the origin and serial of each sentence, such as "apply 2". */
async function blame(project: Project, ...more: string[]): Promise<Record<string, string>> {
  const { sentences } = await project.json("blame", "context.desk", ...more);
  return Object.fromEntries(
    sentences.map(({ text, by, serial = "" }: Record<string, string>) => [text, `${by} ${serial}`.trim()]),
  );
}

describe("blame", () => {
  test("shows each sentence's apply, commit and date", async () => {
    const project = await startRepository(formatPrompt("Be kind."));
    const first = git(project, "rev-parse", "HEAD");
    const second = await change(project, formatPrompt("Be kind.", "A return is free.\n"));
    const { sentences } = await project.json("blame", "context.desk");
    expect(sentences.slice(0, 3)).toMatchObject([
      { text: "Be kind.", by: "apply", serial: 1, commit: first, at: expect.stringMatching(/^20.*Z$/) },
      { text: "A return is free.", by: "apply", serial: 2, commit: second },
      { text: rest.slice(0, rest.indexOf(".") + 1), by: "apply", serial: 1 },
    ]);
    const { stdout } = await project.avataropsWith({ columns: 200 }, "blame", "context.desk");
    const day = new Date().toISOString().slice(0, 10);
    expect(stdout).toContain(`2 ${second.slice(0, 10)} ${day}  A return is free.`);
    const narrow = await project.avataropsWith({ columns: 80 }, "blame", "context.desk");
    expect(narrow.stdout.split("\n").every((line) => line.length <= 80)).toBe(true);
    const markdown = await project.avatarops("blame", "context.desk", "--format", "markdown");
    expect(markdown.stdout).toContain(`- \`2 ${second.slice(0, 10)} ${day}\`: A return is free.`);
    expect(await blame(project, "--field", "opening_text")).toEqual({ Hi: "apply 1" });
  });

  test("marks pulled and unpulled dashboard edits", async () => {
    const project = await startRepository(formatPrompt("Be kind."));
    project.emulator.editContext("Desk", { prompt: formatPrompt("Be kind.", "Offer tea.") });
    const { sentences } = await project.json("blame", "context.desk");
    const edited = project.emulator.world.contexts[0]?.updated_at;
    expect(sentences[1]).toEqual({ text: "Offer tea.", by: "dashboard", at: edited });
    expect((await project.avatarops("blame", "context.desk")).stdout).toMatch(
      /^ {2}dashboard \d{4}-\d\d-\d\d +Offer tea\.$/m,
    );
    expect(await project.avatarops("pull")).toMatchObject({ exit: 0 });
    commit(project);
    await change(project, formatPrompt("Offer coffee.", "Offer tea.", "Be kind."));
    expect(await blame(project)).toMatchObject({
      "Offer coffee.": "apply 3",
      "Offer tea.": "dashboard 2",
      "Be kind.": "apply 1",
    });
  });

  test("keeps the origin of sentences that were moved, wrapped, renumbered or temporarily removed", async () => {
    const project = await startRepository(formatPrompt("1. Be kind.\n2. Offer tea to everyone who comes.\n"));
    await change(project, formatPrompt("1. Offer tea to everyone\nwho comes.\n"));
    await change(
      project,
      formatPrompt("Say hello.\n1. Offer tea to everyone who comes.\n2. Be kind.\n3. Be kind.\n"),
    );
    expect(await blame(project)).toMatchObject({
      "1. Offer tea to everyone who comes.": "apply 1",
      "2. Be kind.": "apply 1",
      "3. Be kind.": "apply 3",
      "Say hello.": "apply 3",
    });
    // A dashboard edit restores an undeclared sentence.
    await change(project, formatPrompt("Say hello."));
    project.emulator.editContext("Desk", { prompt: formatPrompt("Say hello.", "Be kind.") });
    expect(await blame(project)).toMatchObject({ "Say hello.": "apply 3", "Be kind.": "dashboard" });
  });

  test("splits sentences by each writing system's rules", async () => {
    const texts = [
      "返品は30日以内です。はい。",
      "قل مرحبا. كن لطيفا؟ نعم.",
      "नमस्ते कहें। चाय दें।",
      "Kosten 9.50 EUR hier. Ende.",
    ];
    const project = await startProject({ files: { "avatarops.yaml": "contexts: {}\n" } });
    const file = (lines: readonly string[]) =>
      `contexts:\n  desk: ${JSON.stringify({ name: "Desk", prompt: lines.join("\n") })}\n`;
    await applyEachText(project, "avatarops.yaml", [
      file(texts),
      file(texts.toReversed()),
      file([...texts, "はい。"]),
    ]);
    expect(Object.keys(await blame(project))).toEqual([
      ...["返品は30日以内です。", "はい。", "قل مرحبا.", "كن لطيفا؟", "نعم."],
      ...["नमस्ते कहें।", "चाय दें।", "Kosten 9.50 EUR hier.", "Ende."],
    ]);
    const { sentences } = await project.json("blame", "context.desk");
    expect(sentences.map(({ serial }: { serial: number }) => serial)).toEqual([...Array(9).fill(1), 3]);
  });

  test("attributes a sentence to a colleague's apply even if the clone lacks the commit", async () => {
    const { clone } = await startTeam(["desk"]);
    const [mine, theirs] = [clone(), clone()];
    await mine.apply();
    const changed = formatManifest(["desk"]).replace("Prompt of desk", "Prompt of desk. Say hello.");
    const commit = theirs.commit({ "avatarops.yaml": changed });
    await theirs.apply();
    const { stdout } = await mine.run("blame", "context.desk", "--format", "json");
    expect(JSON.parse(stdout).sentences).toMatchObject([
      { text: "Prompt of desk.", serial: 2 },
      { text: "Say hello.", by: "apply", serial: 2, commit },
    ]);
  });

  test("reports missing records instead of assuming a dashboard edit", async () => {
    const project = await startRepository(formatPrompt("Be kind."));
    await change(project, formatPrompt("Be kind.", "Offer tea."));
    await forgetTexts(project);
    // The newest recorded text equals the account's text.
    const { sentences } = await project.json("blame", "context.desk");
    expect(sentences[0]).toMatchObject({ by: "apply", serial: 2, missing: /the text of serial 1/ });
    expect((await project.avatarops("blame", "context.desk")).stdout).toContain(" 2 or earlier ");
    project.emulator.editContext("Desk", { prompt: formatPrompt("Be kind.", "Offer tea.", "Hm.") });
    const lost = await project.json("blame", "context.desk");
    expect(lost.sentences[0]).toMatchObject({
      by: "unknown",
      missing: expect.stringContaining(
        "the text of serial 1 is unavailable, because no history record contains it",
      ),
    });
    const file = ".avatarops/state.json.history";
    await project.write(file, "");
    project.emulator.editContext("Desk", { prompt: formatPrompt("Be kind.", "Offer tea.") });
    const { stdout } = await project.avatarops("blame", "context.desk");
    expect(stdout).toEqual(matchText("history records are missing or unreadable."));
    expect(await blame(project)).toMatchObject({ "Be kind.": "unknown", "Offer tea.": "unknown" });
  });

  test("rejects an invalid address, an undeclared object and an unknown field", async () => {
    const project = await startRepository();
    for (const [argv, why] of [
      [["desk"], "is not an address"],
      [["context.dask"], "No file declares context.dask"],
      [["context.desk", "--field", "links"], 'The kind context has no text field "links"'],
    ] as const)
      expect(await project.avatarops("blame", ...argv)).toMatchObject({ exit: 1, stderr: matchText(why) });
  });
});
