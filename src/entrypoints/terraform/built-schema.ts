/** Responses to the schema calls, in base64, by call name. Undefined until the package is built. */
export const builtSchema: { readonly [call: string]: string } | undefined = undefined;
