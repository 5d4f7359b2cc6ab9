/** The responses to the calls for schemas, in base64, by name. Filled in when the package is built; undefined before. */
export const builtSchema: { readonly [call: string]: string } | undefined = undefined;
