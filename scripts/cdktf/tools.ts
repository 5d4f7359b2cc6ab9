import path from "node:path";
import { toolsIn } from "../tools.js";

/** The command of CDKTF, the generator of CDK Terrain, and what tests of the packed package need. */
export const cdktfTools = toolsIn("cdktf", "the tools of CDKTF, 650 MB");

/** The command of CDK Terrain. */
export const cdktnTools = toolsIn("cdktn", "the command of CDK Terrain, 220 MB");

const commands = { cdktn: cdktnTools, cdktf: cdktfTools };

export type CommandName = keyof typeof commands;

/** Where the command of that name is, if it is installed. */
export function commandPath(name: CommandName): string {
  return path.join(commands[name].folder, "node_modules/.bin", name);
}

/** Whether it is installed, on a Node that can start it: that of CDKTF on 20 and 22, that of CDK Terrain from 22.19 on. */
export function hasCommand(name: CommandName): boolean {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const canStart = name === "cdktf" ? major <= 22 : major > 22 || (major === 22 && minor >= 19);
  return canStart && commands[name].has();
}
