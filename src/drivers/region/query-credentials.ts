/** The credentials of requests to a metrics server or a log store. Null for those that it does not ask for. */
export interface QueryCredentials {
  /** A bearer token, or else a username with a password. */
  token: string | null;
  username: string | null;
  password: string | null;
  /** Whose data is read from a server with several tenants. */
  tenant: string | null;
}

/** A server with a query API. */
export interface QueryTarget {
  url: string;
  credentials: QueryCredentials | null;
}

/** The headers of a request. */
export function headersOf(credentials: QueryCredentials | null): Record<string, string> {
  if (!credentials) return {};
  const { token, username, password, tenant } = credentials;
  const basic = username !== null && Buffer.from(`${username}:${password ?? ''}`).toString('base64');
  return {
    ...(token !== null ? { Authorization: `Bearer ${token}` } : basic && { Authorization: `Basic ${basic}` }),
    ...(tenant !== null && { 'X-Scope-OrgID': tenant }),
  };
}
