import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { schema } from '../../src/api.ts';
import { deprecate } from '../support/deprecations.ts';
import { endStarts, type Gateway, migratedDatabase, startHere } from '../support/starts.ts';
import { startReceiver } from '../support/webhook-receiver.ts';

const read = (path: string) => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8');
const token = `trl_${'m'.repeat(43)}`;

let trellis: Gateway;
let url: string;
let metricsUrl: string;

beforeAll(async () => {
  deprecate(schema, 'Team.isActive', 'Application.appType');
  trellis = await startHere({
    ...(await migratedDatabase()),
    BOOTSTRAP_TOKEN: token,
    METRICS_PORT: '0',
    LIMIT_DEPTH: '5',
    RATE_LIMIT_PER_SECOND: '0',
    STORE_ALLOW_PRIVATE: 'true',
    SIMULATED_DELAY_MS: '0',
    JOB_POLL_MS: '50',
  });
  url = trellis.url;
  metricsUrl = trellis.log().find(({ msg }) => msg === 'metrics are served')!.url;
});
afterAll(async () => {
  await trellis?.stop();
  await endStarts();
});

async function graphql(query: string, variables?: object, authorization = `Bearer ${token}`): Promise<any> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: authorization },
    body: JSON.stringify({ query, variables }),
  });
  return response.json();
}

/** The samples that are served, by name and labels: `name{label="value"}`. */
async function samples(): Promise<Map<string, number>> {
  const text = await (await fetch(metricsUrl)).text();
  return new Map(
    text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => {
        const at = line.lastIndexOf(' ');
        return [line.slice(0, at), Number(line.slice(at + 1))];
      }),
  );
}

it('are there before the first event where their labels are known', async () => {
  const all = await samples();
  for (const name of [
    'trellis_cache_lookups_total{cache="store",result="miss"}',
    'trellis_database_transaction_duration_seconds_count{outcome="failed"}',
  ]) {
    expect(all.has(name), name).toBe(true);
  }
});

/** How the samples grow while the work is done. */
async function growth(work: () => Promise<unknown>): Promise<(name: string) => number> {
  const before = await samples();
  await work();
  // A request is counted when its connection is done with it, which a client does not wait for.
  const after = await vi.waitFor(async () => {
    const found = await samples();
    expect(found.get('trellis_http_requests_in_progress')).toBe(0);
    return found;
  });
  return (name) => (after.get(name) ?? 0) - (before.get(name) ?? 0);
}

