/** The response to GetProviderSchema, in base64. Filled in when the package is built; undefined before. */
export const builtSchema: string | undefined = undefined;
