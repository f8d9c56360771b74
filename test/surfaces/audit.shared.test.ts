import { auditServer } from 'graphql-http';
import { expect, it } from 'vitest';
import { useTrellis } from '../support/trellis.ts';

const trellis = useTrellis();

it('POST and GET /graphql follow the GraphQL over HTTP specification', async () => {
  const results = await auditServer({
    url: `${trellis.url}/graphql`,
    fetchFn: (url: string, init?: RequestInit) => {
      const headers = new Headers(init?.headers);
      headers.set('Authorization', `Bearer ${trellis.adminToken}`);
      return fetch(url, { ...init, headers });
    },
  });
  const failed = results.filter(({ status }) => status !== 'ok');
  expect(
    failed.map((result) => [result.id, result.name, result.status, 'reason' in result && result.reason]),
  ).toEqual([]);
  expect(results).toHaveLength(61);
});
