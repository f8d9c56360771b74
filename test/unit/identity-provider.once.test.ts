import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createGzip } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createOpenIdProvider } from '../../src/drivers/identity/openid.ts';
import { UnavailableError } from '../../src/kernel/errors.ts';

describe('a response of the identity provider', () => {
  it.each(['identity', 'gzip'])('is read up to a limit (%s)', async (encoding) => {
    let sent = 0;
    const server = createServer((_, res) => {
      res.writeHead(200, { 'content-type': 'application/json', 'content-encoding': encoding });
      const body = encoding === 'gzip' ? createGzip() : res;
      if (body !== res) body.pipe(res);
      const chunk = `[${'0,'.repeat(32_768)}`;
      const send = () => {
        if (res.destroyed) return void body.destroy();
        sent += chunk.length;
        if (body.write(chunk)) setImmediate(send);
        else body.once('drain', send);
      };
      send();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const provider = createOpenIdProvider({
      issuer: `http://127.0.0.1:${port}`,
      clientId: 'trellis',
      clientSecret: undefined,
      scopes: 'openid',
      groupsClaim: 'groups',
      administratorGroup: undefined,
    });
    try {
      await expect(provider.begin('http://127.0.0.1/auth/callback', '127.0.0.1')).rejects.toThrow(
        UnavailableError,
      );
      // What the buffers of the connection hold comes on top.
      expect(sent).toBeLessThan(64 * 1_048_576);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});
