import type { Rule, Violation } from "../rule.js";

/*
 * `faq` is all the avatar knows of a page before it points to it: without it, it is an address and nothing else.
 */
export const linkWithoutFaq: Rule<"link-without-faq"> = ({ kind, spec }) =>
  Object.entries(kind.fields).flatMap(([name, field]) => {
    const links = spec[name];
    if (field.type !== "list" || !("faq" in field.item) || !Array.isArray(links)) return [];
    return links.flatMap((link, i): Violation[] => {
      if ((link.faq ?? "").trim() !== "") return [];
      return [{ path: [name, i], message: "has no faq", hint: "say in faq what the page answers" }];
    });
  });
