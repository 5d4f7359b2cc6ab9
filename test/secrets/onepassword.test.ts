import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { errorOf, read, versionOf } from "./asking.js";
import { type ConnectStandIn, startConnect } from "./stand-ins/onepassword.js";

const source = (reference: string) => ({ from: "onepassword", reference });
const key = { id: "credential", label: "credential", value: "sk-1" };

describe("with a Connect server", () => {
  let connect: ConnectStandIn;
  beforeEach(async () => {
    connect = await startConnect();
  });
  afterEach(() => connect.close());

  test("a field comes with the version of its item", async () => {
    connect.put("LLM", [key], { version: 7 });
    expect(await read(source("op://Production/LLM/credential"), connect.environment)).toEqual({
      value: "sk-1",
      version: "7",
    });
  });

  test("the version comes without reading the item", async () => {
    const { id } = connect.put("LLM", [key], { version: 7 });
    expect(await versionOf(source("op://Production/LLM/credential"), connect.environment)).toBe("7");
    expect(connect.requests.join()).not.toContain(id);
  });

  test("vault, item and field may be named by their IDs", async () => {
    const { id } = connect.put("LLM: production", [key]);
    const reference = `op://${connect.vaultId}/${id}/credential`;
    expect(await read(source(reference), connect.environment)).toEqual({ value: "sk-1", version: "1" });
  });

  test("a section tells two fields of one name apart", async () => {
    const sections = [
      { id: "s1", label: "test" },
      { id: "s2", label: "live" },
    ];
    const fields = ["s1", "s2"].map((id) => ({
      id: `f-${id}`,
      label: "key",
      value: `of ${id}`,
      section: { id },
    }));
    connect.put("LLM", fields, { sections });
    expect(await read(source("op://Production/LLM/live/key"), connect.environment)).toMatchObject({
      value: "of s2",
    });
    const { code, message } = await errorOf(read(source("op://Production/LLM/key"), connect.environment));
    expect([code, message]).toEqual([
      "failed",
      "The 1Password field op://Production/LLM/key is not the only one of this name: the item has 2. Write the ID of the field, or its section.",
    ]);
  });

  test("an archived item does not stand in the way of a new one", async () => {
    connect.put("LLM", [{ ...key, value: "old" }], { state: "ARCHIVED" });
    connect.put("LLM", [key]);
    expect(await read(source("op://Production/LLM/credential"), connect.environment)).toMatchObject({
      value: "sk-1",
    });
  });

  test.each([
    [
      "op://Staging/LLM/credential",
      "not-found",
      "there is no vault Staging that the token in OP_CONNECT_TOKEN may read",
    ],
    ["op://Production/TTS/credential", "not-found", "there is no item TTS"],
    ["op://Production/LLM/password", "not-found", "the item has no such field"],
    ["op://Production/LLM/notes", "empty", "is empty"],
    ["op://Production/LLM/credential?attribute=otp", "failed", "Unset OP_CONNECT_HOST to read it with `op`"],
  ])("%s: %s", async (reference, code, message) => {
    connect.put("LLM", [key, { id: "notes", label: "notes" }]);
    const error = await errorOf(read(source(reference), connect.environment));
    expect(error).toMatchObject({ code, message: expect.stringContaining(message) });
  });

  test("two items of one title are told, and their IDs asked for", async () => {
    for (let item = 0; item < 2; item++) connect.put("LLM", [key]);
    expect(
      await errorOf(versionOf(source("op://Production/LLM/credential"), connect.environment)),
    ).toMatchObject({
      code: "failed",
      message: expect.stringContaining("there are 2 of the item LLM. Write the ID"),
    });
  });

  test("a token without the right is told what it lacks", async () => {
    connect.put("LLM", [key]);
    connect.mayRead = false;
    const error = await errorOf(read(source("op://Production/LLM/credential"), connect.environment));
    expect(error).toMatchObject({
      code: "refused",
      message: expect.stringContaining(
        "no right to the items of the vault Production. It needs read access to the vault.",
      ),
    });
    expect(error.message).not.toContain(connect.token);
  });

  test("a wrong token is told by its variable", async () => {
    const environment = { ...connect.environment, OP_CONNECT_TOKEN: "token-canary" };
    const error = await errorOf(read(source("op://Production/LLM/credential"), environment));
    expect(error).toMatchObject({ code: "refused", message: expect.stringContaining("OP_CONNECT_TOKEN") });
    expect(error.message).not.toContain("canary");
  });

  test("a token with a line end in it is not put into a header", async () => {
    const environment = { ...connect.environment, OP_CONNECT_TOKEN: "token\ncanary" };
    const error = await errorOf(read(source("op://Production/LLM/credential"), environment));
    expect(error.message).toMatch(/has spaces or line ends in it\.$/);
    expect(connect.requests).toEqual([]);
  });

  test("one variable of the two is a mistake", async () => {
    const error = await errorOf(read(source("op://a/b/c"), { OP_CONNECT_HOST: connect.url }));
    expect(error).toMatchObject({
      code: "not-set",
      message: expect.stringContaining("OP_CONNECT_HOST is set, and OP_CONNECT_TOKEN is not"),
    });
  });

  test("an address with a password in it is not repeated", async () => {
    const environment = { ...connect.environment, OP_CONNECT_HOST: "http://user:canary@127.0.0.1/" };
    const error = await errorOf(read(source("op://a/b/c"), environment));
    expect(error.message).toContain("OP_CONNECT_HOST is not an address");
    expect(error.message).not.toContain("canary");
  });
});

describe("with the program op", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "avatarops-op-"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  /** Answers as documented for `op read`. */
  async function install(script: string): Promise<Record<string, string>> {
    const file = path.join(folder, "op");
    await writeFile(file, `#!/bin/sh\n${script}\n`);
    await chmod(file, 0o755);
    return { PATH: `${folder}:${process.env.PATH}`, OP_SERVICE_ACCOUNT_TOKEN: "ops_canary" };
  }

  test("it is given the reference as one argument, and the service account in its environment", async () => {
    const environment = await install(
      '[ "$OP_SERVICE_ACCOUNT_TOKEN" = ops_canary ] && printf "%s" "$1|$2|$3|$#"',
    );
    const reference = "op://Production/LLM/one-time password?attribute=otp";
    expect(await read(source(reference), environment)).toEqual({ value: `read|--no-newline|${reference}|3` });
  });

  test("there is no version without the value", async () => {
    const environment = await install("exit 9");
    expect(await versionOf(source("op://Production/LLM/credential"), environment)).toBeUndefined();
  });

  test("what it prints on failure is not shown", async () => {
    const environment = await install('echo "[ERROR] $OP_SERVICE_ACCOUNT_TOKEN" >&2; echo canary; exit 1');
    const error = await errorOf(read(source("op://Production/LLM/credential"), environment));
    expect(error.message).toBe(
      "The 1Password field op://Production/LLM/credential cannot be read: `op read` ended with exit code 1. Run it by hand to see why; in CI, check OP_SERVICE_ACCOUNT_TOKEN and the vaults that the service account may read.",
    );
  });

  test("where it is not installed, both ways are told", async () => {
    const error = await errorOf(read(source("op://Production/LLM/credential"), { PATH: folder }));
    expect(error).toMatchObject({ code: "not-found" });
    expect(error.message).toContain(
      "Install the 1Password CLI, or set OP_CONNECT_HOST and OP_CONNECT_TOKEN.",
    );
  });
});
