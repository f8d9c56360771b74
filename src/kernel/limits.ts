/** The limits of one request, and of all requests together. */
export interface Limits {
  /** Lexical tokens of a GraphQL document. */
  tokens: number;
  /** Nested brackets of any kind in a GraphQL document. */
  brackets: number;
  /** Nested selection sets. */
  depth: number;
  /** Selections, with those of a fragment counted at each use. */
  fields: number;
  /** Objects in the response if every page were full. */
  objects: number;
  /** Keys in the JSON body, at all depths. */
  keys: number;
  /** Scalars and objects in one response. */
  values: number;
  /** Bytes of text in one response. */
  textBytes: number;
  /** Characters of a text after the expansion of its aliases; four times the length of the text are always allowed. */
  expandedCharacters: number;
  /** Values of the texts of a request after the expansion of their aliases. */
  expandedValues: number;
  /** How long threads may work for one request, in ms. */
  threadMs: number;
  /** Objects that a plan may change, and rows that a dry run may write, of somebody who may not make the change. */
  planObjects: number;
  /** What one change creates, changes and deletes: ports, and other objects by the time that they take. */
  changeObjects: number;
  /** Components, ports, variables, volumes, schedules, dependencies and gateway rules of one application. */
  applicationObjects: number;
  /** Bytes of the files and environment variables that one change deploys. */
  deployBytes: number;
  requestTimeoutMs: number;
  /** The estimated memory of all requests in progress and their responses, in bytes. */
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
  expandedCharacters: 256 * 1024,
  expandedValues: 100_000,
  threadMs: 5_000,
  planObjects: 2_500,
  changeObjects: 6_000,
  applicationObjects: 50_000,
  deployBytes: 4 * 2 ** 20,
  requestTimeoutMs: 30_000,
  // A quarter of the heap, which is known when the server starts.
  answersBytes: Number.POSITIVE_INFINITY,
};
