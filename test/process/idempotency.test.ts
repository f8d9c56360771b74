import { afterAll, describe, expect, it } from 'vitest';
import { clientOf } from '../support/gateways.ts';
import { startProcess } from '../support/process.ts';
import { send } from '../support/send.ts';
import { endStarts, migratedDatabase, startHere } from '../support/starts.ts';
import { startsProcesses } from '../support/starts-processes.ts';
import { answerTemplates, startStoreServer, storeKey } from '../support/store-server.ts';
import { ringTemplate } from '../support/templates.ts';

startsProcesses();

const token = 'a-token-of-at-least-32-characters';
afterAll(endStarts);

describe('a gateway that is killed between the commit and the answer', () => {
  it('leaves an answer that another gateway gives, and one change', async () => {
    const settings = {
      ...(await migratedDatabase()),
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

    const first = await startHere(settings);
    const trellis = clientOf(first.url, token, first.services.db);
    const { appId } = await trellis.createApplication(await trellis.createPlace());
    const install = {
      application: { appId },
      store: { url: store.url, domain: 'test', accessKey: storeKey },
      templateId: ring.key,
      version: ring.version,
    };
    await trellis.succeed('installApplication', install, 'group { uid }');
    await first.stop();

    // These have not asked the store yet, and do so for the answer.
    const dying = startProcess(settings);
    const other = await startHere(settings);
    const request = (url: string) =>
      send(
        { url, adminToken: token },
        {
          headers: { 'Idempotency-Key': 'the-key' },
          body: JSON.stringify({
            query: `mutation { updateApplication(input: { application: { appId: ${appId} }, note: "once" }) {
              ... on UpdateApplicationPayload { application { note upgrades { upgradeVersions } } } } }`,
          }),
        },
      );
    const url = await dying.listening;
    const asked = new Promise<void>((resolve) => {
      isAsked = resolve;
    });
    const broken = request(url).catch((error) => error.code);
    await asked;
    dying.child.kill('SIGKILL');
    expect(await broken).toBe('ECONNRESET');
    isAsked = undefined;

    const answered = await request(other.url);
    expect(answered.body.data.updateApplication.application).toEqual({
      note: 'once',
      upgrades: [{ upgradeVersions: [] }],
    });
    expect(answered.headers['idempotent-replayed']).toBe('true');
    expect((await request(other.url)).text).toBe(answered.text);
    const changes = await other.services.db.query(
      "SELECT id FROM event WHERE action = 'application.update'",
      [],
    );
    expect(changes).toHaveLength(1);
    await other.stop();
    await store.close();
  });
});
