import { UsageError } from "../../../base/diagnostics/index.js";
import { frontMatterSchema, manifestSchema } from "../../../core/manifest/index.js";
import { documentSchema } from "../../../output/documents/index.js";
import type { RunCommand } from "../command.js";
import type { generateSchemaCommand } from "../facts/others.js";

export const command: RunCommand<typeof generateSchemaCommand> = async (call) => {
  const [document] = call.arguments;
  const { frontMatter } = call.options;
  if (document !== undefined && frontMatter)
    throw new UsageError(
      "usage",
      "--front-matter is for the schema of the files: remove it, or the document.",
    );
  const ofFiles = frontMatter ? frontMatterSchema : manifestSchema;
  call.output.document(document === undefined ? ofFiles() : await documentSchema(document));
};
