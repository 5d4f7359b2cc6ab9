import type { Handler } from "./respond.js";
import { findDefinition, withClient } from "./session.js";
import { decodeConfig } from "./validate-config.js";

/** Checks beforehand what an action would do; parts of its configuration may be unknown. */
export const planAction: Handler<"PlanAction"> = async (session, { typeName, config: sent }, call) => {
  const action = findDefinition(session.provider.actions, typeName);
  const config = decodeConfig(sent, action.attributes);
  await action.plan?.({ ...withClient(session, call), config });
  return {};
};

/** Does what an action does, and tells how far it is. */
export const invokeAction: Handler<"InvokeAction"> = async (
  session,
  { typeName, config: sent },
  call,
  send,
) => {
  const action = findDefinition(session.provider.actions, typeName);
  const config = decodeConfig(sent, action.attributes);
  const progress = (message: string) => send({ progress: { message } });
  await action.invoke({ ...withClient(session, call), config, progress });
  return {};
};
