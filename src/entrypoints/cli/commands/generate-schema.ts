import { createManifestSchema } from "../../../core/manifest/index.js";
import { loadDocumentSchema } from "../../../output/documents/index.js";
import type { RunCommand } from "../command.js";
import type { generateSchemaCommand } from "../facts/others.js";

export const command: RunCommand<typeof generateSchemaCommand> = async (call) => {
  const [document] = call.arguments;
  call.output.writeDocument(
    document === undefined ? createManifestSchema() : await loadDocumentSchema(document),
  );
};
