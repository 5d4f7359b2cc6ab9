// @module-tag gitea
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { expectBoth, generateEdits, renderChange } from "../render/edited-texts.js";
import { type Gitea, startGitea } from "./gitea.js";

describe("changed prompts on a real Gitea", () => {
  let gitea: Gitea;
  beforeAll(async () => {
    gitea = await startGitea();
    return gitea.close;
  });

  const renderText = async (text: string) => {
    const answer = await fetch(`${gitea.url}/api/v1/markdown`, {
      method: "POST",
      headers: { authorization: `token ${gitea.owner.token}`, "content-type": "application/json" },
      body: JSON.stringify({ Mode: "comment", Context: `${gitea.owner.name}/${gitea.repo}`, Text: text }),
    });
    expect(answer.status).toBe(200);
    return answer.text();
  };

  test("show both versions without links or mentions", async () => {
    const texts = fc.sample(generateEdits(8), { numRuns: 5_000, seed: 23 });
    for (let from = 0; from < texts.length; from += 100) {
      const some = texts.slice(from, from + 100);
      const html = await renderText(some.map(renderChange).join("\n\n---\n\n"));
      const parts = html.split(/<hr\/?>/);
      expect(parts).toHaveLength(some.length);
      for (const [at, text] of some.entries()) expectBoth(parts[at] ?? "", text);
    }
  });

  test("create no notifications or issue references", async () => {
    const [silent, reader] = [gitea.newUser("silent"), gitea.newUser("reader")];
    const where = `/repos/${gitea.owner.name}/${gitea.repo}/issues`;
    for (const title of ["One", "Two", "Three"]) await gitea.api(gitea.owner, "POST", where, { title });
    const seen = async (person: typeof reader, issue: number) => [
      await gitea.api(person, "GET", "/notifications?all=true"),
      (await gitea.api(gitea.owner, "GET", `${where}/${issue}/timeline`)) ?? [],
    ];
    const comment = (body: string) => gitea.api(gitea.owner, "POST", `${where}/3/comments`, { body });
    const before = "Ask @silent about #1. Now.";
    await comment(renderChange({ before, after: "Ask @silent about #1. Later, @silent: #1!" }));
    // Gitea processes comments in the background. Once it has processed this comment, it has also processed the earlier
    // ones.
    await comment("Ask @reader about #2.");
    await expect
      .poll(() => seen(reader, 2), { timeout: 20_000 })
      .toMatchObject([[{ unread: true }], [{ type: "comment_ref" }]]);
    expect(await seen(silent, 1)).toEqual([[], []]);
  });
});
