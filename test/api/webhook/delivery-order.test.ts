import { afterEach, describe, expect, it } from 'vitest';
import type { Database } from '../../../src/db/open.ts';
import { WebhookWorker } from '../../../src/domain/webhook/delivery/worker-operations.ts';
import { createHttpWebhooks } from '../../../src/drivers/webhook/http.ts';
import {
  deliveriesOf,
  finishedDeliveries,
  hastyDeliveries,
  insertDeliveries,
  insertWebhook,
} from '../../support/deliveries.ts';
import { databaseKind, type Trellis, useTrellis } from '../../support/trellis.ts';
import { accept, startReceiver, type WebhookReceiver } from '../../support/webhook-receiver.ts';

let receiver: WebhookReceiver;
// However slow the machine, no attempt that a receiver holds is over before it answers.
const trellis = useTrellis({
  webhooks: { ...hastyDeliveries, leaseMs: 3_600_000 },
  webhookLimits: { timeoutMs: 3_600_000 },
});
afterEach(() => receiver?.close());

const newWebhook = async (url: string, teamId?: string) =>
  insertWebhook(trellis, { teamId: teamId ?? (await trellis.createTeam()).teamId, url });

/** The numbers of the events about an object, in the order in which the receiver has got them first. */
const numbersOf = (subjectId: string) => [
  ...new Set(
    receiver.messages
      .filter(({ payload }) => payload.data.subjectId === subjectId)
      .map(({ payload }) => payload.data.changes.number[1] as number),
  ),
];

/** The steps of a statement that read all of a table. */
async function scansOf(db: Database, text: string): Promise<string[]> {
  const params = Array<null>(text.split('?').length - 1).fill(null);
  const plan = await db.query(`EXPLAIN QUERY PLAN ${text}`, params);
  return plan.map((row) => String(row.at(-1))).filter((step) => /^SCAN (webhook\w*|[deow])\b/.test(step));
}

const isOfTest = (text: string) =>
  /^SELECT COUNT|webhook_id. = \S+ ORDER BY \S+ ASC (LIMIT \S+ )?OFFSET/.test(text);

/** No statement on deliveries has read all of the table. Postgres reads tables that are small. */
async function expectIndexes({ services: { db }, statements }: Trellis) {
  const texts = new Set(statements.filter((text) => text.includes('webhook_delivery') && !isOfTest(text)));
  expect(texts.size).toBeGreaterThan(3);
  if (databaseKind !== 'sqlite') return;
  expect(await scansOf(db, 'SELECT * FROM webhook_delivery d WHERE d.subject = ?')).toEqual(['SCAN d']);
  for (const text of texts) expect({ text, scans: await scansOf(db, text) }).toEqual({ text, scans: [] });
}

