/** Writes the files and runs the commands from docs/templates.md in order. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { createGitEnvironment } from "../git/repositories.js";
import { execute } from "../installing.js";
import { type CommandResult, newFolder, startProject } from "./hosting.js";

/** Lists the code blocks of each section, each with the last file name in the text before it. */
const [, walk = ""] = readFileSync("docs/templates.md", "utf8").split("## From a partial to production\n");
const sections = walk
  .split(/^### /m)
  .slice(1)
  .map((section) => {
    const blocks: { language: string; text: string; file: string }[] = [];
    let file = "";
    for (const part of section.split(/(^```\w+\n.*?^```$)/gms)) {
      const [, language = "", text = ""] = /^```(\w+)\n(.*?)^```$/ms.exec(part) ?? [];
      if (language === "")
        file = Array.from(part.matchAll(/`([\w/.]+\.(?:md|yaml))`/g), ([, one]) => one).at(-1) ?? file;
      else blocks.push({ language, text, file });
    }
    return blocks;
  });

test("produces the documented results after each step in docs/templates.md", async () => {
  const [project, production] = [await startProject(), await startProject()];
  const own = { PRODUCTION_URL: production.emulator.url };
  const environment = { ...createGitEnvironment(await newFolder()), ...own, PATH: process.env.PATH ?? "" };
  const ran: Record<string, CommandResult> = {};
  const written = new Set<string>();
  const follow = async (blocks: (typeof sections)[number]) => {
    for (const { language, text, file } of blocks) {
      // A repeated file block shows the file's new content.
      if (language !== "sh" && written.has(file)) expect(await project.read(file)).toBe(text);
      else if (language !== "sh") await project.write(file, text);
      written.add(file);
      for (const line of language === "sh" ? text.trim().split("\n") : []) {
        const [, argv, exit = "0"] = /^avatarops (.*?)(?: \|\| test \$\? = (\d))?$/.exec(line) ?? [];
        if (argv === undefined) {
          const env = { ...process.env, ...environment };
          const ended = await execute("bash", ["-ec", line], { cwd: project.folder, env });
          expect([line, ended]).toMatchObject([line, { exit: 0, stderr: "" }]);
          continue;
        }
        const [, before = argv, cat] = /^(.*) "\$\(cat (\S+)\)"$/.exec(argv) ?? [];
        const given = cat === undefined ? [] : [(await project.read(cat)).trimEnd()];
        const one = await project.avataropsWith({ environment }, ...before.split(" "), ...given);
        expect([line, one.exit], one.stdout + one.stderr).toEqual([line, Number(exit)]);
        ran[argv] = one;
      }
    }
  };
  for (const blocks of sections) await follow(blocks);

  const prompt = ({ emulator }: typeof project, name: string) =>
    emulator.world.contexts.find((one) => one.name === name)?.prompt;
  expect(ran["pull --env staging --dry-run"]?.stdout).toMatch(
    /context\.rings\.prompt,\s+context\.rings\.prompt\s+\(production\)/,
  );
  const review = ran["review --env staging --dry-run"]?.stdout ?? "";
  expect(review).toMatch(/patient/);
  expect(ran["blame context.rings --env staging"]?.stdout).toMatch(/Be kind and patient\./);
  expect(prompt(project, "Rings")).toContain("Be kind and patient.");
  expect(prompt(production, "Returns")).toBe(prompt(project, "Returns")?.replace("9 EUR", "10 EUR"));
  await project.expectNothingToDo("--env", "staging");
});
