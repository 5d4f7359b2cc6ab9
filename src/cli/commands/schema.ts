import { manifestSchema } from "../../manifest/index.js";
import { renderJson } from "../../render/index.js";
import type { RunCommand } from "../command.js";
import { exitCode } from "../exit-code.js";

export const command: RunCommand = async ({ talk }) => {
  talk.print(renderJson(manifestSchema()));
  return exitCode.done;
};
