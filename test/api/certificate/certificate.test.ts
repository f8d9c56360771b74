import { createPrivateKey, randomBytes, X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { covers } from '../../../src/domain/certificate/x509-model.ts';
import { daysFromNow, issue, issueChain } from '../../support/certificates.ts';
import {
  attempt,
  createAll,
  createMember,
  createPerson,
  createTeam,
  succeed,
} from '../../support/fixtures.ts';
import { startTrellis, type Trellis } from '../../support/trellis.ts';

let trellis: Trellis;
let team: { teamId: string; name: string };
let real: Awaited<ReturnType<typeof issueChain>>;
let other: Awaited<ReturnType<typeof issueChain>>;

beforeAll(async () => {
  trellis = await startTrellis();
  team = await createTeam(trellis);
  real = await issueChain(['Shop.Example', '*.shop.example']);
  other = await issueChain(['other.example']);
});
afterAll(() => trellis.close());

const fields = 'certificate { id uid name names issuer expiresAt createdAt chain team { name } }';
const inTeam = (input: object) => ({ team: { teamId: team.teamId }, ...input });
const add = (input: object, selection = fields) =>
  succeed(trellis, 'addCertificate', inTeam(input), selection);

const issuesOf = async (input: object) => {
  const before = await trellis.counts();
  const result = await attempt(trellis, 'addCertificate', inTeam(input));
  expect(result).toMatchObject({ __typename: 'InvalidInputError', code: 'INVALID_INPUT' });
  expect(await trellis.counts()).toEqual(before);
  return (result.issues as { path: string[]; message: string }[]).map(
    ({ path, message }) => `${path.join('.')}: ${message}`,
  );
};

const stored = async () => JSON.stringify(await trellis.services.db.query('SELECT * FROM certificate', []));

/** Lines of a PEM that only this key has. */
const secretLines = (pem: string) =>
  pem.split('\n').filter((line) => line.length > 20 && !line.startsWith('-----'));

describe('addCertificate', () => {
  it('reads the fields of the certificate from the chain', async () => {
    const { certificate } = await add({ chain: real.chain, key: real.key });
    expect(certificate).toMatchObject({
      name: 'shop.example',
      names: ['shop.example', '*.shop.example'],
      issuer: real.intermediate.subject.split(', ').reverse().join(', '),
      expiresAt: new Date(new X509Certificate(real.leaf.pem).validTo).toISOString(),
      team: { name: team.name },
    });
    const pems = certificate.chain.split(/(?<=-----END CERTIFICATE-----\n)/);
    expect(pems.map((pem: string) => new X509Certificate(pem).fingerprint256)).toEqual(
      [real.leaf, real.intermediate, real.root].map(({ pem }) => new X509Certificate(pem).fingerprint256),
    );
    const found = await trellis.data(
      `{ certificate(by: { certificateId: ${certificate.uid} }) { id name names chain }
         byId: certificate(by: { id: "${certificate.id}" }) { uid }
         node(id: "${certificate.id}") { ... on Certificate { name } } }`,
    );
    expect(found.certificate.chain).toBe(certificate.chain);
    expect([found.byId.uid, found.node.name]).toEqual([certificate.uid, 'shop.example']);
  });

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

  it('refuses a name that the team already uses', async () => {
    const input = { name: 'taken', chain: real.chain, key: real.key };
    const tries = await Promise.all(
      Array.from({ length: 5 }, () => attempt(trellis, 'addCertificate', inTeam(input))),
    );
    expect(tries.map((each) => each.code ?? 'ok').sort()).toEqual([...Array(4).fill('CONFLICT'), 'ok']);
    expect(tries.find((each) => each.code).message).toBe(
      `The team ${team.name} already has a certificate named taken.`,
    );
    const elsewhere = await createTeam(trellis);
    await succeed(trellis, 'addCertificate', { ...input, team: { teamId: elsewhere.teamId } }, fields);
  });

  it('never exposes the key in an answer, an event, the log or the database', async () => {
    const { chain, key } = await issueChain(['secret.example']);
    const { certificate } = await add({ chain, key });
    const wrong = await attempt(trellis, 'addCertificate', inTeam({ chain: key, key: chain }));
    const misplaced = await trellis.graphql(
      'mutation M($input: AddCertificateInput!) { addCertificate(input: $input) { __typename } }',
      { input: inTeam({ chain, key: `${key}\u0000` }) },
    );
    const { team: read } = await trellis.data(
      `{ team(by: { teamId: "${team.teamId}" }) {
        certificates(first: 100) { nodes { id uid name names issuer chain } }
        events { nodes { action changes { field before: oldValue after: newValue } } } } }`,
    );
    await succeed(trellis, 'deleteCertificate', { certificate: { certificateId: certificate.uid } }, fields);
    await add({ chain, key });
    const events = JSON.stringify(await trellis.services.db.query('SELECT * FROM event', []));
    const { schema } = await trellis.data('{ schema: __type(name: "Certificate") { fields { name } } }');
    const places = [certificate, wrong, misplaced, read, events, trellis.logged, await stored()];
    expect(events).toContain('secret.example');
    for (const line of secretLines(key)) {
      for (const place of places) expect(JSON.stringify(place)).not.toContain(line);
    }
    expect(schema.fields.map((field: any) => field.name)).not.toContain('key');
    const [sealed] = await trellis.services.db.query(
      `SELECT sealed_key FROM certificate WHERE name = 'secret.example'`,
      [],
    );
    expect(trellis.services.seal.open(sealed![0] as string)).toBe(key);
  });
});

describe('Team.certificates', () => {
  it('returns a connection ordered by name without reading the keys', async () => {
    const { teamId } = await createTeam(trellis);
    for (const name of ['c', 'a', 'b']) {
      await succeed(
        trellis,
        'addCertificate',
        { team: { teamId }, name, chain: real.leaf.pem, key: real.key },
        fields,
      );
    }
    trellis.statements.length = 0;
    const page = async (args: string) =>
      (
        await trellis.data(
          `{ team(by: { teamId: "${teamId}" }) { certificates(${args}) {
            totalCount nodes { name } pageInfo { hasNextPage endCursor } } } }`,
        )
      ).team.certificates;
    const first = await page('first: 2');
    expect(first).toMatchObject({ totalCount: 3, nodes: [{ name: 'a' }, { name: 'b' }] });
    const next = await page(`first: 2, after: "${first.pageInfo.endCursor}"`);
    expect(next).toMatchObject({ nodes: [{ name: 'c' }], pageInfo: { hasNextPage: false } });
    expect(trellis.statements.join('\n')).toContain('"certificate"');
    expect(trellis.statements.join('\n')).not.toContain('sealed_key');
  });

  it('is visible to members, can be changed by developers, and is hidden from others', async () => {
    const { certificate } = await add({ name: 'rights', chain: real.chain, key: real.key });
    const viewer = await createMember(trellis, team.teamId, 'VIEWER');
    const outsider = await createPerson(trellis);
    const developer = await createMember(trellis, team.teamId, 'DEVELOPER');
    const ref = { certificate: { certificateId: certificate.uid } };
    const query = `{ certificate(by: { certificateId: ${certificate.uid} }) { name } }`;
    expect((await trellis.data(query, {}, viewer.token)).certificate).toEqual({ name: 'rights' });
    const hidden = await trellis.graphql(query, {}, outsider.token);
    expect(hidden.errors?.[0]).toMatchObject({
      message: 'There is no such certificate.',
      extensions: { code: 'NOT_FOUND' },
    });
    const input = inTeam({ name: 'rights 2', chain: real.chain, key: real.key });
    const codes = async (token: string) => [
      (await attempt(trellis, 'addCertificate', input, '__typename', token)).code ?? 'ok',
      (await attempt(trellis, 'deleteCertificate', ref, '__typename', token)).code ?? 'ok',
    ];
    expect(await codes(viewer.token)).toEqual(['FORBIDDEN', 'FORBIDDEN']);
    expect(await codes(outsider.token)).toEqual(['NOT_FOUND', 'NOT_FOUND']);
    expect(await codes(developer.token)).toEqual(['ok', 'ok']);
  });
});

describe('deleteCertificate', () => {
  it('returns the deleted certificate, once', async () => {
    const { certificate } = await add({ name: 'gone', chain: real.chain, key: real.key });
    const input = { certificate: { id: certificate.id } };
    const tries = await Promise.all(
      Array.from({ length: 4 }, () => attempt(trellis, 'deleteCertificate', input, `${fields} team { uid }`)),
    );
    expect(tries.map((each) => each.code ?? 'ok').sort()).toEqual([...Array(3).fill('NOT_FOUND'), 'ok']);
    expect(tries.find((each) => !each.code)).toMatchObject({ certificate, team: { uid: team.teamId } });
  });

  it('refuses a certificate that rules use, and names their domains', async () => {
    const all = await createAll(trellis);
    const { certificate } = await succeed(
      trellis,
      'addCertificate',
      { team: { teamId: all.team.teamId }, chain: real.chain, key: real.key },
      fields,
    );
    const port = await trellis.services.db.transaction((tx) =>
      tx.port.findFirstOrThrow({ where: { componentId: all.component.componentId } }),
    );
    for (const domain of ['b.shop.example', 'a.shop.example']) {
      for (const path of ['/', '/more']) {
        await trellis.services.db.transaction((tx) =>
          tx.httpRule.create({
            data: {
              key: randomBytes(16).toString('hex'),
              regionId: all.region.regionId,
              applicationId: all.application.appId,
              componentId: all.component.componentId,
              portId: port.id,
              certificateId: certificate.uid,
              domain,
              path,
              isDefault: false,
              isPublished: false,
              createdAt: new Date(),
            },
          }),
        );
      }
    }
    const before = await trellis.counts();
    const ref = { certificate: { certificateId: certificate.uid } };
    expect(await attempt(trellis, 'deleteCertificate', ref)).toEqual({
      __typename: 'ConflictError',
      code: 'CONFLICT',
      message: 'The certificate shop.example is in use by the rules of a.shop.example, b.shop.example.',
    });
    const used = `{ certificate(by: { id: "${certificate.id}" }) {
      httpRules(first: 1) { totalCount pageInfo { hasNextPage } nodes { domain } }
    } }`;
    expect((await trellis.data(used)).certificate.httpRules).toEqual({
      totalCount: 4,
      pageInfo: { hasNextPage: true },
      nodes: [{ domain: 'a.shop.example' }],
    });
    expect(await trellis.counts()).toEqual(before);
    await trellis.services.db.transaction((tx) =>
      tx.httpRule.deleteMany({ where: { certificateId: certificate.uid } }),
    );
    await succeed(trellis, 'deleteCertificate', ref, fields);
  });

  it.each(['createHttpRule', 'updateHttpRule'])(
    'and %s at the same time: one of the two fails',
    async (name) => {
      const all = await createAll(trellis);
      const place = {
        application: { appId: all.application.appId },
        component: { componentId: all.component.componentId },
        portNumber: 8080,
        domain: 'a.shop.example',
      };
      for (let round = 1; round <= 10; round++) {
        const { certificate } = await succeed(
          trellis,
          'addCertificate',
          {
            team: { teamId: all.team.teamId },
            name: `round ${round}`,
            chain: real.leaf.pem,
            key: real.key,
          },
          fields,
        );
        const named = { certificate: { id: certificate.id } };
        let input: object = { ...place, path: `/${round}` };
        if (name === 'updateHttpRule') {
          const { rule } = await succeed(trellis, 'createHttpRule', input, 'rule { id }');
          input = { rule };
        }
        const [ruled, gone] = await Promise.all([
          attempt(trellis, name, { ...input, ...named }, 'rule { certificate { name } }'),
          attempt(trellis, 'deleteCertificate', named),
        ]);
        expect([ruled.code ?? ruled.rule.certificate?.name, gone.code ?? 'gone']).toEqual(
          ruled.code ? ['NOT_FOUND', 'gone'] : [certificate.name, 'CONFLICT'],
        );
      }
    },
  );
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