describe('deliveries', () => {
  it('of one object are sent one after the other, while those of others go on', async () => {
    let isBroken = true;
    receiver = await startReceiver(
      ({ payload }, response) =>
        void response.writeHead(isBroken && payload.data.subjectId === '1' ? 500 : 200).end(),
    );
    const webhook = await newWebhook(receiver.url);
    const subjects = Array.from({ length: 24 }, (_, index) => `Port/${1 + (index % 4)}`);
    await insertDeliveries(trellis, webhook, subjects);
    const others = () => ['2', '3', '4'].map((id) => numbersOf(id).length);
    await expect.poll(others, { timeout: 60_000 }).toEqual([6, 6, 6]);
    // The first is repeated, and those after it wait.
    expect(numbersOf('1')).toEqual([0]);
    isBroken = false;
    await finishedDeliveries(trellis, webhook);
    for (const id of ['1', '2', '3', '4']) {
      expect(numbersOf(id)).toEqual(numbersOf(id).toSorted((one, other) => one - other));
      expect(numbersOf(id)).toHaveLength(6);
    }
  });

  it('of an object go on when the earlier one is given up', async () => {
    receiver = await startReceiver(
      ({ payload }, response) =>
        void response.writeHead(payload.data.changes.number[1] === 0 ? 500 : 200).end(),
    );
    const webhook = await newWebhook(receiver.url);
    const old = new Date(Date.now() - 4 * 86_400_000);
    await insertDeliveries(trellis, webhook, ['Port/1', 'Port/1'], { createdAt: old });
    const deliveries = await finishedDeliveries(trellis, webhook);
    expect(deliveries.map(({ status }) => status)).toEqual(['FAILED', 'DELIVERED']);
  });

  it('behind many of an object that waits are found', async () => {
    let isBroken = true;
    receiver = await startReceiver(
      ({ payload }, response) =>
        void response.writeHead(isBroken && payload.data.subjectId === '1' ? 500 : 200).end(),
    );
    const webhook = await newWebhook(receiver.url);
    await insertDeliveries(trellis, webhook, Array<string>(1_000).fill('Port/1'));
    await expect.poll(() => numbersOf('1')).toEqual([0]);
    await insertDeliveries(trellis, webhook, ['Port/2']);
    await expect.poll(() => numbersOf('2'), { timeout: 60_000 }).toEqual([0]);
    expect(numbersOf('1')).toEqual([0]);
    // They are not looked at again and again.
    const later = Date.now() + 1_800_000;
    const waiting = (await deliveriesOf(trellis, webhook)).filter(
      ({ nextAttemptAt }) => Number(nextAttemptAt) > later,
    );
    expect(waiting.length).toBeGreaterThan(800);
    isBroken = false;
    // Those that waited are called one by one.
    await expect.poll(() => numbersOf('1').length, { timeout: 60_000 }).toBeGreaterThan(20);
    expect(numbersOf('1')).toEqual(numbersOf('1').map((_, index) => index));
    await receiver.close();
    receiver = await startReceiver();
  });

  it('of several applications take turns', async () => {
    const held: (() => void)[] = [];
    receiver = await startReceiver((_, response) => void held.push(() => response.writeHead(200).end()));
    const webhook = await newWebhook(receiver.url);
    const subjects = (count: number, from: number) =>
      Array.from({ length: count }, (_, index) => `Port/${from + index}`);
    // Due for some time, because a process looks at its clock before it reads.
    const nextAttemptAt = new Date(Date.now() - 1_000);
    await insertDeliveries(trellis, webhook, subjects(200, 1), { applicationId: 1, nextAttemptAt });
    await expect.poll(() => held.length).toBe(10);
    await insertDeliveries(trellis, webhook, subjects(3, 2_001), { applicationId: 2, nextAttemptAt });
    await insertDeliveries(trellis, webhook, subjects(3, 3_001), { applicationId: 3, nextAttemptAt });
    await insertDeliveries(trellis, webhook, subjects(1, 4_001), { nextAttemptAt });
    // How often each was sent, by thousands, when so many more attempts are over.
    const sentAfter = async (more: number) => {
      const before = receiver.messages.length;
      for (const answer of held.splice(0, more)) answer();
      await expect.poll(() => receiver.messages.length).toBe(before + more);
      const ids = receiver.messages.slice(before).map(({ payload }) => Number(payload.data.subjectId));
      return ids.map((id) => Math.floor(id / 1_000)).sort();
    };
    expect(await sentAfter(4)).toEqual([0, 2, 3, 4]);
    expect(await sentAfter(1)).toEqual([2]);
    expect(await sentAfter(5)).toEqual([0, 0, 2, 3, 3]);
    receiver.handler = accept;
    for (const answer of held) answer();
    await finishedDeliveries(trellis, webhook);
  });

  it('are under way at most ten times for a team, and forty times in a process', async () => {
    const held: (() => void)[] = [];
    receiver = await startReceiver((_, response) => void held.push(() => response.writeHead(200).end()));
    const team = await trellis.createTeam();
    const first = await newWebhook(receiver.url, team.teamId);
    const sameTeam = [first, await newWebhook(receiver.url, team.teamId)];
    const subjects = Array.from({ length: 12 }, (_, index) => `Port/${index}`);
    await insertDeliveries(trellis, first, subjects);
    // One is left for the other webhook of the team.
    await expect.poll(() => held.length).toBe(9);
    await insertDeliveries(trellis, sameTeam[1]!, subjects);
    await expect.poll(() => held.length).toBe(10);
    const others = await Promise.all(Array.from({ length: 4 }, () => newWebhook(receiver.url)));
    for (const webhook of others) await insertDeliveries(trellis, webhook, subjects);
    await expect.poll(() => held.length).toBe(40);
    const all = [...sameTeam, ...others];
    const rows = (await Promise.all(all.map((each) => deliveriesOf(trellis, each)))).flat();
    const running = rows.filter(({ owner }) => owner !== null);
    expect(running).toHaveLength(40);
    const ofTeam = running.filter(({ teamId }) => teamId === team.teamId);
    expect(ofTeam.map(({ webhookId }) => webhookId).filter((id) => id !== first.id)).toHaveLength(1);
    receiver.handler = accept;
    for (const answer of held) answer();
    for (const webhook of all) await finishedDeliveries(trellis, webhook);
    expect(receiver.mostOpen()).toBeLessThanOrEqual(40);
  });

  it('are read and stored together when many are sent', async () => {
    receiver = await startReceiver();
    const webhook = await newWebhook(receiver.url);
    trellis.statements.length = 0;
    await insertDeliveries(
      trellis,
      webhook,
      Array.from({ length: 400 }, (_, index) => `Port/${index % 200}`),
    );
    await finishedDeliveries(trellis, webhook);
    const counts = new Map<string, number>();
    for (const text of trellis.statements.filter((each) => !isOfTest(each))) {
      counts.set(text, (counts.get(text) ?? 0) + 1);
    }
    const countOf = (part: string) =>
      Math.max(...[...counts].flatMap(([text, count]) => (text.includes(part) ? count : [])));
    // The webhooks are read from the last one on and then from the first one, and a transaction can be repeated.
    const most = 3 * countOf('next_attempt_at IS NOT NULL');
    const repeated = [...counts].filter(([text, count]) => count > most && !/^(BEGIN|COMMIT)/.test(text));
    expect(repeated).toEqual([]);
  });
});

