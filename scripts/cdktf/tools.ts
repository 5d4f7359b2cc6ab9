import path from "node:path";
import { defineTools } from "../tools.js";

/** CDKTF command, CDK Terrain's generator, and dependencies of the package tests. */
export const cdktfTools = defineTools("cdktf", "the CDKTF tools, 650 MB");

/** CDK Terrain command. */
export const cdktnTools = defineTools("cdktn", "the command of CDK Terrain, 220 MB");

const commands = { cdktn: cdktnTools, cdktf: cdktfTools };

export type CommandName = keyof typeof commands;

/** Returns the path of an installed command. */
export function findCommand(name: CommandName): string {
  return path.join(commands[name].folder, "node_modules/.bin", name);
}

/** Whether the command is installed and supports this Node. CDKTF runs on 20 and 22, CDK Terrain on 22.19 and later. */
export function hasCommand(name: CommandName): boolean {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const canStart = name === "cdktf" ? major <= 22 : major > 22 || (major === 22 && minor >= 19);
  return canStart && commands[name].has();
}
