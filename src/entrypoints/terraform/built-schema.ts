/** Responses to the schema calls, in base64, by call name. Set when the package is built, undefined before. */
export const builtSchema: { readonly [call: string]: string } | undefined = undefined;
