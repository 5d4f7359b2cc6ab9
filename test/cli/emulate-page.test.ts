import { tmpdir } from "node:os";
import axe from "axe-core";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { openBrowser } from "../../scripts/pictures/browser.js";
import { emulate, type Running } from "./emulating.js";

const hostile = "</textarea><script>alert(1)</script><img src=x onerror=alert(1)>\"'&\u202Eabc";

/** A form of a page, as a browser sends it. */
function sent(
  running: Running,
  href: string,
  fields: Record<string, string>,
  headers = {},
): Promise<Response> {
  return fetch(`${running.url}${href}`, {
    method: "POST",
    redirect: "manual",
    headers: { origin: running.url, "sec-fetch-site": "same-origin", ...headers },
    body: new URLSearchParams(fields),
  });
}

interface Context {
  readonly id: string;
  readonly name: string;
  readonly prompt: string;
  readonly opening_text: string;
  readonly updated_at: string;
}

async function contextsOf(running: Running): Promise<readonly Context[]> {
  const world = (await (await running.get("/_emulator/world")).json()) as { contexts: Context[] };
  return world.contexts;
}

let running: Running;
beforeAll(async () => {
  running = await emulate([], tmpdir());
});
afterAll(() => running.stop());

/** A context of its own for a test, with where it is edited. */
async function newContext(fields: Partial<Context>) {
  const edit = { do: "addContext", context: { name: `Desk ${Math.random()}`, ...fields } };
  const { id } = (await (await running.post("/_emulator/edit", edit)).json()) as { id: string };
  const href = `/edit?kind=context&id=${id}`;
  const now = async () => (await contextsOf(running)).find((one) => one.id === id) as Context;
  return { href, now, seen: (await now()).updated_at };
}

describe("the page of emulate", () => {
  test("lists contexts, avatars and voices with their ids, and names the sandbox avatar", async () => {
    const answer = await fetch(running.url);
    const html = await answer.text();
    expect(answer.status).toBe(200);
    for (const { id } of await contextsOf(running)) expect(html).toContain(`/edit?kind=context&#38;id=${id}`);
    expect(html).toContain("dd73ea75-1218-4ef3-92ce-606d5f7fbc0a</code>: set it as");
    expect(html).toContain("kind=avatar");
    expect(html).toContain("kind=voice");
  });

  test("edits the texts that were changed, and no others", async () => {
    const { href, now, seen } = await newContext({ prompt: "One.\r\nTwo.\r\n", opening_text: "Hi \u200B" });
    const { name } = await now();
    // As browsers send what nobody has touched.
    const untouched = { seen, name, prompt: "One.\r\nTwo.\r\n", opening_text: "Hi \u200B" };
    expect((await sent(running, href, untouched)).status).toBe(303);
    expect(await now()).toMatchObject({ prompt: "One.\r\nTwo.\r\n", updated_at: seen });

    const answer = await sent(running, href, { ...untouched, opening_text: "Hello\r\nthere" });
    expect(answer.headers.get("location")).toMatch(/^\/\?saved=context\./);
    expect(await now()).toMatchObject({ prompt: "One.\r\nTwo.\r\n", opening_text: "Hello\nthere" });
    expect(await (await fetch(`${running.url}${answer.headers.get("location")}`)).text()).toContain(
      "Saved: ",
    );
  });

  test("renames an avatar", async () => {
    const { avatars } = (await (await running.get("/_emulator/world")).json()) as { avatars: Context[] };
    const { id = "", updated_at: seen = "" } = avatars[0] ?? {};
    await sent(running, `/edit?kind=avatar&id=${id}`, { seen, name: "Renamed" });
    expect(await (await running.get(`/v1/avatars/${id}`)).json()).toMatchObject({
      data: { name: "Renamed" },
    });
  });

  test("says when somebody else was faster, and keeps what was written", async () => {
    const { href, now, seen } = await newContext({ prompt: "First." });
    const { name } = await now();
    await new Promise((resolve) => setTimeout(resolve, 2));
    await sent(running, href, { seen, name, prompt: "Theirs." });
    const answer = await sent(running, href, { seen, name, prompt: "Mine <b>." });
    expect(answer.status).toBe(409);
    const html = await answer.text();
    expect(html).toContain("Somebody else has changed it meanwhile");
    expect(html).toContain("Mine &#60;b&#62;.</textarea>");
    expect(await now()).toMatchObject({ prompt: "Theirs." });
  });

  test.each([
    ["no name", "", "It needs a name."],
    ["a name that is taken", undefined, "another context has the name"],
  ])("refuses %s", async (_, wanted, message) => {
    const { href, now, seen } = await newContext({ prompt: "Mine." });
    const [taken] = await contextsOf(running);
    const answer = await sent(running, href, { seen, name: wanted ?? taken?.name ?? "" });
    expect(answer.status).toBe(409);
    expect(await answer.text()).toContain(message);
    expect((await now()).updated_at).toBe(seen);
  });

  test.each(["/edit?kind=context&id=none", "/edit?kind=constructor&id=x", "/edit"])(
    "has nothing at %s",
    async (href) => {
      expect((await fetch(`${running.url}${href}`)).status).toBe(404);
    },
  );
});

describe("the page of emulate, in a browser", { tags: "chromium" }, () => {
  let browser: Browser;
  const told: string[] = [];
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());
  afterEach(async () => {
    await Promise.all(browser.contexts().map((context) => context.close()));
    told.length = 0;
  });

  async function opened(href: string, window: BrowserContextOptions = {}): Promise<Page> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...window });
    const page = await context.newPage();
    page.on("console", (message) => told.push(message.text()));
    page.on("pageerror", (error) => told.push(String(error)));
    page.on("dialog", (dialog) => told.push(dialog.message()));
    await page.goto(`${running.url}${href}`);
    return page;
  }

  test("edits a prompt without JavaScript, and shows hostile texts as texts", async () => {
    const { now } = await newContext({ prompt: `\n${hostile}`, opening_text: hostile });
    const { name } = await now();
    const page = await opened("/", { javaScriptEnabled: false });
    await page.getByRole("link", { name }).click();
    expect(await page.getByLabel("Prompt").inputValue()).toBe(`\n${hostile}`);
    await page.getByLabel("Opening text").fill("Hello.");
    await page.getByRole("button", { name: "Save" }).click();
    expect(await page.getByRole("status").textContent()).toContain(name);
    expect(await now()).toMatchObject({ prompt: `\n${hostile}`, opening_text: "Hello." });
    expect(told).toEqual([]);
  });

  test.each([
    ["light", 1280],
    ["dark", 360],
  ] as const)("is accessible, in %s colours and %i pixels wide", async (colorScheme, width) => {
    const { href, now } = await newContext({ prompt: "W".repeat(5000), opening_text: "W".repeat(5000) });
    const { id } = await now();
    for (const path of ["/", `/?saved=context.${id}`, href, "/edit"]) {
      const page = await opened(path, { colorScheme, viewport: { width, height: 800 } });
      expect(await page.evaluate("document.documentElement.scrollWidth - window.innerWidth")).toBe(0);
      await page.evaluate(axe.source);
      const found = await page.evaluate(`axe.run().then(({ violations, passes }) => ({
          violations: violations.map(({ id, nodes }) => ({ id, at: nodes.map(({ target }) => target.join(" ")) })),
          passed: passes.map(({ id }) => id),
        }))`);
      expect(found, path).toMatchObject({
        violations: [],
        passed: expect.arrayContaining(["color-contrast", "document-title"]),
      });
    }
  });
});
