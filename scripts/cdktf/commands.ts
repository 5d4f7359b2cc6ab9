import path from "node:path";
import { tools } from "../tools.js";

const commands = { cdktn: tools.cdktn, cdktf: tools.cdktf };

export type CommandName = keyof typeof commands;

/** Returns the path of an installed command. */
export function findCommand(name: CommandName): string {
  return path.join(commands[name].path, "node_modules/.bin", name);
}

/** Whether the command is installed and supports this Node. CDKTF runs on 20 and 22, CDK Terrain on 22.19 and later. */
export function hasCommand(name: CommandName): boolean {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const canStart = name === "cdktf" ? major <= 22 : major > 22 || (major === 22 && minor >= 19);
  return canStart && commands[name].has();
}
