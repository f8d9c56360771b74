declare module 'virtual:schema' {
  /** The JSON Schemas of the input types, by their names. */
  export const inputs: { readonly [type: string]: import('./schema.ts').ObjectSchema | undefined };
  /** The fields of payloads that are always read, by the name of the mutation. */
  export const payloads: { readonly [mutation: string]: readonly ('plan' | 'job')[] | undefined };
}
