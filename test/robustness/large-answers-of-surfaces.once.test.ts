import { createHash } from 'node:crypto';
import { ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Place, unique } from '../support/fixtures.ts';
import { type Answer, send } from '../support/send.ts';
import { useTrellis } from '../support/trellis.ts';

const trellis = useTrellis();
const logo = `data:image/png;base64,${'A'.repeat(60_000)}`;
const alias = 'Größe 🙂';
/** Their logos are more than is sent at once. */
const applications = 12;
let place: Place;
let applicationId: number;
beforeAll(async () => {
  place = await trellis.createPlace();
  const { team, region } = place;
  for (let index = 0; index < applications; index++) {
    const at = { team: { teamId: team.teamId }, region: { regionId: region.regionId } };
    const input = { name: `${alias} ${index}`, ...at, logo };
    const { application } = await trellis.succeed('createApplication', input, 'application { uid }');
    applicationId = application.uid;
  }
});
afterEach(() => vi.restoreAllMocks());

/** More than a part of a text, and less than the whole of a large one. */
const short = 200_000;

/** Sends a request. None of what is counted or written at once, while others wait, may be long. */
async function sendInParts(request: Parameters<typeof send>[1]): Promise<Answer> {
  const lengths: number[] = [];
  const note = (text: unknown) => lengths.push(typeof text === 'string' ? text.length : 0);
  const { byteLength } = Buffer;
  vi.spyOn(Buffer, 'byteLength').mockImplementation((text, encoding) => {
    note(text);
    return byteLength(text, encoding);
  });
  for (const name of ['write', 'end'] as const) {
    const original = ServerResponse.prototype[name] as (...args: unknown[]) => unknown;
    vi.spyOn(ServerResponse.prototype, name).mockImplementation(function (this: unknown, ...args: unknown[]) {
      note(args[0]);
      return original.apply(this, args) as never;
    });
  }
  const answer = await send(trellis, request);
  vi.restoreAllMocks();
  expect(answer.status).toBe(200);
  expect(Math.max(...lengths)).toBeLessThan(short);
  expect(Number(answer.headers['content-length'])).toBe(Buffer.byteLength(answer.text));
  return answer;
}

const listApps = () => `/openapi/v1/teams/${place.team.name}/regions/${place.region.name}/apps`;
const listEvents = () =>
  `/api/v1/list-events?first=100&team=${encodeURIComponent(JSON.stringify({ teamId: place.team.teamId }))}`;
const update = () => `mutation { updateApplication(input: { application: { appId: ${applicationId} } }) {
  ... on UpdateApplicationPayload { application { team { applications { nodes { name logo } } } } } } }`;

describe('a large answer is sent in parts', () => {
  it('of an operation', async () => {
    const { text } = await sendInParts({ method: 'GET', path: listEvents() });
    expect(text.split(logo)).toHaveLength(applications + 1);
    expect(text).toContain(`${alias} 0`);
  });

  it('of the contract, with the tag of the whole', async () => {
    const path = listApps();
    const { text, headers } = await sendInParts({ method: 'GET', path });
    expect(JSON.parse(text)).toHaveLength(applications);
    expect(headers.etag).toBe(`W/"${createHash('sha1').update(text).digest('hex')}"`);
    const head = await send(trellis, { method: 'HEAD', path });
    expect([head.status, head.text]).toEqual([200, '']);
    expect(head.headers['content-length']).toBe(headers['content-length']);
    const same = await send(trellis, {
      method: 'GET',
      path,
      headers: { 'If-None-Match': headers.etag as string },
    });
    expect([same.status, same.text]).toEqual([304, '']);
  });

  it('of a request with an Idempotency-Key, and is repeated', async () => {
    const request = {
      headers: { 'Idempotency-Key': unique('key') },
      body: JSON.stringify({ query: update() }),
    };
    const first = await sendInParts(request);
    const { nodes } = first.body.data.updateApplication.application.team.applications;
    expect(nodes).toHaveLength(applications);
    const second = await sendInParts(request);
    expect([second.text, second.headers['idempotent-replayed']]).toEqual([first.text, 'true']);
  });
});

it('a large answer ends when its client leaves', async () => {
  const { write, end } = ServerResponse.prototype;
  const ended = vi.spyOn(ServerResponse.prototype, 'end').mockImplementation(end);
  let parts = 0;
  vi.spyOn(ServerResponse.prototype, 'write').mockImplementation(function (this: ServerResponse, part) {
    parts++;
    const isTaken = write.call(this, part, 'utf8');
    this.destroy();
    return isTaken;
  });
  const request = send(trellis, { method: 'GET', path: listEvents() });
  await expect(request).rejects.toThrow();
  await nextTurn();
  expect(parts).toBe(1);
  expect(ended).not.toHaveBeenCalled();
});
