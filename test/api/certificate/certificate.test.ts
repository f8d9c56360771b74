import { randomBytes, X509Certificate } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { issueChain } from '../../support/certificates.ts';
import { useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis();
let team: { teamId: string; name: string };
let real: Awaited<ReturnType<typeof issueChain>>;

beforeAll(async () => {
  team = await trellis.createTeam();
  real = await issueChain(['Shop.Example', '*.shop.example']);
});

const fields = 'certificate { id uid name names issuer expiresAt createdAt chain team { name } }';
const inTeam = (input: object) => ({ team: { teamId: team.teamId }, ...input });
const add = (input: object, selection = fields) =>
  trellis.succeed('addCertificate', inTeam(input), selection);

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

  it('refuses a name that the team already uses', async () => {
    const input = { name: 'taken', chain: real.chain, key: real.key };
    const tries = await Promise.all(
      Array.from({ length: 5 }, () => trellis.attempt('addCertificate', inTeam(input))),
    );
    expect(tries.map((each) => each.code ?? 'ok').sort()).toEqual([...Array(4).fill('CONFLICT'), 'ok']);
    expect(tries.find((each) => each.code).message).toBe(
      `The team ${team.name} already has a certificate named taken.`,
    );
    const elsewhere = await trellis.createTeam();
    await trellis.succeed('addCertificate', { ...input, team: { teamId: elsewhere.teamId } }, fields);
  });

  it('never exposes the key in an answer, an event, the log or the database', async () => {
    const { chain, key } = await issueChain(['secret.example']);
    const { certificate } = await add({ chain, key });
    const wrong = await trellis.attempt('addCertificate', inTeam({ chain: key, key: chain }));
    const misplaced = await trellis.graphql(
      'mutation M($input: AddCertificateInput!) { addCertificate(input: $input) { __typename } }',
      { input: inTeam({ chain, key: `${key}\u0000` }) },
    );
    const { team: read } = await trellis.data(
      `{ team(by: { teamId: "${team.teamId}" }) {
        certificates(first: 100) { nodes { id uid name names issuer chain } }
        events { nodes { action changes { field before: oldValue after: newValue } } } } }`,
    );
    await trellis.succeed('deleteCertificate', { certificate: { certificateId: certificate.uid } }, fields);
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
    const { teamId } = await trellis.createTeam();
    for (const name of ['c', 'a', 'b']) {
      await trellis.succeed(
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
    const viewer = await trellis.createMember(team.teamId, 'VIEWER');
    const outsider = await trellis.createPerson();
    const developer = await trellis.createMember(team.teamId, 'DEVELOPER');
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
      (await trellis.attempt('addCertificate', input, '__typename', token)).code ?? 'ok',
      (await trellis.attempt('deleteCertificate', ref, '__typename', token)).code ?? 'ok',
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
      Array.from({ length: 4 }, () => trellis.attempt('deleteCertificate', input, `${fields} team { uid }`)),
    );
    expect(tries.map((each) => each.code ?? 'ok').sort()).toEqual([...Array(3).fill('NOT_FOUND'), 'ok']);
    expect(tries.find((each) => !each.code)).toMatchObject({ certificate, team: { uid: team.teamId } });
  });

  it('refuses a certificate that rules use, and names their domains', async () => {
    const all = await trellis.createAll();
    const { certificate } = await trellis.succeed(
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
    expect(await trellis.attempt('deleteCertificate', ref)).toEqual({
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
    await trellis.succeed('deleteCertificate', ref, fields);
  });

  it.each(['createHttpRule', 'updateHttpRule'])(
    'and %s at the same time: one of the two fails',
    async (name) => {
      const all = await trellis.createAll();
      const place = {
        application: { appId: all.application.appId },
        component: { componentId: all.component.componentId },
        portNumber: 8080,
        domain: 'a.shop.example',
      };
      for (let round = 1; round <= 10; round++) {
        const { certificate } = await trellis.succeed(
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
          const { rule } = await trellis.succeed('createHttpRule', input, 'rule { id }');
          input = { rule };
        }
        const [ruled, gone] = await Promise.all([
          trellis.attempt(name, { ...input, ...named }, 'rule { certificate { name } }'),
          trellis.attempt('deleteCertificate', named),
        ]);
        expect([ruled.code ?? ruled.rule.certificate?.name, gone.code ?? 'gone']).toEqual(
          ruled.code ? ['NOT_FOUND', 'gone'] : [certificate.name, 'CONFLICT'],
        );
      }
    },
  );
});
