import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { columnOf, tableOf } from '../../src/db/tables.ts';
import { parseEndpoint } from '../../src/domain/gateway-rule/tcp/endpoint-model.ts';
import type { StoreAddress } from '../../src/drivers/app-store/driver.ts';
import { errorStatus } from '../../src/kernel/error-codes.ts';
import { StoreUnavailableError } from '../../src/kernel/errors.ts';
import { restPath } from '../../src/rest/route.ts';
import { violations } from '../support/openapi.ts';
import { type Example, examplesOf, type Scene, type Title } from '../support/rest-examples.ts';
import { createScene } from '../support/rest-scene.ts';
import { type Request, spoiled } from '../support/rest-steps.ts';
import type { Answer } from '../support/send.ts';
import { startTrellis, type Trellis } from '../support/trellis.ts';
import { anything, type Nearly, nearly } from './garbage-requests.ts';
import { type KeepAlive, keepAlive } from './keep-alive.ts';

/** The same requests in every run; another number tries others. A failure prints its own, and the path to it. */
const seed = Number(process.env.GARBAGE_SEED ?? 3);
/** How many connections there are. */
const connections = 16;

let trellis: Trellis;
let client: KeepAlive;
let examples: Record<Title, Example>;
let scene: Scene;
let reader: string;
/** Every request so far, and its answer's status: what was tried is worth nothing if it never got far. */
const statuses = new Map<number, number>();

/** Whatever address a request makes up: nothing but Trellis itself, as its own store, is ever connected to. */
function fence({ url, services }: Trellis): void {
  const { store } = services.drivers;
  const within =
    <A extends [unknown, StoreAddress, ...unknown[]], R>(call: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      if (new URL(args[1].url).origin === url) return call(...args);
      throw new StoreUnavailableError('This test asks no such store.');
    };
  const fenced = {
    versions: within(store.versions),
    freshVersions: within(store.freshVersions),
    template: within(store.template),
    forget: store.forget,
  };
  Object.assign(services.drivers, { store: fenced });
}

const shown = ({ method, path, headers, body }: Request) =>
  `${method} ${path.slice(0, 600)} ${JSON.stringify(headers)} ${body === undefined ? '' : JSON.stringify(String(body).slice(0, 1500))}`;

const mayFail: Record<string, number[]> = { STORE_UNAVAILABLE: [502, 504], STORE_REFUSED: [502] };

/** What is true of every answer, whatever was asked. */
function expectSane(request: Request, answer: Answer): void {
  const what = `${shown(request)} → ${answer.status} ${answer.text.slice(0, 600)}`;
  statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
  expect(answer.headers['x-request-id'], what).toMatch(/^[\w.:-]{1,128}$/);
  if (answer.status >= 500) {
    const logged = () => JSON.stringify(trellis.logged.filter(({ level }) => level >= 40));
    const may = mayFail[answer.body?.code] ?? [];
    expect(may, may.includes(answer.status) ? what : `${what} ${logged()}`).toContain(answer.status);
  }
  if (answer.status < 400 || request.method === 'HEAD') return;
  expect(answer.headers['content-type'], what).toBe('application/problem+json');
  expect(violations(['components', 'schemas', 'Problem'], answer.body), what).toEqual([]);
  const { code, status, requestId, issues } = answer.body;
  expect([status, requestId], what).toEqual([answer.status, answer.headers['x-request-id']]);
  if (status < 500) expect(errorStatus[code as keyof typeof errorStatus], what).toBe(status);
  expect(issues !== undefined, what).toBe(code === 'INVALID_INPUT');
  if (issues) expect(issues.length, what).toBeGreaterThan(0);
  if (status === 405) expect(answer.headers.allow, what).toContain('OPTIONS');
}

/** Whether it has changed something: all but the reads have, and the one read that takes a body. */
const hasWritten = ({ method, path }: Request, { status }: Answer) =>
  status < 300 &&
  ['POST', 'PUT', 'DELETE'].includes(method) &&
  !path.startsWith(`${restPath}/teams/resource`);

const { table: events } = tableOf('Event');

/** The number of the last event so far. */
async function lastEvent(): Promise<number> {
  const [row] = await trellis.services.db.query(`SELECT max(id) FROM "${events}"`, []);
  return Number(row![0]);
}

/** The requests that have changed something since an event: each change leaves its event, with the request's id. */
async function recordedSince(event: number): Promise<string[]> {
  const { column } = columnOf('Event', 'requestId');
  const text = `SELECT DISTINCT "${column}" FROM "${events}" WHERE id > ${event}`;
  return (await trellis.services.db.query(text, [])).map(([requestId]) => String(requestId));
}