describe('metrics', () => {
  it('count requests by surface, operation and outcome, with their time', async () => {
    const grown = await growth(async () => {
      // A name gets a series of its own when its document is sent again.
      for (let i = 0; i < 3; i++) await graphql('query Names { teams { nodes { name } } }');
      await graphql('{ teams { nodes { name } } }');
      await graphql('query Names { teams { nodes { name } } }', {}, 'Bearer unknown');
      await fetch(`${url}/openapi/v1/teams`, { headers: { Authorization: token } });
      await fetch(`${url}/healthz`);
      await fetch(`${url}/nothing`);
    });
    const requests = 'trellis_http_requests_total';
    expect(grown(`${requests}{surface="graphql",operation="other",outcome="ok"}`)).toBe(1);
    expect(grown(`${requests}{surface="graphql",operation="Names",outcome="ok"}`)).toBe(2);
    expect(grown(`${requests}{surface="graphql",operation="none",outcome="ok"}`)).toBe(1);
    expect(grown(`${requests}{surface="graphql",operation="none",outcome="refused"}`)).toBe(1);
    expect(grown(`${requests}{surface="rest",operation="listTeams",outcome="ok"}`)).toBe(1);
    expect(grown(`${requests}{surface="probe",operation="none",outcome="ok"}`)).toBe(1);
    expect(grown(`${requests}{surface="page",operation="none",outcome="refused"}`)).toBe(1);
    const seconds = 'trellis_http_request_duration_seconds';
    expect(grown(`${seconds}_count{surface="graphql",operation="Names"}`)).toBe(2);
    expect(grown(`${seconds}_bucket{le="+Inf",surface="graphql",operation="Names"}`)).toBe(2);
    expect(grown(`${seconds}_sum{surface="graphql",operation="Names"}`)).toBeGreaterThan(0);
    expect((await samples()).get('trellis_http_requests_in_progress')).toBe(0);
  });

  it('count what is deprecated, once for each request that uses it', async () => {
    const query = '{ teams { nodes { isActive also: isActive applications { nodes { appType } } } } }';
    const name = (field: string) => `trellis_deprecated_uses_total{field="${field}"}`;
    const grown = await growth(async () => {
      await graphql(query);
      await graphql('{ teams { nodes { isActive } } }');
      await graphql('{ teams { nodes { name } } }');
    });
    expect(grown(name('Team.isActive'))).toBe(2);
    expect(grown(name('Application.appType'))).toBe(1);
    const fields = [...(await samples()).keys()].filter((each) => each.startsWith(name('').slice(0, -3)));
    expect(fields.length).toBe(2);
  });

  it('count errors by code, those of mutations included, and the limits that were reached', async () => {
    const deep = '{ teams { nodes { applications { nodes { components { nodes { name } } } } } } }';
    const missing = 'mutation { deleteTeam(input: { team: { name: "nobody" } }) { __typename } }';
    const grown = await growth(async () => {
      await graphql(deep);
      await graphql(missing);
      await graphql('{ nothing }');
      await fetch(`${url}/openapi/v1/teams/nobody/regions`, { headers: { Authorization: token } });
      await graphql('{ __typename }', {}, 'Bearer unknown');
    });
    const errors = (surface: string, code: string) =>
      grown(`trellis_errors_total{surface="${surface}",code="${code}"}`);
    expect(errors('graphql', 'LIMIT_EXCEEDED')).toBe(1);
    expect(errors('graphql', 'NOT_FOUND')).toBe(1);
    expect(errors('graphql', 'INVALID_INPUT')).toBe(1);
    expect(errors('graphql', 'UNAUTHENTICATED')).toBe(1);
    expect(errors('rest', 'NOT_FOUND')).toBe(1);
    expect(grown('trellis_limits_reached_total{limit="LIMIT_DEPTH"}')).toBe(1);
  });

  it('name the operations of trusted documents only', async () => {
    const headers = { Authorization: `Bearer ${token}` };
    const grown = await growth(async () => {
      await fetch(`${url}/graphql?documentId=get-viewer`, { headers });
      await fetch(`${url}/api/v1/get-viewer`, { headers });
      for (let i = 0; i < 3; i++) await graphql('query Chosen { teams { nodes { name } } }');
      await graphql('mutation { deleteTeam(input: { team: { name: "nobody" } }) { __typename } }');
      await fetch(`${url}/graphql?documentId=nothing`, { headers });
    });
    const operations = (name: string, type: string, id: string, outcome: string) =>
      grown(
        `trellis_graphql_operations_total{graphql_operation_name="${name}",graphql_operation_type="${type}",graphql_document_id="${id}",outcome="${outcome}"}`,
      );
    expect(operations('GetViewer', 'query', 'get-viewer', 'ok')).toBe(2);
    expect(operations('other', 'query', 'none', 'ok')).toBe(3);
    expect(operations('other', 'mutation', 'none', 'refused')).toBe(1);
    const text = await (await fetch(metricsUrl)).text();
    expect(text).not.toContain('graphql_operation_name="Chosen"');
  });

  it('bound the names of operations', async () => {
    const one = 'trellis_http_requests_total{surface="graphql"';
    await Promise.all(
      Array.from({ length: 150 }, async (_, index) => {
        for (let i = 0; i < 2; i++) await graphql(`query Bound${index} { __typename }`);
      }),
    );
    const names = [...(await samples()).keys()].filter((name) => name.startsWith(one));
    expect(names.length).toBeGreaterThan(90);
    expect(names.length).toBeLessThan(110);
  });

  it('count statements, transactions, connections and caches', async () => {
    const grown = await growth(async () => {
      await graphql('mutation { createTeam(input: { name: "measured", alias: "Measured" }) { __typename } }');
      await graphql('query Fresh { teams(search: "measured") { nodes { name members { nodes { id } } } } }');
    });
    const statements = 'trellis_database_statement_duration_seconds_count';
    expect(grown(`${statements}{pool="read",kind="select",outcome="ok"}`)).toBeGreaterThan(0);
    expect(grown(`${statements}{pool="write",kind="insert",outcome="ok"}`)).toBeGreaterThan(0);
    let changes = 0;
    const transactionsOfChange = async () => {
      const name = `measured-${++changes}`;
      const ofChange = await growth(() =>
        graphql(`mutation { createTeam(input: { name: "${name}" }) { __typename } }`),
      );
      return [
        ofChange('trellis_database_transaction_duration_seconds_count{outcome="ok"}'),
        ofChange('trellis_database_transaction_wait_seconds_count'),
      ];
    };
    // Upkeep has transactions of its own, which can fall into the time of one change, and not of all.
    await expect.poll(transactionsOfChange).toEqual([1, 1]);
    expect(grown('trellis_cache_lookups_total{cache="documents",result="miss"}')).toBe(2);
    expect(grown('trellis_cache_lookups_total{cache="tokens",result="hit"}')).toBeGreaterThan(0);
    const now = await samples();
    expect(now.get('trellis_database_connections{pool="read"}')).toBeGreaterThan(0);
    expect(now.get('trellis_database_connections_max{pool="write"}')).toBeGreaterThan(0);
    expect(now.get('trellis_database_waiting{pool="read"}')).toBe(0);
    expect(now.get('trellis_jobs{status="pending"}')).toBe(0);
    expect(now.get('nodejs_eventloop_lag_p99_seconds')).toBeGreaterThan(0);
  });

  it('count deliveries to webhooks by what they came to', async () => {
    let answered = 0;
    const receiver = await startReceiver(
      (_, response) => void response.writeHead([410, 200][answered++]!).end(),
    );
    const create = (name: string, path: string) =>
      graphql(
        `mutation { createTeam(input: { name: "${name}", alias: "Told" }) { __typename } createWebhook(input: { team: { name: "${name}" }, url: "${receiver.url}${path}", events: ["webhook.create"] }) { __typename } }`,
      );
    const count = async (outcome: string) =>
      (await samples()).get(`trellis_webhook_delivery_duration_seconds_count{outcome="${outcome}"}`);
    await create('told-once', '/gone');
    await expect.poll(() => count('gone'), { timeout: 90_000 }).toBe(1);
    await create('told-twice', '/accepted');
    await expect.poll(() => count('delivered'), { timeout: 90_000 }).toBe(1);
    await receiver.close();
  });

  it('are all documented, and nothing else is', async () => {
    const text = await (await fetch(metricsUrl)).text();
    const served = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name!);
    expect(served.length).toBeGreaterThan(30);
    const section = /\n## Monitoring\n([\s\S]*?)\n## /.exec(read('docs/deploy.md'))![1]!;
    const documented = [...section.matchAll(/`(trellis_\w+)/g)].map(([, name]) => name!);
    expect([...new Set(documented)].sort()).toEqual(
      served.filter((name) => name.startsWith('trellis_')).sort(),
    );
    expect(served.filter((name) => !/^(trellis|process|nodejs)_/.test(name))).toEqual([]);
  });

  it('have the names and labels that the dashboard and the alerts use', async () => {
    const text = await (await fetch(metricsUrl)).text();
    const types = new Map(
      [...text.matchAll(/^# TYPE (\S+) (\S+)/gm)].map(([, name, type]) => [name!, type!]),
    );
    const labels = new Map<string, Set<string>>();
    for (const [, name, list] of text.matchAll(/^(\w+)(?:\{(.*)\})? /gm)) {
      const known = labels.get(name!) ?? new Set(['instance', 'job']);
      for (const [, label] of (list ?? '').matchAll(/(\w+)="/g)) known.add(label!);
      labels.set(name!, known);
    }
    const { panels } = JSON.parse(read('docs/monitoring/dashboard.json'));
    const shown = panels.flatMap(({ targets = [] }: any) => targets.map(({ expr }: any) => expr));
    const { groups } = parse(read('docs/monitoring/alerts.yml'));
    const alerts = groups.flatMap(({ rules }: any) => rules.map(({ expr }: any) => expr));
    expect([shown.length > 25, alerts.length > 8]).toEqual([true, true]);
    const unknown = [...shown, ...alerts].flatMap((expression: string) =>
      [...expression.matchAll(/\b((?:trellis|process|nodejs)_\w+)(?:\{([^}]*)\})?/g)].flatMap(
        ([, name, selected = '']) => {
          const family = name!.replace(/_(bucket|sum|count)$/, '');
          const isServed = types.get(family) === 'histogram' ? name !== family : types.has(name!);
          const used = [...selected.matchAll(/(\w+)=?[=~!]+"/g)].map(([, label]) => label!);
          // What has not happened yet has no labels.
          const known = labels.get(name!);
          return [
            ...(isServed ? [] : [name]),
            ...(known ? used.filter((label) => !known.has(label)).map((label) => `${name} ${label}`) : []),
          ];
        },
      ),
    );
    expect(unknown).toEqual([]);
    // What sums are by, and what legends show, are labels of some metric.
    const all = new Set(['le', ...[...labels.values()].flatMap((known) => [...known])]);
    const named = [...shown, ...alerts]
      .flatMap((expression: string) => [...expression.matchAll(/by \(([^)]*)\)/g)])
      .flatMap(([, list]) => list!.split(/, */));
    expect(named.filter((label) => !all.has(label) && !['driver', 'call', 'limit'].includes(label))).toEqual(
      [],
    );
  });

  it('are served on their own port alone, at one path', async () => {
    expect((await fetch(`${url}/metrics`)).status).toBe(404);
    expect((await fetch(new URL('/', metricsUrl))).status).toBe(404);
    expect((await fetch(metricsUrl, { method: 'POST' })).status).toBe(404);
    const served = await fetch(metricsUrl);
    expect(served.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  });
});
