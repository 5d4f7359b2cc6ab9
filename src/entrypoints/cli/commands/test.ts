import { describeTests, testPrompts } from "../../../operations/index.js";
import { visible } from "../../../output/render/index.js";
import type { RunCommand } from "../command.js";
import { exitCode } from "../exit-code.js";
import type { testCommand } from "../facts/project.js";

export const command: RunCommand<typeof testCommand> = async (call) => {
  const { output, options } = call;
  const tested = await testPrompts(call, call.arguments[0], options);
  const tests = tested.map(({ address, file, results = [] }) => ({ address, file, results }));
  const failed = tests.flatMap(({ results }) => results.filter(({ success }) => !success));
  const reasons = failed.map(
    ({ vars, testCase, error }) => `- ${testCase.description ?? vars.message}: ${error}`,
  );
  const lines = [...tested.map(describeTests), ...reasons];
  if (output.format === "json") output.document({ format: "avatarops/tests", version: 1, tests });
  else output.result(lines.map(visible).join("\n"));
  return failed.length > 0 ? exitCode.failed : exitCode.done;
};
