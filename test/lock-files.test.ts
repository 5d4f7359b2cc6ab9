import { readFileSync } from "node:fs";
import { globSync } from "tinyglobby";
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

describe.each(["package-lock.json", ...globSync("tools/*/package-lock.json").toSorted()])("%s", (file) => {
  const { "": _, ...packages } = JSON.parse(readFileSync(file, "utf8")).packages as Record<string, Locked>;
  const workspaces = Object.values(packages).flatMap(({ link, resolved = "" }) => (link ? resolved : []));
  const entries = Object.entries(packages).filter(([name, { link }]) => !link && !workspaces.includes(name));

  test("links only to workspaces of this repository", () => {
    expect(workspaces).toEqual(file === "package-lock.json" ? ["packages/terraform-plugin"] : []);
  });

  test("has a hash for every archive", () => {
    expect(entries).not.toEqual([]);
    const lacking = entries.filter(
      ([, { integrity, inBundle }]) => !inBundle && !integrity?.startsWith("sha512-"),
    );
    expect(lacking.map(([name, { version }]) => `${name} ${version}`)).toEqual([]);
  });

  test("contains no archive URL", () => {
    expect(entries.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
  });
});

// Excludes moto, which runs on every platform and would need hundreds of hashes.
test.each(globSync("tools/python/*.txt", { ignore: "**/moto.txt" }).toSorted())(
  "%s has a version and a hash for every package",
  (file) => {
    const text = readFileSync(file, "utf8")
      .replace(/^#.*\n/gm, "")
      .replaceAll("\\\n", "");
    const packages = text.split("\n").filter(Boolean);
    expect(packages).not.toEqual([]);
    expect(packages.filter((line) => !/^[\w.-]+==\S+( +--hash=sha256:[0-9a-f]{64})+$/.test(line))).toEqual(
      [],
    );
  },
);
