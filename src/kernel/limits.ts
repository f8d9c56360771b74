/** What one request may ask for and be answered, and what all of them may take together. */
export interface Limits {
  /** Lexical tokens of a GraphQL document. */
  tokens: number;
  /** Brackets of any kind inside each other in a GraphQL document. */
  brackets: number;
  /** Selection sets inside each other. */
  depth: number;
  /** Selections, with those of every use of a fragment. */
  fields: number;
  /** Objects that the answer could hold if every page were full. */
  objects: number;
  /** Keys in the JSON body, at all depths. */
  keys: number;
  /** Scalars and objects that one answer holds. */
  values: number;
  /** Text of one answer. */
  textBytes: number;
  /** How long one request may take. */
  requestTimeoutMs: number;
  /** Memory that all answers being made at once are estimated to take. */
  answersBytes: number;
}

export const defaultLimits: Limits = {
  tokens: 5_000,
  brackets: 200,
  depth: 40,
  fields: 5_000,
  objects: 5_000_000,
  keys: 10_000,
  values: 500_000,
  textBytes: 16 * 2 ** 20,
  requestTimeoutMs: 30_000,
  // A quarter of the heap, which is known when the server starts.
  answersBytes: Number.POSITIVE_INFINITY,
};
