import { frontMatterSchema, manifestSchema } from "../../manifest/index.js";
import { renderJson } from "../../render/index.js";
import { isOn, type RunCommand } from "../command.js";
import { exitCode } from "../exit-code.js";

export const command: RunCommand = async (call) => {
  call.output.result(renderJson(isOn(call, "frontMatter") ? frontMatterSchema() : manifestSchema()));
  return exitCode.done;
};
