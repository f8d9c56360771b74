import type { Database } from '../../src/db/open.ts';
import { withBuilder } from './fixtures.ts';
import type { Client, Trellis } from './trellis.ts';

/** A gateway in a process of its own, in the form that the fixtures take. */
export function clientOf(url: string, token: string, db: Database): Trellis {
  const data: Trellis['data'] = async (query, variables) => {
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
      body: JSON.stringify({ query, variables }),
    });
    const result = (await response.json()) as { data?: any; errors?: object[] };
    if (result.errors) throw new Error(JSON.stringify(result.errors));
    return result.data;
  };
  return withBuilder({ url, adminToken: token, data, services: { db } } as unknown as Client);
}
