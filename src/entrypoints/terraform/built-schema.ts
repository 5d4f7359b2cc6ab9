/** The answer to GetProviderSchema, in base64. Put in when the package is built; before that there is none. */
export const builtSchema: string | undefined = undefined;
