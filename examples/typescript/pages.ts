import type { LinkProps } from "avatarops";

/** Returns a link to a page of the shop, with an optional FAQ. */
export function createPageLink(name: string, faq?: string): LinkProps {
  return { url: `https://seeufer.example.com/${name}`, faq };
}
