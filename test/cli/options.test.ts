import { Option } from "commander";
import { describe, expect, expectTypeOf, test } from "vitest";
import type { ProjectCall } from "../../src/entrypoints/cli/all.js";
import { type CommandCall, listCommandOptions } from "../../src/entrypoints/cli/command.js";
import { commands } from "../../src/entrypoints/cli/commands.js";
import type { applyCommand, planCommand } from "../../src/entrypoints/cli/facts/project.js";
import type { stateForgetCommand, stateMvCommand } from "../../src/entrypoints/cli/facts/state.js";
import type { historyCommand } from "../../src/entrypoints/cli/facts/team.js";
import type { ApplyOptions, OperationOptions } from "../../src/operations/index.js";

describe("command option types", () => {
  type Apply = CommandCall<typeof applyCommand>;

  test("reject undeclared names", () => {
    const read = ({ options }: Apply) => {
      // @ts-expect-error The option is overwriteDrift.
      options.overwriteDrfit;
      // @ts-expect-error The option belongs to `plan`.
      options.detailedExitcode;
    };
    expectTypeOf(read).parameter(0).toEqualTypeOf<Apply>();
  });

  test("match the parsed values, and allow undefined only for options without a default", () => {
    type Options = Apply["options"];
    expectTypeOf<Options["autoApprove"]>().toEqualTypeOf<boolean>();
    expectTypeOf<Options["digest"]>().toEqualTypeOf<string | undefined>();
    expectTypeOf<Options["target"]>().toEqualTypeOf<readonly string[]>();
    expectTypeOf<Options["refresh"]>().toEqualTypeOf<"auto" | "full">();
    expectTypeOf<Options["concurrency"]>().toEqualTypeOf<number | undefined>();
    expectTypeOf<Options["lockTimeout"]>().toEqualTypeOf<number>();
    expectTypeOf<Options["waitForIdle"]>().toEqualTypeOf<boolean | undefined>();
  });

  test("contain shared options only for commands that declare them", () => {
    expectTypeOf<Apply["options"]>().not.toHaveProperty("untrusted");
    expectTypeOf<CommandCall<typeof stateMvCommand>["options"]>().not.toHaveProperty("baseUrl");
    expectTypeOf<CommandCall<typeof planCommand>["options"]>().toHaveProperty("untrusted");
  });

  test("match the options that operations read", () => {
    type Plan = CommandCall<typeof planCommand>;
    type Declared = ProjectCall<Apply>["options"] & ProjectCall<Plan>["options"];
    expectTypeOf<keyof OperationOptions>().toExtend<keyof Declared>();
    expectTypeOf<Declared>().toExtend<OperationOptions>();
    type Own =
      | "saved"
      | "approve"
      | "repeat"
      | "checkAgreement"
      | "findRequired"
      | "findPullRequests"
      | "onWriting"
      | "onOutcome";
    expectTypeOf<Exclude<keyof ApplyOptions, Own>>().toExtend<keyof Apply["options"]>();
  });

  test("include argument types that match the command's placeholders", () => {
    type Arguments<Facts> = CommandCall<Facts>["arguments"];
    expectTypeOf<Arguments<typeof stateMvCommand>>().toEqualTypeOf<readonly [string, string]>();
    expectTypeOf<Arguments<typeof stateForgetCommand>>().toEqualTypeOf<readonly [readonly string[]]>();
    expectTypeOf<Arguments<typeof historyCommand>>().toEqualTypeOf<readonly [string | undefined]>();
  });
});

test.each(commands.map((facts) => [facts.name, facts] as const))(
  "names each parsed option of %s after its long flag",
  (_, facts) => {
    const declared = Object.entries(listCommandOptions(facts));
    expect(declared.map(([key]) => key)).toEqual(
      declared.map(([, { flags }]) => new Option(flags).attributeName()),
    );
  },
);
