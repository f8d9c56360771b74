import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { expect, it, vi } from 'vitest';
import { isLocalAddress } from '../../../../src/drivers/outgoing/local-address.ts';
import { issue } from '../../../support/certificates.ts';
import { startCluster } from '../../../support/kubernetes/server.ts';
import { startTrellis, type Trellis } from '../../../support/trellis.ts';

async function check(trellis: Trellis, url: string, caCertificate: string) {
  const credentials = { token: 'admin', caCertificate };
  const { name } = await trellis.createRegion({ driver: 'KUBERNETES', url, credentials });
  return (await trellis.data(`{ checkRegion(region: { name: "${name}" }) { isReachable problem } }`))
    .checkRegion;
}

it('a cluster is not reached at a loopback address, by its number or by name', async () => {
  const [trellis, cluster] = await Promise.all([startTrellis({ allowLocalRegions: false }), startCluster()]);
  try {
    const handled = vi.spyOn(cluster.cluster, 'handle');
    const { port } = new URL(cluster.url);
    for (const host of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '[::1]']) {
      const found = await check(trellis, `https://${host}:${port}`, cluster.caCertificate);
      expect(found, host).toEqual({
        isReachable: false,
        problem: expect.stringContaining("The address of the region's cluster is not allowed"),
      });
    }
    expect(handled).not.toHaveBeenCalled();
  } finally {
    await trellis.close();
    await cluster.close();
  }
});

it.each([
  ['127.0.0.2', true],
  ['169.254.169.254', true],
  ['::ffff:a9fe:a9fe', true],
  ['64:ff9b::7f00:1', true],
  ['fe80::1%eth0', true],
  ['fd00:ec2::254', true],
  ['0.0.0.0', true],
  ['10.0.0.1', false],
  ['192.168.1.1', false],
  ['fd12::1', false],
  ['8.8.8.8', false],
  ['2001:4860:4860::8888', false],
])('the address %s is local: %s', (address, isLocal) => {
  expect(isLocalAddress(address)).toBe(isLocal);
});

it('an answer without an end is not read to its end', async () => {
  const authority = await issue({ subject: 'CN=kubernetes', isAuthority: true });
  const own = await issue({
    issuer: authority,
    names: ['localhost'],
    others: [{ type: 'ip', value: '127.0.0.1' }],
  });
  const piece = Buffer.alloc(2 ** 20, ' ');
  const server = createServer({ cert: own.pem, key: own.key }, (_, response) => {
    const more = () => {
      while (!response.destroyed && response.write(piece));
    };
    response.on('drain', more).on('error', () => {});
    more();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const trellis = await startTrellis({ maxClusterAnswerBytes: 2 ** 20 });
  try {
    const { port } = server.address() as AddressInfo;
    const found = await check(trellis, `https://127.0.0.1:${port}`, authority.pem);
    expect(found.problem).toBe('The cluster sent an answer of more than 1 MiB.');
  } finally {
    await trellis.close();
    server.closeAllConnections();
    server.close();
  }
});
