import { answer } from "./answer.js";
import { applying } from "./resource-apply.js";
import { planning } from "./resource-plan.js";
import { upgrading } from "./resource-upgrade.js";
import type { Rpcs } from "./rpc.js";
import { brokenReadRules } from "./rules.js";
import { settled } from "./same.js";
import { definitionOf, type Session, withClient } from "./session.js";
import { Refusal } from "./trouble.js";
import { checkConfig } from "./validate.js";
import { nothingOf, receivedPrivate, requiredObject, sentObject, sentPrivate } from "./wire-value.js";

type ResourceRpcs = Pick<
  Rpcs,
  | "ValidateResourceConfig"
  | "UpgradeResourceState"
  | "ReadResource"
  | "PlanResourceChange"
  | "ApplyResourceChange"
  | "ImportResourceState"
  | "MoveResourceState"
>;

/** The calls about resources. */
export function resourceRpcs<Client>(session: Session<Client>): ResourceRpcs {
  return {
    ValidateResourceConfig: validating(session),
    UpgradeResourceState: upgrading(session),
    ReadResource: reading(session),
    PlanResourceChange: planning(session),
    ApplyResourceChange: applying(session),
    ImportResourceState: importing(session),
    MoveResourceState: refusingToMove(session),
  };
}

function validating<Client>(session: Session<Client>): Rpcs["ValidateResourceConfig"] {
  return ({ typeName, config: sent, clientCapabilities }) =>
    answer(session, "ValidateResourceConfig", typeName, async (call) => {
      const resource = definitionOf(session.provider.resources, typeName);
      const config = requiredObject(sent, resource.attributes);
      // Not the caller's name and version: what it can do, it says.
      const writeOnlyAllowed = clientCapabilities?.writeOnlyAttributesAllowed ?? false;
      checkConfig(resource.attributes, config, { ...call, writeOnlyAllowed });
      await resource.validate?.({ ...call, config });
      return {};
    });
}

function reading<Client>(session: Session<Client>): Rpcs["ReadResource"] {
  return ({ typeName, currentState, private: sent }) =>
    answer(session, "ReadResource", typeName, async (call) => {
      const resource = definitionOf(session.provider.resources, typeName);
      const { attributes } = resource;
      const state = requiredObject(currentState, attributes);
      const kept = receivedPrivate(sent);
      const saved = resource.read
        ? await resource.read({ ...withClient(session, call), state, private: kept })
        : { state };
      if (saved === null) return {};
      const newState = settled(attributes, saved.state, state);
      if (call.breaks(brokenReadRules({ attributes, state: newState }))) return {};
      return {
        newState: sentObject(newState, attributes),
        private: sentPrivate(saved.private ?? kept),
      };
    });
}

function importing<Client>(session: Session<Client>): Rpcs["ImportResourceState"] {
  return ({ typeName, id }) =>
    answer(session, "ImportResourceState", typeName, async (call) => {
      const resource = definitionOf(session.provider.resources, typeName);
      const { attributes } = resource;
      if (!resource.import)
        throw new Refusal("It cannot be imported", `There is no import of ${typeName} in this provider.`);
      const known = await resource.import({ ...withClient(session, call), id });
      if (call.report.hasErrors()) return {};
      if (known === null)
        throw new Refusal(
          "There is nothing to import",
          `No ${typeName} has the id ${JSON.stringify(id)}. Correct the id.`,
        );
      // It is read next: the rest is seen then.
      const state = settled(attributes, Object.assign(nothingOf(attributes), known), null);
      if (call.breaks(brokenReadRules({ attributes, state }))) return {};
      return { importedResources: [{ typeName, state: sentObject(state, attributes) }] };
    });
}

/** Asked only by a core that does not heed that we never offered it. */
function refusingToMove(session: Session<unknown>): Rpcs["MoveResourceState"] {
  return ({ sourceTypeName, targetTypeName }) =>
    answer(session, "MoveResourceState", targetTypeName, () => {
      throw new Refusal(
        "It cannot be moved from another type",
        `A ${sourceTypeName} cannot become a ${targetTypeName} by a \`moved\` block. Use a \`removed\` block for the one and an \`import\` block for the other.`,
      );
    });
}
