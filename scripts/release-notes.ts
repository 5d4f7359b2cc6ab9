/**
 * Prints the changelog section of a version for its release: `npx tsx scripts/release-notes.ts v1.2.3`. Fails if the
 * tag differs from the version of a package, or if the changelog has no text for it.
 */
import { readdirSync, readFileSync } from "node:fs";
import { parser } from "keep-a-changelog";

const [tag = ""] = process.argv.slice(2);
const packages = [".", ...readdirSync("packages").map((name) => `packages/${name}`)];
const faults = packages.flatMap((folder) => {
  const { name, version } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
  return tag === `v${version}` ? [] : [`${name} has the version ${version}, but the tag is "${tag}".`];
});
const changelog = parser(readFileSync("CHANGELOG.md", "utf8"));
changelog.format = "markdownlint";
const release = changelog.releases.find(({ version }) => tag === `v${version}`);
if (!release || release.isEmpty())
  faults.push(`CHANGELOG.md has no section for "${tag}". Rename Unreleased and add the date.`);
if (faults.length > 0) {
  console.error(faults.join("\n"));
  process.exitCode = 1;
} else console.log(release?.toString(changelog).replace(/^## .*\n+/, ""));
