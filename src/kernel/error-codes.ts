/** Every error code of GraphQL and REST, with its HTTP status and its meaning, for the API documentation. */
const errorCodes = {
  INVALID_INPUT: [400, 'The input is invalid; `issues` lists every problem.'],
  UNAUTHENTICATED: [401, 'The access token is missing, unknown, expired or revoked.'],
  FORBIDDEN: [403, 'The caller can view the object but not change it.'],
  NOT_FOUND: [404, 'The object does not exist or is not visible to the caller.'],
  METHOD_NOT_ALLOWED: [405, 'The path does not support this method.'],
  NOT_ACCEPTABLE: [406, 'The response is not available in a media type that the `Accept` header allows.'],
  CONFLICT: [409, 'A unique name is already taken, or the state of the object does not allow the change.'],
  QUOTA_EXCEEDED: [409, 'The change would exceed the quota of the team in the region.'],
  LIMIT_EXCEEDED: [400, 'The request exceeds a limit, which the message names.'],
  PAYLOAD_TOO_LARGE: [413, 'The request body is too large.'],
  UNSUPPORTED_MEDIA_TYPE: [415, 'The request body is not JSON.'],
  RATE_LIMITED: [429, 'Too many requests. Retry after the time in the `Retry-After` header.'],
  UNAVAILABLE: [
    503,
    'The database or the server cannot handle the request at the moment. Retry after the time in the `Retry-After` header.',
  ],
  STORE_REFUSED: [502, 'The app store rejected the request.'],
  STORE_UNAVAILABLE: [502, 'The app store did not respond, or sent an invalid response.'],
  REGISTRY_REFUSED: [502, 'The registry of an image rejected the request.'],
  REGISTRY_UNAVAILABLE: [502, 'The registry of an image did not respond, or sent an invalid response.'],
  REGION_UNAVAILABLE: [503, 'A cluster did not respond.'],
  INTERNAL: [500, 'An unexpected error occurred. The server log has details for the request id.'],
} as const satisfies Record<string, readonly [status: number, meaning: string]>;

export type ErrorCode = keyof typeof errorCodes;

const partOf = <P extends 0 | 1>(part: P) =>
  Object.fromEntries(Object.entries(errorCodes).map(([code, parts]) => [code, parts[part]])) as {
    readonly [code in ErrorCode]: (typeof errorCodes)[code][P];
  };

export const errorStatus = partOf(0);
export const errorMeaning: Readonly<Record<ErrorCode, string>> = partOf(1);
