import type { Diagnostics } from "@avatarops/terraform-plugin";
import { idForm, isId } from "../../base/text/index.js";
import type { Kind } from "../../core/kinds/index.js";
import { invalidImportId } from "./diagnostics.js";
import { chooseStrategy } from "./strategy.js";
import type { Values } from "./values.js";

/** What is known of an object from its import id; it is read next. */
export function importObject(kind: Kind, id: string, diagnostics: Diagnostics): Values | null {
  const strategy = chooseStrategy(kind);
  if (uuid.test(id)) return { id: strategy === "adopt" ? id : id.toLowerCase() };
  // Only where the object is written once are ids plain texts (§2.6).
  if (strategy === "rotate" && isId(id)) return { id };
  return invalidImportId(
    kind,
    id,
    strategy === "rotate" ? idForm : "UUIDs, 8-4-4-4-12 hex digits",
    diagnostics,
  );
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
