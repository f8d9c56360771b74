import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { endProcesses, startProcess } from '../support/process.ts';
import { startsProcesses } from '../support/starts-processes.ts';
import { createMigratedDatabase, databaseKind, type TestDatabase } from '../support/trellis.ts';

startsProcesses();

interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  attributes: { key: string; value: { stringValue?: string; intValue?: number } }[];
  status: { code?: number };
}

const token = `trl_${'t'.repeat(43)}`;
const [server, client] = [2, 3];

const spans: Span[] = [];
const services = new Set<string>();
const storeCalls: IncomingHttpHeaders[] = [];
let collector: Server;
let store: Server;
let database: TestDatabase;
let url: string;

async function listen(answer: Parameters<typeof createServer>[1]): Promise<Server> {
  const made = createServer(answer);
  await new Promise<void>((resolve) => made.listen(0, '127.0.0.1', resolve));
  return made;
}
const urlOf = (made: Server) => `http://127.0.0.1:${(made.address() as { port: number }).port}`;

beforeAll(async () => {
  // Receives OTLP over HTTP, as an OpenTelemetry collector does.
  collector = await listen(async (req, res) => {
    const body = JSON.parse(await text(req));
    for (const { resource, scopeSpans } of req.url === '/v1/traces' ? body.resourceSpans : []) {
      const name = resource.attributes.find(({ key }: { key: string }) => key === 'service.name');
      services.add(name.value.stringValue);
      for (const scope of scopeSpans) spans.push(...scope.spans);
    }
    res.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
  });
  store = await listen((req, res) => {
    storeCalls.push(req.headers);
    res.writeHead(404).end();
  });
  database = await createMigratedDatabase();
  const trellis = startProcess({
    DATABASE_URL: database.url,
    SECRET_KEY: 'ab'.repeat(32),
    BOOTSTRAP_TOKEN: token,
    METRICS_PORT: '0',
    STORE_ALLOW_PRIVATE: 'true',
    OTEL_EXPORTER_OTLP_ENDPOINT: urlOf(collector),
    OTEL_SERVICE_NAME: 'trellis-under-test',
    OTEL_BSP_SCHEDULE_DELAY: '50',
  });
  url = await trellis.listening;
});
afterAll(async () => {
  await endProcesses();
  for (const each of [collector, store]) {
    each.closeAllConnections();
    each.close();
  }
  await database.drop();
});

const newTrace = () => ({
  traceId: crypto.randomUUID().replaceAll('-', ''),
  spanId: crypto.randomUUID().replaceAll('-', '').slice(16),
});

async function graphql(query: string, headers: Record<string, string> = {}): Promise<any> {
  return ask({ query }, headers);
}

