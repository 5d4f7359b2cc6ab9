import type { RpcRequest, RpcResponse, Rpcs } from "../protocol/rpcs.js";
import { FunctionError, type ProviderFunction } from "../provider.js";
import { decodeDynamicValue, encodeDynamicValue } from "../values/dynamic-value.js";
import { isWhollyKnown, own } from "../values/shape.js";
import type { Value } from "../values/value.js";
import { ValueError } from "../values/value-error.js";
import { DiagnosticError, errorDiagnostic } from "./error-diagnostic.js";
import type { Session } from "./session.js";

/** Calls a function. Its response has no diagnostics: one text, and the argument that is to blame. */
export function callFunction(session: Session): Rpcs["CallFunction"] {
  const { provider, log } = session;
  return async ({ name, arguments: sent }) => {
    const response = await call(name, sent);
    log("debug", `CallFunction of ${name}`, { errors: response.error ? 1 : 0 });
    return response;
  };

  async function call(name: string, sent: Sent): Promise<RpcResponse<"CallFunction">> {
    try {
      const definition = own(provider.functions, name);
      if (!definition) throw new DiagnosticError("Unknown function", `This provider has no ${name}.`);
      const given = sent.map((argument, at) => decodeArgument(definition, argument, at));
      return { result: encodeResult(definition, await definition.call(...given)) };
    } catch (error) {
      if (error instanceof FunctionError) return { error: { text: error.message, functionArgument: 0 } };
      const { summary, detail } = errorDiagnostic(error, `CallFunction of ${name}`, provider);
      return { error: { text: detail ? `${summary}. ${detail}` : summary } };
    }
  }
}

type Sent = RpcRequest<"CallFunction">["arguments"];

function decodeArgument({ parameters, variadic }: ProviderFunction, sent: Sent[number], at: number): Value {
  const parameter = parameters[at] ?? variadic;
  if (!parameter) throw new ValueError("there are more arguments than parameters");
  return decodeDynamicValue(sent, parameter.type);
}

function encodeResult({ returns }: ProviderFunction, result: Value) {
  if (isWhollyKnown(result)) return encodeDynamicValue(result, returns);
  throw new Error("Bug: the result is unknown");
}
