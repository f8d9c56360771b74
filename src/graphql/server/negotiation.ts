import { type Preference, preferencesOf } from '../../http/accept.ts';

const jsonTypes = ['application/json', 'application/graphql-response+json'] as const;
const eventsType = 'text/event-stream';
const streamTypes = [eventsType, 'multipart/mixed'];

/** The media types of responses. */
export const graphqlTypes = [...jsonTypes, ...streamTypes];

type JsonType = (typeof jsonTypes)[number];

/** The media types that a client accepts. */
export interface Negotiated {
  /** An `Accept` header that is short and has no weights. */
  accept: string;
  /** The media type of a single JSON response, also used for errors if the client only accepts streams. */
  json: JsonType;
  /** Whether the client accepts a single JSON response. */
  acceptsJson: boolean;
  /** Whether the client accepts a stream of events. */
  acceptsEvents: boolean;
}

const byDefault: Negotiated = {
  accept: '*/*',
  json: 'application/json',
  acceptsJson: true,
  acceptsEvents: true,
};
const plain: Negotiated = {
  accept: 'application/json',
  json: 'application/json',
  acceptsJson: true,
  acceptsEvents: false,
};

/**
 * Chooses the media type of a GraphQL response from the `Accept` header, before anything is executed.
 * Undefined if the client accepts none that the server supports.
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
  return types.length > 0
    ? { accept: types.join(', '), json: json.type, acceptsJson, acceptsEvents: types.includes(eventsType) }
    : undefined;
}