/** Rows, and the last event, before a batch. */
interface World {
  counts: Record<string, number>;
  lastEvent: number;
}

/** The world with another component and port in it, where nothing has been changed yet. */
async function renewed(): Promise<World> {
  const component = await trellis.createComponent(scene.application.appId);
  const port = await trellis.addPort(component.componentId, 8080);
  const { address, portNumber } = parseEndpoint(scene.endPoint)!;
  scene = { ...scene, component, port, endPoint: `${address}:${portNumber + 1}` };
  examples = examplesOf(scene);
  return { counts: await trellis.counts(), lastEvent: await lastEvent() };
}

/** An answer of a sort also where there is none: the others of its batch are waited for all the same. */
const answerOf = (request: Request): Promise<Answer> =>
  client.send(request).catch((error) => ({ status: 0, headers: {}, text: String(error), body: undefined }));

/**
 * Sends batches of requests, the requests of a batch at once. What was refused is not in the record; and after a
 * batch of which nothing was let through the database holds as many rows as before it. How many those were is told.
 */
async function bombard<T>(
  batches: number,
  size: number,
  each: fc.Arbitrary<T>,
  make: (of: T) => Request,
  token: string,
): Promise<number> {
  let world: World | undefined;
  let unchanged = 0;
  const batch = fc.array(each, { minLength: size, maxLength: size });
  const property = fc.asyncProperty(batch, async (given) => {
    const before = world ?? (await renewed());
    // A batch that writes, or fails, leaves another world to the next one.
    world = undefined;
    trellis.logged.length = 0;
    const requests = given.map((of) => {
      const { headers, ...request } = make(of);
      return { ...request, headers: { Authorization: `Bearer ${token}`, ...headers } };
    });
    const answers = await Promise.all(requests.map(answerOf));
    for (const [index, request] of requests.entries()) expectSane(request, answers[index]!);
    expect(trellis.logged.filter(({ level }) => level >= 50)).toEqual([]);
    const written = answers.filter((answer, index) => hasWritten(requests[index]!, answer));
    if (written.length > 0) {
      const known = new Set(written.map(({ headers }) => headers['x-request-id']));
      const recorded = await recordedSince(before.lastEvent);
      expect(recorded.filter((requestId) => !known.has(requestId))).toEqual([]);
    } else {
      expect(await trellis.counts()).toEqual(before.counts);
      unchanged++;
      world = before;
    }
  });
  // A failure is shrunk within the time of the test: a timeout would not tell what failed.
  await fc.assert(property, {
    seed,
    numRuns: batches,
    interruptAfterTimeLimit: 250_000,
    markInterruptAsFailure: true,
  });
  return unchanged;
}

const madeOf = ({ title, steps }: Nearly) => spoiled(examples[title], steps);

/** Requests over REST that are nearly or not at all valid: a share of all batches. */
export function restGarbage(share: number): void {
  beforeAll(async () => {
    trellis = await startTrellis();
    client = keepAlive(trellis.url, connections);
    fence(trellis);
    ({ reader, ...scene } = await createScene(trellis));
    examples = examplesOf(scene);
  });
  afterAll(async () => {
    client?.close();
    await trellis?.close();
  });

  const timeout = 300_000;

  it('handles almost valid requests with a read-only token', { timeout }, async () => {
    const batches = 90 * share;
    expect(await bombard(batches, 16, nearly, madeOf, reader)).toBe(batches);
  });

  it('handles almost valid requests of an administrator', { timeout }, async () => {
    // Few at once: in most batches something is let through, and then rows tell nothing of the others.
    expect(await bombard(160 * share, 8, nearly, madeOf, trellis.adminToken)).toBeGreaterThan(
      share < 1 ? 0 : 20,
    );
  });

  it('handles random bytes', { timeout }, async () => {
    const { params } = examples.deletePort;
    const there = (path: string) => path.replaceAll(/\{(\w+)\}/g, (braces, name) => params[name] ?? braces);
    const madeOfAnything = (request: Request) => ({ ...request, path: restPath + there(request.path) });
    const batches = 30 * share;
    expect(await bombard(batches, 16, anything, madeOfAnything, reader)).toBe(batches);
  });

  it('sends enough requests, and reaches every operation', () => {
    const sum = [...statuses.values()].reduce((total, count) => total + count, 0);
    expect(sum).toBeGreaterThanOrEqual(3000 * share);
    for (const status of [200, 400, 401, 403, 404, 405, 409, 415]) {
      expect(statuses.get(status) ?? 0, String(status)).toBeGreaterThan(share < 1 ? 0 : 10);
    }
  });
}