async function ask(body: object, headers: Record<string, string>): Promise<any> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}`, ...headers },
    body: JSON.stringify(body),
  });
  return response.json();
}

/** The spans of a trace, once that of the request has arrived, which ends last. */
const traceOf = (traceId: string): Promise<Span[]> =>
  vi.waitFor(
    () => {
      const found = spans.filter((span) => span.traceId === traceId);
      expect(found.some(({ kind }) => kind === server)).toBe(true);
      return found;
    },
    { timeout: 90_000 },
  );

const attribute = ({ attributes }: Span, key: string) =>
  Object.values(attributes.find((each) => each.key === key)?.value ?? {})[0];

/** The spans with this name, as the names of those around each, from the outside. */
function pathsTo(trace: Span[], name: string): string[][] {
  const pathOf = (span: Span): string[] => {
    const parent = trace.find(({ spanId }) => spanId === span.parentSpanId);
    return [...(parent ? pathOf(parent) : []), span.name];
  };
  return trace.filter((span) => span.name === name).map(pathOf);
}

describe('traces', () => {
  it('do not have the secret of a deploy hook', async () => {
    const { traceId, spanId } = newTrace();
    const response = await fetch(`${url}/deploy-hooks/some-hook/its-secret-of-hooks`, {
      method: 'POST',
      headers: { traceparent: `00-${traceId}-${spanId}-01`, 'Content-Type': 'application/json' },
      body: '{"tag":"1.0"}',
    });
    expect(response.status).toBe(404);
    const trace = await traceOf(traceId);
    const paths = trace.map((span) => attribute(span, 'url.path')).filter(Boolean);
    expect(paths).toEqual(['/deploy-hooks/some-hook/[redacted]']);
    expect(JSON.stringify(spans)).not.toContain('its-secret-of-hooks');
  });

  it('continue that of the caller, from the request to its statements', async () => {
    const { traceId, spanId } = newTrace();
    await graphql('mutation { createTeam(input: { name: "traced", alias: "Traced" }) { __typename } }');
    await graphql('query Tree { teams { nodes { name applications { nodes { name } } } } }', {
      traceparent: `00-${traceId}-${spanId}-01`,
    });
    const trace = await traceOf(traceId);
    const request = trace.find(({ kind }) => kind === server)!;
    expect(request).toMatchObject({ name: 'POST graphql', parentSpanId: spanId });
    expect(attribute(request, 'http.response.status_code')).toBe(200);
    for (const span of [request, trace.find(({ name }) => name === 'query Tree')!]) {
      expect(attribute(span, 'graphql.operation.name')).toBe('Tree');
      expect(attribute(span, 'graphql.operation.type')).toBe('query');
      expect(attribute(span, 'graphql.document.id')).toBeUndefined();
    }
    expect(pathsTo(trace, 'query Tree')).toEqual([['POST graphql', 'query Tree']]);
    expect(pathsTo(trace, 'batch pages')).toContainEqual(['POST graphql', 'query Tree', 'batch pages']);
    expect(pathsTo(trace, 'SELECT')).toContainEqual(['POST graphql', 'query Tree', 'batch pages', 'SELECT']);
    const statement = trace.find(({ name }) => name === 'SELECT')!;
    expect(statement.kind).toBe(client);
    expect(attribute(statement, 'db.system.name')).toBe(
      databaseKind === 'postgres' ? 'postgresql' : 'sqlite',
    );
    expect(attribute(statement, 'db.query.text')).toMatch(/^SELECT .* FROM/);
    expect([...services]).toEqual(['trellis-under-test']);
  });

  it('name the trusted document', async () => {
    const { traceId, spanId } = newTrace();
    await ask({ documentId: 'get_viewer' }, { traceparent: `00-${traceId}-${spanId}-01` });
    const trace = await traceOf(traceId);
    for (const span of [
      trace.find(({ kind }) => kind === server)!,
      trace.find(({ name }) => name === 'query GetViewer')!,
    ])
      expect(attribute(span, 'graphql.document.id')).toBe('get-viewer');
  });

  it('have the transaction of a change and its statements, without values', async () => {
    const { traceId, spanId } = newTrace();
    await graphql('mutation Create { createTeam(input: { name: "hidden", alias: "x" }) { __typename } }', {
      traceparent: `00-${traceId}-${spanId}-01`,
    });
    const trace = await traceOf(traceId);
    expect(pathsTo(trace, 'transaction')).toEqual([['POST graphql', 'mutation Create', 'transaction']]);
    expect(pathsTo(trace, 'INSERT')).toContainEqual([
      'POST graphql',
      'mutation Create',
      'transaction',
      'INSERT',
    ]);
    expect(JSON.stringify(trace)).not.toContain('hidden');
  });

  it('go on in the calls to app stores', async () => {
    const { data } = await graphql(`mutation {
      createRegion(input: { name: "north", alias: "North", url: "https://north.example",
        websocketUrl: "wss://north.example", httpDomain: "apps.north.example",
        tcpDomain: "tcp.north.example" }) { __typename }
      createTeam(input: { name: "stores", alias: "Stores" }) { __typename }
      openTeamRegion(input: { team: { name: "stores" }, region: { name: "north" } }) { __typename }
      createApplication(input: { team: { name: "stores" }, region: { name: "north" }, name: "Shop" }) {
        ... on CreateApplicationPayload { application { uid } } } }`);
    const { traceId, spanId } = newTrace();
    const install = await graphql(
      `mutation Install { installApplication(input: {
        application: { appId: ${data.createApplication.application.uid} },
        store: { url: "${urlOf(store)}", domain: "demo", accessKey: "key-of-the-store" },
        templateId: "abc", version: "1.0.0" }) { ... on Error { code } } }`,
      { traceparent: `00-${traceId}-${spanId}-01` },
    );
    expect(install.data.installApplication.code).toBe('STORE_REFUSED');
    const trace = await traceOf(traceId);
    const [path] = pathsTo(trace, 'store template');
    expect(path?.slice(0, 2)).toEqual(['POST graphql', 'mutation Install']);
    const call = trace.find(({ name }) => name === 'store template')!;
    expect(storeCalls.at(-1)!.traceparent).toBe(`00-${traceId}-${call.spanId}-01`);
    expect(call.status.code).toBe(2);
    expect(JSON.stringify(trace)).not.toContain('key-of-the-store');
  });

  it('have REST requests by the id of their operation, and leave out probes and callers that do not sample', async () => {
    const { traceId, spanId } = newTrace();
    const unsampled = newTrace();
    const ask = (path: string, traceparent: string) =>
      fetch(`${url}${path}`, { headers: { Authorization: token, traceparent } });
    await ask('/openapi/v1/teams', `00-${unsampled.traceId}-${unsampled.spanId}-00`);
    await ask('/healthz', `00-${unsampled.traceId}-${unsampled.spanId}-01`);
    await ask('/openapi/v1/teams', `00-${traceId}-${spanId}-01`);
    const trace = await traceOf(traceId);
    expect(pathsTo(trace, 'SELECT')[0]![0]).toBe('GET listTeams');
    expect(spans.filter((span) => span.traceId === unsampled.traceId)).toEqual([]);
  });
});
