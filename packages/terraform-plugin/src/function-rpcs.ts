import { FunctionError, type PluginFunction } from "./provider.js";
import type { RpcRequest, RpcResponse, Rpcs } from "./rpc.js";
import type { Session } from "./session.js";
import { own } from "./shape.js";
import { Refusal, toldOf } from "./trouble.js";
import { isWhollyKnown } from "./unknowns.js";
import type { Value } from "./value.js";
import { ValueError } from "./value-error.js";
import { received, sentValue } from "./wire-value.js";

/** The call of a function. It has no diagnostics: one text, and the argument that is to blame. */
export function functionRpcs(session: Session<unknown>): Pick<Rpcs, "CallFunction"> {
  const { provider, log } = session;
  return {
    async CallFunction({ name, arguments: sent }) {
      const answered = await called(name, sent);
      log("debug", `CallFunction of ${name}`, { errors: answered.error ? 1 : 0 });
      return answered;
    },
  };

  async function called(name: string, sent: Sent): Promise<RpcResponse<"CallFunction">> {
    try {
      const definition = own(provider.functions, name);
      if (!definition) throw new Refusal("There is no such function", `This provider has no ${name}.`);
      const given = sent.map((argument, at) => argumentOf(definition, argument, at));
      return { result: resultOf(definition, await definition.call(...given)) };
    } catch (error) {
      if (error instanceof FunctionError)
        return { error: { text: error.message, functionArgument: error.argument } };
      const { summary, detail } = toldOf(error, `CallFunction of ${name}`, provider);
      return { error: { text: detail ? `${summary}. ${detail}` : summary } };
    }
  }
}

type Sent = RpcRequest<"CallFunction">["arguments"];

function argumentOf({ parameters, variadic }: PluginFunction, sent: Sent[number], at: number): Value {
  const parameter = parameters[at] ?? variadic;
  if (!parameter) throw new ValueError("there are more arguments than parameters");
  return received(sent, parameter.type);
}

function resultOf({ returns }: PluginFunction, result: Value) {
  try {
    if (isWhollyKnown(result, returns)) return sentValue(result, returns);
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    throw new Error(`Bug: the result is not of its type: ${error.message}`, { cause: error });
  }
  throw new Error("Bug: the result is unknown");
}
