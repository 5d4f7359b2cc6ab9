/**
 * Tests that every secret source must pass, run through the command line against the emulator. No run may
 * leave a canary behind, even if the source fails.
 */
import { describe, expect, test } from "vitest";
import { toSnakeCase } from "../../../src/base/text/index.js";
import { toCamelCase } from "../../../src/core/manifest/index.js";
import { isLong } from "../../real/long.js";
import { startThief } from "../../security/thief.js";
import {
  type Failure,
  first,
  type ProjectSettings,
  SourceHarness,
  type StartedSource,
  second,
  type Written,
} from "./source-harness.js";

export { first as canary, type StartedSource } from "./source-harness.js";

/** Error code for each failure. */
const codes: Readonly<Record<Failure, string>> = {
  unauthorized: "refused",
  forbidden: "refused",
  missing: "not-found",
  unavailable: "unreachable",
  // Some libraries report a redirect as an invalid response.
  redirecting: "refused|malformed",
  html: "malformed",
  cut: "malformed",
  huge: "too-long",
  slow: "timed-out",
  endless: "timed-out",
  empty: "empty",
  // Runs last, because it stores a value.
  recovering: "",
};

/** Formats a source as a YAML mapping and as a TypeScript function call. */
export function formatSource(
  kind: string,
  fields: Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>,
): Written {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  const yaml = given.map(([name, value]) => `${toSnakeCase(name)}: ${JSON.stringify(value)}`).join(", ");
  const code = given.map(([name, value]) => `${name}: ${JSON.stringify(value)}`).join(", ");
  return { yaml: `!${kind} { ${yaml} }`, typescript: `${nameFunction(kind)}({ ${code} })` };
}

function nameFunction(kind: string): string {
  return toCamelCase(kind.replaceAll("-", "_"));
}

/** Runs the suite for one kind of source. `package` is the optional package it needs. */
export function describeSource(
  kind: string,
  start: () => Promise<StartedSource> | StartedSource,
  { package: needed }: { readonly package?: string } = {},
): void {
  /** Shared behavior is tested with the keyring source in every run, and with other sources only at night. */
  const tags = kind === "keyring" ? [] : ["night"];
  const startHarness = async (settings: ProjectSettings = {}) => SourceHarness.start(await start(), settings);

  describe(`${kind} source`, () => {
    test("is not read by validate or by a plan for other targets", { tags }, async () => {
      const on = await startHarness();
      const { failures, reads, versions } = on.source;
      await failures.unavailable?.("one", on.project, "");
      await on.expectExit(0, "validate");
      const { stdout } = await on.expectExit(0, "plan", "--target", "context.desk");
      expect(stdout).toContain("context.desk");
      expect([reads(), versions.asked()]).toEqual([0, 0]);
    });

    test("is read once per run, even for several secrets", { tags }, async () => {
      const on = await startHarness({ secrets: ["one", "one"], fingerprintKey: "one" });
      await on.expectExit(0, "apply", "--auto-approve");
      expect(on.stored()).toEqual([first, first]);
      expect(on.source.reads()).toBe(1);
    });

    test("supersedes a secret if its value changed, and never shows the value", async () => {
      const on = await startHarness();
      await on.expectExit(0, "apply", "--auto-approve");
      await on.expectNothingToDo();
      await on.put("one", second);
      const { stdout } = await on.expectExit(
        2,
        ..."plan --detailed-exitcode --format json --out plan.json".split(" "),
      );
      expect(JSON.parse(stdout)).toMatchObject({
        changes: [{ address: "secret.s0", action: "supersede", reason: "rotated" }],
      });
      await on.expectExit(0, "plan");
      await on.expectExit(0, "apply", "plan.json");
      expect(on.stored()).toEqual([first, second]);
      await on.expectNothingToDo();
      await on.expectExit(0, "history");
      await on.expectExit(0, "state", "show", "secret.s0", "--format", "json");
      on.expectClean();
    });

    test("can provide the API key and the fingerprint key", { tags }, async () => {
      const on = await startHarness({ secrets: [], apiKey: "one", fingerprintKey: "one" });
      await on.expectExit(0, "apply", "--auto-approve");
      await on.expectNothingToDo();
      on.expectClean();
    });

    test("plans no change if the YAML manifest is replaced by its TypeScript equivalent", async () => {
      const on = await startHarness();
      await on.expectExit(0, "apply", "--auto-approve");
      await on.writeTypeScript();
      await on.expectExit(0, "plan", "-f", "main.ts", "--detailed-exitcode");
      on.expectClean();
    });

    test("is not read for an untrusted change", async () => {
      const on = await startHarness();
      const { stdout } = await on.run("plan", "--untrusted", "--format", "json");
      expect(stdout).not.toContain(first);
      expect(on.source.reads()).toBe(0);
    });

    test("reports each failure without showing the value", async () => {
      const on = await startHarness();
      const failures = isLong ? Object.keys(codes) : ["forbidden", "redirecting"];
      for (const failure of failures as Failure[]) {
        const source = await start();
        await on.use(source, createSettings(failure));
        const fail = source.failures[failure];
        if (!fail) continue;
        const elsewhere = await startThief();
        await fail("one", on.project, elsewhere.url);
        const code = codes[failure];
        if (failure !== "recovering") {
          const { exit: planned } = await on.run("plan");
          const { exit, problem } = await on.apply();
          expect({ failure, exit, code: problem?.code }).toEqual({
            failure,
            exit: 1,
            code: expect.stringMatching(`^(${code})$`),
          });
          const isCertain = ["not-found", "malformed", "too-long"].includes(problem?.code ?? "");
          expect({ failure, planned }).toEqual({
            failure,
            planned: isCertain && !source.versions.unseen?.includes(failure) ? 1 : 0,
          });
        } else await on.expectExit(0, "apply", "--auto-approve");
        expect(elsewhere.heard()).toBe("");
        expect(on.stored()).toEqual(failure === "recovering" ? [first] : []);
      }
      await on.run("history");
      on.expectClean();
    });

    test.skipIf(needed === undefined)("explains how to install a missing package", async () => {
      const on = await startHarness();
      const { exit, stdout, stderr } = await on.runWithout(needed ?? "", "apply", "--auto-approve");
      expect(exit).not.toBe(0);
      expect((stdout + stderr).replace(/\s+/g, " ")).toMatch(new RegExp(`Run \`npm install [^\`]*${needed}`));
    });

    test("needs only permission to read versions during a plan", async () => {
      const source = await start();
      const on = await SourceHarness.start(source);
      await on.expectExit(0, "apply", "--auto-approve");
      const read = source.reads();
      await source.versions.refuseValues();
      await on.expectExit(0, "plan", "--detailed-exitcode");
      await on.put("one", second);
      const { stdout } = await on.expectExit(2, "plan", "--detailed-exitcode");
      expect(stdout).toMatch(/version \S+\s+→\s+\S+/);
      const drift = await on.expectExit(2, "drift");
      expect(drift.stdout).toMatch(
        /secret\.s0 was rotated at its source[^:]*secret_value: version \S+\s+→\s+\S+/,
      );
      expect(source.reads()).toBe(read);
      await source.versions.allowValues();
      await on.expectExit(0, "apply", "--only-rotations", "--auto-approve");
      expect(on.stored()).toEqual([first, second]);
      await source.versions.refuseValues();
      await on.expectNothingToDo();
      on.expectClean();
    });
  });
}

function createSettings(failure: Failure): ProjectSettings {
  return failure === "slow" || failure === "endless" ? { timeoutSeconds: 0.2 } : {};
}
