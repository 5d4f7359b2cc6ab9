import type { Handler } from "./respond.js";
import { findDefinition, withClient } from "./session.js";
import { decodeConfig } from "./validate-config.js";

/** Runs an action and reports its progress. */
export const invokeAction: Handler<"InvokeAction"> = async (
  session,
  { typeName, config: sent },
  call,
  send,
) => {
  const action = findDefinition(session.provider.actions, typeName);
  const config = decodeConfig(sent, action.attributes);
  const reportProgress = (message: string) => send({ progress: { message } });
  await action.invoke({ ...withClient(session, call), config, progress: reportProgress });
  return {};
};
