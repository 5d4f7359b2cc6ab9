import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { licenseSeparator, root } from "../bundle/bundle.js";
import type { Libraries } from "./libraries.js";
import { findMakerPlatform } from "./platforms.js";

interface Component {
  readonly "bom-ref": string;
  readonly name: string;
  readonly version: string;
  readonly [field: string]: unknown;
}

/** Licenses of glibc and of GCC's libraries. */
const lesser = "LGPL-2.1-or-later";
const withException = "GPL-3.0-or-later WITH GCC-exception-3.1";

/**
 * Returns the SBOM of the executables in CycloneDX. It lists Node, the Linux libraries, and the npm packages whose
 * licenses `writeContent` wrote to the folder `content`. It omits npm's timestamp and random number, so the same
 * content results in the same text.
 */
export function describeContent(content: string, version: string, libraries: Libraries["sources"]): string {
  const licenses = readFileSync(path.join(content, "THIRD-PARTY-LICENSES.txt"), "utf8");
  const heads = licenses
    .split(licenseSeparator)
    .map((text) => /^(\S+) (\S+),/.exec(text)?.slice(1).join("@"));
  const printed = execFileSync("npm", ["sbom", "--sbom-format", "cyclonedx", "--package-lock-only"], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 100_000_000,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const { serialNumber: _, metadata, components, dependencies, ...form } = JSON.parse(printed);
  const inside = (components as Component[]).filter((one) => heads.includes(one["bom-ref"]));
  if (inside.length !== heads.filter(Boolean).length)
    throw new Error(`npm lists only ${inside.length} of the ${heads.length} packages inside.`);
  const packed = JSON.parse(readFileSync(path.join(findMakerPlatform().node, "../../package.json"), "utf8"));
  const node = { "bom-ref": "node", type: "platform", name: "node", version: packed.version };
  const ofLinux = [...new Map(libraries.map((one) => [one.name, one])).values()].map(({ name, version }) => ({
    ...{ "bom-ref": `${name}@${version}`, type: "library", name, version },
    licenses: [{ expression: name === "glibc" ? lesser : withException }],
    purl: `pkg:deb/debian/${name}@${version}?arch=source`,
  }));
  const { timestamp: __, component, ...made } = metadata;
  const refs = [node, ...ofLinux, ...inside].map((one) => one["bom-ref"]);
  const described = { ...component, name: "avatarops", type: "application", version };
  return `${JSON.stringify(
    {
      ...form,
      metadata: { ...made, component: described },
      components: [
        { ...node, licenses: [{ license: { id: "MIT" } }], purl: `pkg:generic/node@${node.version}` },
        ...ofLinux,
        ...inside,
      ],
      dependencies: [{ ref: component["bom-ref"], dependsOn: refs }],
    },
    undefined,
    2,
  )}\n`;
}
