import { describeTests, testPrompts } from "../../../operations/index.js";
import { visible } from "../../../output/render/index.js";
import type { RunCommand } from "../command.js";
import { exitCode } from "../exit-code.js";
import type { testCommand } from "../facts/project.js";

export const command: RunCommand<typeof testCommand> = async (call) => {
  const tested = await testPrompts(call, call.arguments[0], call.options);
  const tests = tested.map(({ address, file, results = [] }) => ({ address, file, results }));
  if (call.output.format === "json") call.output.document({ format: "avatarops/tests", version: 1, tests });
  else call.output.result(tested.map((one) => visible(describeTests(one))).join("\n"));
  const isPassed = tests.every(({ results }) => results.every(({ success }) => success));
  return isPassed ? exitCode.done : exitCode.failed;
};
