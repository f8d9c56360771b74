import { type Preference, preferencesOf } from '../../http/accept.ts';

const jsonTypes = ['application/json', 'application/graphql-response+json'] as const;
const streamTypes = ['text/event-stream', 'multipart/mixed'];

/** Every media type of an answer. */
export const graphqlTypes = [...jsonTypes, ...streamTypes];

type JsonType = (typeof jsonTypes)[number];

/** In which media types a client takes the answer. */
export interface Negotiated {
  /** The same as an `Accept` header that is short, has no weights, and says the same to every reader. */
  accept: string;
  /** The media type of an answer that is one JSON document: for failures also where only streams are accepted. */
  json: JsonType;
  /** Whether the client takes that, and not streams alone. */
  acceptsJson: boolean;
}

const byDefault: Negotiated = { accept: '*/*', json: 'application/json', acceptsJson: true };
const plain: Negotiated = { accept: 'application/json', json: 'application/json', acceptsJson: true };

/**
 * Chooses the media type of the answer to a GraphQL request from its `Accept` header, before anything is executed;
 * nothing when there is none that the server can answer in.
 *
 * @see https://graphql.github.io/graphql-over-http/draft/#sec-Accept
 */
export function negotiated(accept: string | undefined): Negotiated | undefined {
  if (!accept || accept === '*/*') return byDefault;
  if (accept === 'application/json') return plain;
  const preferenceOf = preferencesOf(accept);
  const [first, second] = jsonTypes.map((type) => ({ type, ...preferenceOf(type) })) as [
    Preference & { type: JsonType },
    Preference & { type: JsonType },
  ];
  const isSecond =
    second.weight > first.weight || (second.weight === first.weight && second.position < first.position);
  const json = isSecond ? second : first;
  const acceptsJson = json.weight > 0;
  const types = [
    ...(acceptsJson ? [json.type] : []),
    ...streamTypes.filter((type) => preferenceOf(type).weight > 0),
  ];
  return types.length > 0 ? { accept: types.join(', '), json: json.type, acceptsJson } : undefined;
}