describe('several processes', () => {
  it('send each delivery once', async () => {
    receiver = await startReceiver();
    const sender = createHttpWebhooks({ allowPrivate: true });
    const other = new WebhookWorker(trellis.services, {
      sender,
      settings: hastyDeliveries,
    });
    other.start();
    const webhooks = await Promise.all(Array.from({ length: 4 }, () => newWebhook(receiver.url)));
    const subjects = Array.from({ length: 20 }, (_, index) => `Port/${index % 7}`);
    await Promise.all(webhooks.map((webhook) => insertDeliveries(trellis, webhook, subjects)));
    for (const webhook of webhooks) {
      const deliveries = await finishedDeliveries(trellis, webhook);
      expect(deliveries.map(({ attempts }) => attempts)).toEqual(subjects.map(() => 1));
    }
    const ids = receiver.messages.map(({ headers }) => headers['webhook-id']);
    expect(ids).toHaveLength(80);
    expect(new Set(ids).size).toBe(80);
    await other.stop(1_000);
  });

  it('send what another one had taken when its lease is over, and not before', async () => {
    receiver = await startReceiver();
    const webhook = await newWebhook(receiver.url);
    const leased = (ms: number) => {
      const until = new Date(Date.now() + ms);
      return { owner: 'another', heldUntil: until, nextAttemptAt: until, attempts: 1 };
    };
    await insertDeliveries(trellis, webhook, ['Port/1'], leased(3_600_000));
    await insertDeliveries(trellis, webhook, ['Port/1']);
    await insertDeliveries(trellis, webhook, ['Port/2'], leased(-1));
    await expect.poll(() => numbersOf('2')).toEqual([0]);
    const states = async () =>
      (await deliveriesOf(trellis, webhook)).map(({ status, attempts }) => `${status} ${attempts}`);
    await expect.poll(states).toEqual(['PENDING 1', 'PENDING 0', 'DELIVERED 2']);
    expect(numbersOf('1')).toEqual([]);
  });
});

describe('an attempt that outlasts its lease', () => {
  const short = useTrellis({ webhooks: { ...hastyDeliveries, leaseMs: 6_000 } });

  it('is made once, by the process that has begun it', async () => {
    let answer = () => {};
    receiver = await startReceiver((_, response) => {
      answer = () => void response.writeHead(200).end();
    });
    const { teamId } = await short.createTeam();
    const webhook = await insertWebhook(short, { teamId, url: receiver.url });
    await insertDeliveries(short, webhook, ['Port/1']);
    await expect.poll(() => receiver.messages.length).toBe(1);
    const claimed = (await deliveriesOf(short, webhook))[0]!;
    const heldUntil = async () => Number((await deliveriesOf(short, webhook))[0]!.heldUntil);
    await expect.poll(heldUntil).toBeGreaterThan(Number(claimed.heldUntil));
    answer();
    const [delivery] = await finishedDeliveries(short, webhook);
    expect(delivery).toMatchObject({ status: 'DELIVERED', attempts: 1 });
    expect(receiver.messages).toHaveLength(1);
  });
});

describe('a slow receiver with 10,000 pending deliveries', () => {
  it('delays neither changes nor other receivers', async () => {
    const held: (() => void)[] = [];
    const slow = await startReceiver((_, response) => void held.push(() => response.writeHead(200).end()));
    receiver = await startReceiver();
    const slowWebhook = await newWebhook(slow.url);
    const subjects = Array.from({ length: 10_000 }, (_, index) => `Port/${index}`);
    await insertDeliveries(trellis, slowWebhook, subjects);
    await expect.poll(() => held.length, { timeout: 60_000 }).toBe(10);
    const { teamId } = slowWebhook;
    const neighbour = await newWebhook(`${receiver.url}/neighbour`, teamId);
    const other = await newWebhook(`${receiver.url}/other`);
    trellis.statements.length = 0;
    for (const webhook of [neighbour, other]) await insertDeliveries(trellis, webhook, subjects.slice(0, 40));
    // It has all of the attempts of its team until it answers one of them.
    held[0]!();
    const { made } = await trellis.data(
      'mutation { made: createUser(input: { email: "meanwhile@trellis.example", nickName: "meanwhile" }) { __typename } }',
    );
    expect(made.__typename).toBe('CreateUserPayload');
    await finishedDeliveries(trellis, other);
    await finishedDeliveries(trellis, neighbour);
    expect(receiver.to('/other')).toHaveLength(40);
    expect(receiver.to('/neighbour')).toHaveLength(40);
    // The slow one has hardly begun.
    expect(slow.messages.length).toBeLessThanOrEqual(11);
    await expectIndexes(trellis);
    await slow.close();
  });
});
