import { answer } from "./answer.js";
import type { Timestamp } from "./messages.js";
import type { Draft } from "./protobuf.js";
import type { Rpcs } from "./rpc.js";
import { brokenResultRules } from "./rules.js";
import { definitionOf, type Session, withClient } from "./session.js";
import { Refusal } from "./trouble.js";
import { checkConfig } from "./validate.js";
import { receivedPrivate, requiredObject, sentObject, sentPrivate } from "./wire-value.js";

type EphemeralRpcs = Pick<
  Rpcs,
  | "ValidateEphemeralResourceConfig"
  | "OpenEphemeralResource"
  | "RenewEphemeralResource"
  | "CloseEphemeralResource"
>;

/** The calls about ephemeral resources. */
export function ephemeralRpcs<Client>(session: Session<Client>): EphemeralRpcs {
  const { ephemeralResources } = session.provider;
  return {
    ValidateEphemeralResourceConfig: ({ typeName, config: sent }) =>
      answer(session, "ValidateEphemeralResourceConfig", typeName, async (call) => {
        const resource = definitionOf(ephemeralResources, typeName);
        const config = requiredObject(sent, resource.attributes);
        checkConfig(resource.attributes, config, { ...call, writeOnlyAllowed: false });
        await resource.validate?.({ ...call, config });
        return {};
      }),

    OpenEphemeralResource: ({ typeName, config: sent }) =>
      answer(session, "OpenEphemeralResource", typeName, async (call) => {
        const resource = definitionOf(ephemeralResources, typeName);
        const { attributes } = resource;
        const config = requiredObject(sent, attributes);
        const opened = await resource.open({ ...withClient(session, call), config });
        if (call.report.hasErrors()) return {};
        const result = opened?.result ?? null;
        if (call.breaks(brokenResultRules({ attributes, config, result }))) return {};
        if (opened?.renewAt && !resource.renew)
          throw new Error("Bug: what cannot be renewed has a time to renew");
        return {
          result: sentObject(result, attributes),
          renewAt: sentTime(opened?.renewAt),
          private: sentPrivate(opened?.private ?? {}),
        };
      }),

    RenewEphemeralResource: ({ typeName, private: sent }) =>
      answer(session, "RenewEphemeralResource", typeName, async (call) => {
        const resource = definitionOf(ephemeralResources, typeName);
        const kept = receivedPrivate(sent);
        if (!resource.renew) throw new Refusal("It cannot be renewed", `There is no renewal of ${typeName}.`);
        const renewed = await resource.renew({ ...withClient(session, call), private: kept });
        return { renewAt: sentTime(renewed.renewAt), private: sentPrivate(renewed.private ?? kept) };
      }),

    CloseEphemeralResource: ({ typeName, private: sent }) =>
      answer(session, "CloseEphemeralResource", typeName, async (call) => {
        const resource = definitionOf(ephemeralResources, typeName);
        await resource.close?.({ ...withClient(session, call), private: receivedPrivate(sent) });
        return {};
      }),
  };
}

function sentTime(time: Date | undefined): Draft<typeof Timestamp> | undefined {
  if (!time) return undefined;
  const ms = time.getTime();
  const seconds = Math.floor(ms / 1000);
  return { seconds, nanos: (ms - seconds * 1000) * 1_000_000 };
}
