import type { ServerResponse } from 'node:http';
import { answerTemplates, type StoreServer, startStoreServer, storeKey } from './store-server.ts';
import { ringTemplate } from './templates.ts';

export interface HeldStore extends StoreServer {
  /** The body of a GraphQL request that installs from it. */
  install(appId: number): string;
  /** Resolves when so many calls wait for their answers. */
  holds(calls: number): Promise<void>;
  /** Answers the calls that wait, and all later ones at once. */
  release(): void;
  /** How many calls were broken off by the caller while they waited. */
  brokenOff(): number;
}

const mutation = `mutation M($input: InstallApplicationInput!) {
  installApplication(input: $input) { __typename ... on Error { code message } }
}`;

/** A store with one application, which answers nothing until it is told to. */
export async function startHeldStore(size = 3): Promise<HeldStore> {
  const ring = ringTemplate(size);
  const entry = { appKeyID: ring.key, name: 'Ring', versions: [{ appVersion: ring.version }] };
  const answer = answerTemplates(
    new Map([[ring.key, { entry, templates: new Map([[ring.version, ring.text]]) }]]),
  );
  const held = new Map<ServerResponse, () => void>();
  let isReleased = false;
  let brokenOff = 0;
  let onChange = () => {};
  const store = await startStoreServer((request, response) => {
    if (isReleased) return answer(request, response);
    held.set(response, () => answer(request, response));
    response.once('close', () => {
      if (held.delete(response)) brokenOff++;
      onChange();
    });
    onChange();
  });
  return {
    ...store,
    install: (appId) =>
      JSON.stringify({
        query: mutation,
        variables: {
          input: {
            application: { appId },
            store: { url: store.url, domain: 'test', accessKey: storeKey },
            templateId: ring.key,
            version: ring.version,
          },
        },
      }),
    holds: (calls) =>
      new Promise((resolve) => {
        onChange = () => held.size >= calls && resolve();
        onChange();
      }),
    release() {
      isReleased = true;
      for (const [response, run] of held) {
        held.delete(response);
        run();
      }
    },
    brokenOff: () => brokenOff,
  };
}
