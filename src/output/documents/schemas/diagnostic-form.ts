import * as z from "zod";
import { ordinal, record, text } from "./form.js";

const location = record("Location", "A range on one line of a file.", {
  file: text("Path relative to the current folder."),
  line: ordinal.describe("1-based line."),
  column: ordinal.describe("1-based column in UTF-16 code units, as editors count them."),
  length: ordinal.describe("Range length in code units."),
  text: text("The source line. If it is very long, only the part around the range."),
  text_column: ordinal.optional().describe("Column where `text` starts. Default: 1."),
});

export const diagnostic = record("Diagnostic", "An error or a warning about the files.", {
  severity: z.enum(["error", "warning"]).describe("`error` stops the command."),
  code: text("Stable code in kebab case, for scripts to match on."),
  message: text("The problem, in one sentence."),
  location: location.optional(),
  hint: text("What to do next.").optional(),
});

export const finding = diagnostic
  .extend({
    address: text("Object address. Omitted if the finding concerns the whole plan.").optional(),
    field: text(
      "Field, such as `prompt` or `links[0].url`. Omitted if the finding concerns the whole object.",
    ).optional(),
  })
  .meta({ id: "Finding", description: "Finding of the policy rule named in `code`." });
