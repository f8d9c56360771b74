import { beforeAll, describe, expect, it } from 'vitest';
import { covers as coversInConsole } from '../../src/console/exposure/certificates/covers.ts';
import { inputOfPem, sortPem } from '../../src/console/exposure/certificates/pem.ts';
import { databaseOf } from '../../src/console/exposure/databases.ts';
import { isOpenable } from '../../src/console/ui/is-openable.ts';
import { covers } from '../../src/domain/certificate/x509-model.ts';
import { issueChain } from '../support/certificates.ts';

describe('certificates that are dropped', () => {
  let real: Awaited<ReturnType<typeof issueChain>>;
  beforeAll(async () => {
    real = await issueChain(['shop.example']);
  });
  const trimmed = (...pems: string[]) => pems.map((pem) => pem.trim());

  it('are sent in order, the leaf first, whatever the order of the files', () => {
    const parts = { leaf: real.leaf.pem, intermediate: real.intermediate.pem, root: real.root.pem };
    const { leaf, intermediate, root } = parts;
    for (const order of [
      [leaf, intermediate, root],
      [root, intermediate, leaf],
      [intermediate, leaf, root],
      [intermediate, root, leaf, leaf],
    ]) {
      expect(sortPem(`Bag Attributes\n${order.join('\n')}`).certificates).toEqual(
        trimmed(leaf, intermediate, root),
      );
    }
  });

  it('are sent without the key that is among them', () => {
    const { chain, key } = inputOfPem(`${real.key}\r\n${real.intermediate.pem}${real.leaf.pem}`, 'other');
    expect(chain.split('-----BEGIN CERTIFICATE-----')).toHaveLength(3);
    expect(chain).not.toContain('PRIVATE');
    expect(key.trim()).toBe(real.key.trim());
  });

  it('are sent as they are if they cannot be read', () => {
    expect(inputOfPem('no certificate', 'no key')).toEqual({ chain: 'no certificate', key: 'no key' });
    const broken = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----';
    expect(sortPem(`${broken}\n${real.leaf.pem}`).certificates).toEqual(trimmed(broken, real.leaf.pem));
  });
});

it.each([
  [['shop.example'], 'SHOP.example'],
  [['*.shop.example'], 'www.shop.example'],
  [['*.shop.example'], '*.shop.example'],
  [['*.shop.example'], 'shop.example'],
  [['*.shop.example'], 'a.b.shop.example'],
  [['shop.example'], ''],
])('the console and the server agree whether %j covers %s', (names, domain) => {
  expect(coversInConsole(names, domain)).toBe(covers(names, domain));
});

it.each([
  ['mysql', 1234, null, 'app:1', 'MySQL'],
  ['mysql', 3306, 'mysql', 'mariadb:10.6.4-focal', 'MariaDB'],
  ['tcp', 6000, 'redis', 'registry.example:5000/cache', 'Redis'],
  ['tcp', 6000, null, 'registry.example:5000/library/postgres:16@sha256:abc', 'PostgreSQL'],
  ['tcp', 27017, null, 'app', 'MongoDB'],
  ['http', 8080, 'web', 'mongo-express:1', undefined],
])('a %s port %i of %s and %s belongs to %s', (protocol, number, kind, image, database) => {
  expect(databaseOf({ protocol, number, component: { kind, image } })).toBe(database);
});

it('only addresses of one host with a scheme of browsers are links', () => {
  expect(isOpenable('https://shop.example/')).toBe(true);
  for (const address of ['https://*.shop.example/', 'tcp.example:30000', 'javascript:alert(1)'])
    expect(isOpenable(address)).toBe(false);
});
