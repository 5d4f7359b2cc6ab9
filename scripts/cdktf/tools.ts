import { toolsIn } from "../tools.js";

/** The command of CDKTF, the generator of CDK Terrain, and what tests of the packed package need. */
export const cdktfTools = toolsIn("cdktf", "the tools of CDKTF, 650 MB");

/** Whether they are installed, on a Node that can start the command of CDKTF. */
export function hasCommand(): boolean {
  return cdktfTools.has() && Number(process.versions.node.split(".")[0]) <= 22;
}
