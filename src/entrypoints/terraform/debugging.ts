/** The provider in a process of the user's own. In the package it is a file of its own, seldom read. */
export { serveDebug } from "@avatarops/terraform-plugin";
