import { toolsIn } from "../tools.js";

/** The command of CDKTF, the generator of CDK Terrain, and what the packed package is tried with. */
export const cdktfTools = toolsIn("cdktf", "the tools of CDKTF, 650 MB");

/** Whether they are there, and on a Node on which the command of CDKTF starts. */
export function hasCommand(): boolean {
  return cdktfTools.has() && Number(process.versions.node.split(".")[0]) <= 22;
}
