// @module-tag ci
/** Tests who can choose the destination of notices, and how untrusted text appears in a chat. */
import { expect, test } from "vitest";
import { matchText, startProject } from "../cli/hosting.js";
import { createResponder, startReceiver } from "../cli/receiver.js";
import { followFor, startTeam } from "../sync/team.js";
import { base, manifest, startFork } from "./fork.js";
import { joinStreams, startThief } from "./thief.js";

const desk = "contexts:\n  desk: { name: Desk, prompt: Be kind. }\n";

test("sends no notice about a fork, and rejects its changes to `notify`", async () => {
  const hook = await startReceiver();
  const thief = await startThief();
  const main = `notify: [{ url: !env HOOK }]\n${manifest}`;
  const fork = await startFork(
    { ...base, "avatarops.yaml": main },
    { environment: { HOOK: hook.url, OTHER: thief.url } },
  );
  hook.take();
  await fork.propose({ "prompts/desk.md": "You answer briefly.\n" });
  expect((await fork.plan()).exit).toBe(0);
  expect((await fork.avatarops("review", "--untrusted", "--base", "main", "--dry-run")).exit).toBe(0);
  for (const entry of ["url: !env OTHER", "url: !env HOOK, format: slack", "url: !file url.txt"]) {
    await fork.propose({
      "avatarops.yaml": main.replace("url: !env HOOK", entry),
      "url.txt": thief.url,
    });
    expect(joinStreams(await fork.plan())).toEqual(matchText("an untrusted change must not change settings"));
  }
  expect([hook.received, thief.heard()]).toEqual([[], ""]);
});

test("never sends notices to a URL from a file if the key is pinned", async () => {
  const thief = await startThief();
  const notify = (source: string) => `notify: [{ url: ${source} }]\n${desk}`;
  const files = { "avatarops.yaml": notify("!file url.txt"), "url.txt": `${thief.url}/in-the-file` };
  const applyWith = async (environment: Record<string, string>, ...argv: string[]) => {
    const project = await startProject({ files: { ...files, ".env": `HOOK=${thief.url}/in-the-file` } });
    if (argv.length > 0) await project.write("avatarops.yaml", notify("!env HOOK"));
    return joinStreams(await project.avataropsWith({ environment }, "apply", "-y", ...argv));
  };
  const pinned = { AVATAROPS_PIN: "1" };
  const refusal = matchText("To allow it, add 127.0.0.1");
  expect(await applyWith(pinned)).toEqual(refusal);
  expect(await applyWith(pinned, "--dotenv", ".env")).toEqual(refusal);
  expect(await applyWith({ AVATAROPS_ALLOW_HOSTS: "hooks.example.com" })).toEqual(refusal);
  const team = await startTeam(files["avatarops.yaml"], { environment: pinned });
  await team.commit({ "url.txt": thief.url });
  expect((await followFor(team, 1)).text()).toEqual(matchText("To allow it, add 127.0.0.1"));
  expect(thief.heard()).toBe("");
  expect(await applyWith({ ...pinned, AVATAROPS_ALLOW_HOSTS: thief.host })).not.toEqual(refusal);
  expect(await applyWith(pinned, "--dotenv", ".env").then(() => thief.heard())).toContain("/in-the-file");
});

test("does not follow redirects when it sends a notice", async () => {
  const thief = await startThief();
  const hook = await startReceiver();
  for (const status of [301, 302, 307, 308])
    hook.answers.push(createResponder(status, { location: thief.url }));
  for (const status of ["301", "302", "307", "308"]) {
    const project = await startProject({
      files: { "avatarops.yaml": `notify: [{ url: !env HOOK }]\n${desk}` },
      environment: { HOOK: hook.url },
    });
    const { exit, stderr } = await project.avatarops("apply", "-y");
    expect([exit, stderr]).toEqual([0, matchText(`redirects (${status})`)]);
  }
  expect([hook.received.length, thief.heard()]).toEqual([4, ""]);
});

test("shows text from the service as plain text in chat, without mentions, links or formatting", async () => {
  const hostile = [
    "<!channel> & @channel",
    "<https://evil.example|here> *bold* `x`",
    "[a](https://evil.example) {{DATE(1)}} \u202e",
  ];
  const hook = await startReceiver();
  const project = await startProject({
    files: {
      "avatarops.yaml": `notify: [{ url: !env HOOK, format: slack }, { url: !env HOOK, format: teams }]\n${desk}`,
    },
    environment: { HOOK: hook.url },
  });
  for (const message of hostile) {
    const body = { code: 422, message, data: null };
    project.emulator.addFault({ match: { method: "POST" }, do: { kind: "status", status: 422, body } });
    expect((await project.avatarops("apply", "-y")).exit).toBe(1);
  }
  const bodies = hook.received.map(({ body }) => JSON.parse(body));
  const slack = bodies.flatMap(({ blocks }) => blocks ?? []);
  const teams = bodies.flatMap(({ attachments }) => attachments?.[0].content.body ?? []);
  expect(JSON.stringify(slack)).toContain("&lt;!channel&gt; &amp; @channel");
  expect(JSON.stringify(bodies.filter(({ blocks }) => blocks))).not.toMatch(/<!|<https:..evil|\u202e/);
  // Slack reads only these fields as markup.
  const marked = JSON.stringify(slack).match(/\{"type":"mrkdwn".*?\}/g) ?? [];
  expect(marked.join("")).not.toMatch(/channel|evil|bold/);
  expect(teams.every(({ type }) => type === "RichTextBlock")).toBe(true);
  expect(JSON.stringify(teams)).toContain("[a](https://evil.example)");
  expect(JSON.stringify(teams)).not.toMatch(/\{\{DATE|\u202e/);
});

test("omits secrets and long strings from a notice", async () => {
  const canary = "the key of the model, canary-47";
  const hook = await startReceiver();
  const project = await startProject({
    files: {
      "avatarops.yaml": `notify: [{ url: !env HOOK }, { url: !env HOOK, format: slack }, { url: !env HOOK, format: teams }]
contexts: { desk: { name: Desk, prompt: "${"Be kind. ".repeat(40)}" } }
secrets: { llm: { secret_name: llm, secret_type: LLMPROVIDER_API_KEY, secret_value: !env KEY } }
`,
    },
    environment: { HOOK: hook.url, KEY: canary },
  });
  const echo = (times: number) =>
    project.emulator.addFault({
      match: { method: "POST" },
      times,
      do: {
        kind: "status",
        status: 422,
        body: { code: 422, message: `Refused: "${"Be kind. ".repeat(40)}"`, data: null },
      },
    });
  echo(1);
  await project.avatarops("apply", "-y");
  await project.avatarops("apply", "-y");
  await project.avataropsWith({ environment: { KEY: `${canary}!` } }, "drift");
  expect(hook.received.length).toBeGreaterThan(8);
  const all = hook.received.map(({ body, headers }) => body + JSON.stringify(headers)).join("\n");
  for (const secret of [canary, "T0KEN", "test-key", "Be kind. Be kind."]) expect(all).not.toContain(secret);
});
