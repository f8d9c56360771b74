declare module 'virtual:inputs' {
  /** The JSON Schemas of the input types, by their names. */
  export const inputs: { readonly [type: string]: import('./schema.ts').ObjectSchema | undefined };
}
