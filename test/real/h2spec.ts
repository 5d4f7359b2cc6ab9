import { goToolIn } from "../../scripts/go-tools.js";

/** Judges a server's HTTP/2 by the sentences of its RFC. */
export const h2specTool = goToolIn("h2spec", "h2spec");
