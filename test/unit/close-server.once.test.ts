import { once } from 'node:events';
import { request } from 'node:https';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { startCluster } from '../support/kubernetes/server.ts';

it('closes a server of a test while a handshake and a watch are under way', async () => {
  const cluster = await startCluster();
  const { port } = new URL(cluster.url);
  const bare = connect(Number(port), '127.0.0.1');
  await once(bare, 'connect');
  const watch = request(`${cluster.url}/api/v1/namespaces?watch=1`, {
    ca: cluster.caCertificate,
    headers: { authorization: 'Bearer admin' },
  }).end();
  const [response] = await once(watch, 'response');
  const ended = Promise.all([once(bare, 'close'), once(response, 'close')]);
  response.on('error', () => undefined).resume();
  bare.on('error', () => undefined);
  await cluster.close();
  await ended;
  expect([bare.destroyed, response.destroyed]).toEqual([true, true]);
});
