import { afterAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/db/open.ts';
import { createApplication, createPlace, succeed } from '../support/fixtures.ts';
import { clientOf } from '../support/gateways.ts';
import { endProcesses, startProcess } from '../support/process.ts';
import { send } from '../support/send.ts';
import { answerTemplates, startStoreServer, storeKey } from '../support/store-server.ts';
import { ringTemplate } from '../support/templates.ts';
import { createMigratedDatabase } from '../support/trellis.ts';

const token = 'a-token-of-at-least-32-characters';
afterAll(endProcesses);

describe('a gateway that is killed between the commit and the answer', () => {
  it('leaves an answer that another gateway gives, and one change', async () => {
    const database = await createMigratedDatabase();
    const db = openDatabase({ url: database.url, poolSize: 1 });
    const settings = {
      DATABASE_URL: database.url,
      SECRET_KEY: 'ab'.repeat(32),
      BOOTSTRAP_TOKEN: token,
      STORE_ALLOW_PRIVATE: 'true',
    };
    const ring = ringTemplate(1);
    const entry = { appKeyID: ring.key, name: 'Ring', versions: [{ appVersion: ring.version }] };
    const templates = new Map([[ring.version, ring.text]]);
    const answer = answerTemplates(new Map([[ring.key, { entry, templates }]]));
    let isAsked: (() => void) | undefined;
    const store = await startStoreServer((request, response) => {
      if (isAsked) isAsked();
      else answer(request, response);
    });

    const first = startProcess(settings);
    const trellis = clientOf(await first.listening, token, db);
    const { appId } = await createApplication(trellis, await createPlace(trellis));
    const install = {
      application: { appId },
      store: { url: store.url, domain: 'test', accessKey: storeKey },
      templateId: ring.key,
      version: ring.version,
    };
    await succeed(trellis, 'installApplication', install, 'group { uid }');
    first.child.kill('SIGTERM');
    await first.ended;

    // These have not asked the store yet, and do so for the answer.
    const [dying, other] = [startProcess(settings), startProcess(settings)];
    const request = async ({ listening }: typeof dying) =>
      send(
        { url: await listening, adminToken: token },
        {
          headers: { 'Idempotency-Key': 'the-key' },
          body: JSON.stringify({
            query: `mutation { updateApplication(input: { application: { appId: ${appId} }, note: "once" }) {
              ... on UpdateApplicationPayload { application { note upgrades { upgradeVersions } } } } }`,
          }),
        },
      );
    await other.listening;
    const asked = new Promise<void>((resolve) => {
      isAsked = resolve;
    });
    const broken = request(dying).catch((error) => error.code);
    await asked;
    dying.child.kill('SIGKILL');
    expect(await broken).toBe('ECONNRESET');
    isAsked = undefined;

    const answered = await request(other);
    expect(answered.body.data.updateApplication.application).toEqual({
      note: 'once',
      upgrades: [{ upgradeVersions: [] }],
    });
    expect(answered.headers['idempotent-replayed']).toBe('true');
    expect((await request(other)).text).toBe(answered.text);
    const changes = await db.query("SELECT id FROM event WHERE action = 'application.update'", []);
    expect(changes).toHaveLength(1);
    await store.close();
    await db.close();
    other.child.kill('SIGTERM');
    await other.ended;
    await database.drop();
  });
});
