import { nearest, UsageError } from "../../../base/diagnostics/index.js";
import { frontMatterSchema, manifestSchema } from "../../../core/manifest/index.js";
import { documentNames, documentSchema } from "../../../output/documents/index.js";
import type { CommandCall, RunCommand } from "../command.js";
import type { generateSchemaCommand } from "../facts/others.js";

export const command: RunCommand<typeof generateSchemaCommand> = async (call) => {
  call.output.document(await schemaFor(call));
};

async function schemaFor(call: CommandCall<typeof generateSchemaCommand>): Promise<object> {
  const [name] = call.arguments;
  const { frontMatter } = call.options;
  if (name === undefined) return frontMatter ? frontMatterSchema() : manifestSchema();
  if (frontMatter)
    throw new UsageError(
      "usage",
      "--front-matter is for the schema of the files: remove it, or the document.",
    );
  const document = documentNames.find((known) => known === name);
  if (document) return documentSchema(document);
  const meant = nearest(name, documentNames);
  const hint = meant ? `Did you mean "${meant}"?` : `There are ${documentNames.join(", ")}.`;
  throw new UsageError("usage", `There is no schema of a document ${JSON.stringify(name)}. ${hint}`);
}
