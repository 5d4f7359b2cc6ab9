import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

/*
 * Checks that `npm ci` installs exactly the locked archives. Each package has a hash on all platforms. The registry
 * is not locked, so users can choose a mirror.
 */

interface Locked {
  readonly version: string;
  readonly integrity?: string;
  readonly resolved?: string;
  /** Whether the parent package's archive contains the package. */
  readonly inBundle?: boolean;
  /** Whether the package is a workspace at the path in `resolved`. */
  readonly link?: boolean;
}

describe.each([
  "package-lock.json",
  "tools/cdktf/package-lock.json",
  "tools/cdktn/package-lock.json",
  "tools/executables/package-lock.json",
  "tools/google-auth-library/package-lock.json",
  "tools/node/package-lock.json",
  "tools/promptfoo/package-lock.json",
  "tools/interop/package-lock.json",
])("%s", (file) => {
  const { "": _, ...packages } = JSON.parse(readFileSync(file, "utf8")).packages as Record<string, Locked>;
  const workspaces = Object.values(packages).flatMap(({ link, resolved = "" }) => (link ? resolved : []));
  const entries = Object.entries(packages).filter(([name, { link }]) => !link && !workspaces.includes(name));

  test("links only to workspaces of this repository", () => {
    expect(workspaces).toEqual(file === "package-lock.json" ? ["packages/terraform-plugin"] : []);
  });

  test("has the hash of every archive", () => {
    expect(entries).not.toEqual([]);
    const lacking = entries.filter(
      ([, { integrity, inBundle }]) => !inBundle && !integrity?.startsWith("sha512-"),
    );
    expect(lacking.map(([name, { version }]) => `${name} ${version}`)).toEqual([]);
  });

  test("names no registry", () => {
    expect(entries.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
  });
});
