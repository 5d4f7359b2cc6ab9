import { ServiceError } from "../api/index.js";
import { parseAddress, toListing } from "../kinds/index.js";
import type { Result } from "./outcome.js";
import type { WriteContext } from "./writing.js";

/** The refusal as a problem; a name that is taken is looked up, so that the message says by which object. */
export async function explainRefusal(
  writing: WriteContext,
  error: ServiceError,
): Promise<NonNullable<Result["problem"]>> {
  const holder = error.code === "name-taken" ? await holderOf(writing) : undefined;
  if (!holder) return { code: error.code, message: error.message };
  const { address, label } = writing.change;
  const objects = Object.entries(writing.input.session.state?.objects ?? {});
  const manager = objects.find(
    ([other, { id }]) => id === holder && parseAddress(other)?.kind === writing.kind,
  );
  if (manager) {
    return {
      code: error.code,
      message: `${manager[0]} has the name ${JSON.stringify(label)} (${holder}), and is managed here: give one of the two another name, and apply again.`,
    };
  }
  return {
    code: error.code,
    message: `The account has another ${writing.kind.name} named ${JSON.stringify(label)}: ${holder}. To manage that one, run \`avatarops import ${address} ${holder}\`; else choose another name.`,
  };
}

async function holderOf({ input, kind, change }: WriteContext): Promise<string | undefined> {
  try {
    const listing = await kind.list?.read(input.service, {});
    const namesakes =
      listing && kind.list ? toListing(kind.list, listing).byLabel.get(change.label) : undefined;
    return namesakes?.find(({ id }) => id !== change.id)?.id;
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}
