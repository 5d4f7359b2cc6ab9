import { answer } from "./answer.js";
import type { Rpcs } from "./rpc.js";
import { brokenResultRules } from "./rules.js";
import { definitionOf, type Session, withClient } from "./session.js";
import { checkConfig } from "./validate.js";
import { requiredObject, sentObject } from "./wire-value.js";

/** The calls about data sources. */
export function dataRpcs<Client>(
  session: Session<Client>,
): Pick<Rpcs, "ValidateDataResourceConfig" | "ReadDataSource"> {
  const { dataSources } = session.provider;
  return {
    ValidateDataResourceConfig: ({ typeName, config: sent }) =>
      answer(session, "ValidateDataResourceConfig", typeName, async (call) => {
        const source = definitionOf(dataSources, typeName);
        const config = requiredObject(sent, source.attributes);
        checkConfig(source.attributes, config, { ...call, writeOnlyAllowed: false });
        await source.validate?.({ ...call, config });
        return {};
      }),

    ReadDataSource: ({ typeName, config: sent }) =>
      answer(session, "ReadDataSource", typeName, async (call) => {
        const source = definitionOf(dataSources, typeName);
        const { attributes } = source;
        const config = requiredObject(sent, attributes);
        const result = await source.read({ ...withClient(session, call), config });
        if (call.report.hasErrors()) return {};
        if (call.breaks(brokenResultRules({ attributes, config, result }))) return {};
        return { state: sentObject(result, attributes) };
      }),
  };
}
