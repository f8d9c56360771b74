import { createPrivateKey, randomBytes, X509Certificate } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { covers } from '../../../src/domain/certificate/x509-model.ts';
import { daysFromNow, issue, issueChain } from '../../support/certificates.ts';
import { useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis();
let team: { teamId: string };
let real: Awaited<ReturnType<typeof issueChain>>;
let other: Awaited<ReturnType<typeof issueChain>>;
beforeAll(async () => {
  team = await trellis.createTeam();
  real = await issueChain(['Shop.Example', '*.shop.example']);
  other = await issueChain(['other.example']);
});

const inTeam = (input: object) => ({ team: { teamId: team.teamId }, ...input });
const add = (input: object) =>
  trellis.succeed('addCertificate', inTeam(input), 'certificate { name names chain }');

const issuesOf = async (input: object) => {
  const before = await trellis.counts();
  const result = await trellis.attempt('addCertificate', inTeam(input));
  expect(result).toMatchObject({ __typename: 'InvalidInputError', code: 'INVALID_INPUT' });
  expect(await trellis.counts()).toEqual(before);
  return (result.issues as { path: string[]; message: string }[]).map(
    ({ path, message }) => `${path.join('.')}: ${message}`,
  );
};

describe('addCertificate', () => {
  it('accepts RSA keys, a leaf alone, a chain without its root, and a self-signed certificate', async () => {
    const rsa = await issueChain(['rsa.example'], { algorithm: 'rsa' });
    const pkcs1 = createPrivateKey(rsa.key).export({ type: 'pkcs1', format: 'pem' });
    await add({ name: 'rsa', chain: rsa.chain, key: pkcs1 });
    await add({ name: 'alone', chain: rsa.leaf.pem, key: rsa.key });
    await add({ name: 'no root', chain: rsa.leaf.pem + rsa.intermediate.pem, key: rsa.key });
    const self = await issue({ names: ['self.example'], isAuthority: true });
    await add({ name: 'self', chain: self.pem, key: self.key });
    const mixed = await issue({ names: ['mixed.example'], issuer: rsa.intermediate });
    await add({ name: 'mixed', chain: mixed.pem + rsa.intermediate.pem, key: mixed.key });
  });

  it('accepts other line endings, blank lines, and the parameters that OpenSSL writes before an EC key', async () => {
    const sec1 = createPrivateKey(real.key).export({ type: 'sec1', format: 'pem' }) as string;
    const key = `-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n${sec1}`;
    const chain = `\r\n${real.chain.replaceAll('\n', '\r\n')}\r\n\r\n`;
    const { certificate } = await add({ name: 'windows', chain, key });
    expect(certificate.chain).not.toContain('\r');
  });

  it('uses the common name only when there are no alternative names', async () => {
    const common = await issue({ subject: 'O=Trellis, CN=Common.Example' });
    const { certificate } = await add({ chain: common.pem, key: common.key });
    expect(certificate).toMatchObject({ name: 'common.example', names: ['common.example'] });
    const address = await issue({
      subject: 'CN=common2.example',
      others: [{ type: 'ip', value: '10.0.0.1' }],
    });
    expect(await issuesOf({ chain: address.pem, key: address.key })).toEqual([
      'input.chain: The first certificate has no host name',
    ]);
  });

  it('is not confused by names nested in other names', async () => {
    const odd = await issue({
      names: ['real.example', 'x, DNS:evil.example', 'f*.example', '10.0.0.1', 'REAL.example'],
      others: [{ type: 'url', value: 'https://x/, DNS:worse.example' }],
    });
    const { certificate } = await add({ name: 'odd', chain: odd.pem, key: odd.key });
    expect(certificate.names).toEqual(['real.example']);
  });

  const afterwards =
    (...parts: (() => string)[]) =>
    () =>
      parts.map((part) => part()).join('');
  const pemOf =
    (which: 'leaf' | 'intermediate' | 'root', of: () => typeof real = () => real) =>
    () =>
      of()[which].pem;
  const order =
    'is not issued by the certificate after it. Put the leaf first, and after each certificate its issuer';
  const notPem = 'Must contain only PEM certificates';

  it.each<[string, () => string, string[]]>([
    [
      'in the wrong order',
      afterwards(pemOf('intermediate'), pemOf('leaf')),
      [
        `chain: The first certificate ${order}`,
        'chain: The first certificate has no host name',
        'key: Does not match the first certificate of the chain',
      ],
    ],
    [
      'with its root before the intermediate',
      afterwards(pemOf('leaf'), pemOf('root'), pemOf('intermediate')),
      [`chain: The first certificate ${order}`, `chain: Certificate 2 ${order}`],
    ],
    [
      'with a foreign intermediate',
      afterwards(
        pemOf('leaf'),
        pemOf('intermediate', () => other),
      ),
      [`chain: The first certificate ${order}`],
    ],
    [
      'with the leaf twice',
      afterwards(pemOf('leaf'), pemOf('leaf')),
      [`chain: The first certificate ${order}`],
    ],
    [
      'with the root twice',
      afterwards(pemOf('leaf'), pemOf('intermediate'), pemOf('root'), pemOf('root')),
      [`chain: Certificate 3 ${order}`],
    ],
    [
      'with text between',
      afterwards(pemOf('leaf'), () => 'subject=CN\n', pemOf('intermediate')),
      [`chain: ${notPem}`],
    ],
    ['cut off', () => real.chain.slice(0, -40), [`chain: ${notPem}`]],
    ['with no certificate', () => 'nothing', [`chain: ${notPem}`]],
    ['of blanks', () => ' \n ', [`chain: ${notPem}`]],
    ['that is empty', () => '', ['chain: Too small: expected string to have >=1 characters']],
    [
      'with another kind of PEM',
      () => real.leaf.pem.replaceAll('CERTIFICATE', 'PUBLIC KEY'),
      [`chain: ${notPem}`],
    ],
    [
      'with a private key',
      () => real.chain + real.key,
      ['chain: Must not contain a private key. Send it in `key`'],
    ],
    [
      'of what is no certificate',
      afterwards(
        pemOf('leaf'),
        () =>
          `-----BEGIN CERTIFICATE-----\n${randomBytes(300).toString('base64')}\n-----END CERTIFICATE-----\n`,
      ),
      ['chain: Certificate 2 cannot be read'],
    ],
    ['with NUL', () => real.chain.replace('\n', '\u0000\n'), ['chain: Control characters are not allowed']],
    [
      'that is too long',
      () => 'x'.repeat(65_537),
      ['chain: Too big: expected string to have <=65536 characters'],
    ],
    ['of too many', () => real.leaf.pem.repeat(11), ['chain: Must be at most 10 certificates']],
  ])('refuses a chain %s', async (_, chain, issues) => {
    expect(await issuesOf({ chain: chain(), key: real.key })).toEqual(issues.map((each) => `input.${each}`));
  });

  it('refuses bytes after a certificate', async () => {
    const der = Buffer.concat([new X509Certificate(real.leaf.pem).raw, Buffer.from('more')]);
    const chain = `-----BEGIN CERTIFICATE-----\n${der.toString('base64')}\n-----END CERTIFICATE-----\n`;
    expect(await issuesOf({ chain, key: real.key })).toEqual([
      'input.chain: The first certificate cannot be read',
    ]);
  });

  it('refuses an intermediate with the right name and another key, and one that is not an authority', async () => {
    const impostor = await issue({ subject: real.intermediate.subject, isAuthority: true });
    expect(await issuesOf({ chain: real.leaf.pem + impostor.pem, key: real.key })).toHaveLength(1);
    const child = await issue({ names: ['child.example'], issuer: real.leaf });
    expect(await issuesOf({ chain: child.pem + real.leaf.pem, key: child.key })).toEqual([
      `input.chain: The first certificate ${order}`,
    ]);
  });

  const noKey = 'input.key: Must be exactly one PEM private key';
  const encrypted = 'input.key: Must not be encrypted. Remove the passphrase first';
  const cipher = { cipher: 'aes-256-cbc', passphrase: 'secret', format: 'pem' } as const;

  it.each<[string, () => string | Promise<string>, string]>([
    [
      'of another certificate',
      () => other.key,
      'input.key: Does not match the first certificate of the chain',
    ],
    [
      'of the intermediate',
      () => real.intermediate.key,
      'input.key: Does not match the first certificate of the chain',
    ],
    [
      'of another kind',
      async () => (await issue({ algorithm: 'rsa' })).key,
      'input.key: Does not match the first certificate of the chain',
    ],
    [
      'that is encrypted',
      () => createPrivateKey(real.key).export({ type: 'pkcs8', ...cipher }) as string,
      encrypted,
    ],
    [
      'that is encrypted in the old way',
      () => createPrivateKey(real.key).export({ type: 'sec1', ...cipher }) as string,
      encrypted,
    ],
    ['that is none', () => 'nothing', noKey],
    ['that is a certificate', () => real.leaf.pem, noKey],
    ['with a certificate', () => real.key + real.leaf.pem, noKey],
    ['that is two', () => real.key + other.key, noKey],
    ['that is public', () => real.key.replaceAll('PRIVATE', 'PUBLIC'), noKey],
    [
      'that is broken',
      () => `-----BEGIN PRIVATE KEY-----\n${randomBytes(80).toString('base64')}\n-----END PRIVATE KEY-----\n`,
      'input.key: The private key cannot be read',
    ],
    ['with NUL', () => `${real.key}\u0000`, 'input.key: Control characters are not allowed'],
    [
      'that is too long',
      () => 'x'.repeat(16_385),
      'input.key: Too big: expected string to have <=16384 characters',
    ],
  ])('refuses a key %s', async (_, key, issue) => {
    expect(await issuesOf({ chain: real.chain, key: await key() })).toEqual([issue]);
  });

  it('refuses a chain with an expired or not yet valid certificate at any position', async () => {
    const times: [Partial<Record<'from' | 'until', Date>>, string][] = [
      [{ from: daysFromNow(-9), until: daysFromNow(-1) }, 'expired at '],
      [{ from: daysFromNow(1), until: daysFromNow(9) }, 'is not valid before '],
    ];
    for (const [validity, message] of times) {
      const leaf = await issue({ names: ['time.example'], issuer: real.intermediate, ...validity });
      expect(await issuesOf({ chain: leaf.pem + real.intermediate.pem, key: leaf.key })).toEqual([
        expect.stringContaining(`input.chain: The first certificate ${message}`),
      ]);
      const intermediate = await issue({ isAuthority: true, issuer: real.root, ...validity });
      const under = await issue({ names: ['time.example'], issuer: intermediate });
      expect(await issuesOf({ chain: under.pem + intermediate.pem, key: under.key })).toEqual([
        expect.stringContaining(`input.chain: Certificate 2 ${message}`),
      ]);
    }
  });

  it('reports all errors at once', async () => {
    const old = await issue({ from: daysFromNow(-9), until: daysFromNow(-1) });
    expect(await issuesOf({ chain: old.pem + other.root.pem, key: 'none' })).toEqual([
      `input.chain: The first certificate ${order}`,
      expect.stringContaining('input.chain: The first certificate expired at '),
      'input.chain: The first certificate has no host name',
      noKey,
    ]);
    expect(await issuesOf({ chain: '', key: '', name: ' ' })).toHaveLength(3);
  });
});

describe('covers', () => {
  it.each([
    [['shop.example'], 'shop.example', true],
    [['shop.example'], 'SHOP.Example', true],
    [['SHOP.example'], 'shop.example', true],
    [['shop.example'], 'www.shop.example', false],
    [['*.shop.example'], 'www.shop.example', true],
    [['*.shop.example'], 'shop.example', false],
    [['*.shop.example'], 'a.b.shop.example', false],
    [['*.shop.example'], '.shop.example', false],
    [['*.shop.example'], 'wwwshop.example', false],
    [['*.shop.example'], '*.shop.example', true],
    [['www.shop.example', 'shop.example'], '*.shop.example', false],
    [['*.example'], '*.shop.example', false],
    [['*.example'], 'shop.example', true],
    [['shop'], 'shop', true],
    [['*'], 'shop', false],
    [[], 'shop.example', false],
    [['a.example', '*.b.example'], 'x.b.example', true],
  ])('%j for %s: %s', (names, domain, expected) => {
    expect(covers(names, domain)).toBe(expected);
  });
});
