import { beforeAll, describe, expect, it } from 'vitest';
import { daysFromNow, type Issued, issue } from '../../support/certificates.ts';
import { createComponents, jobsOf, queued, useDriver } from '../../support/deploys.ts';
import type { All } from '../../support/fixtures.ts';
import { useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis({ drivers: [queued] });
let all: All;
const issued: Record<'first' | 'renewed' | 'narrow' | 'expired', Issued> = {} as never;

beforeAll(async () => {
  all = await trellis.createAll();
  const names = ['shop.example', '*.shop.example'];
  issued.first = await issue({ names });
  issued.renewed = await issue({
    names: ['*.shop.example', 'shop.example', 'new.example'],
    algorithm: 'rsa',
    until: daysFromNow(60),
  });
  issued.narrow = await issue({ names: ['a.shop.example'] });
  issued.expired = await issue({ names, from: daysFromNow(-9), until: daysFromNow(-1) });
});

const fields = 'certificate { id uid name names issuer expiresAt createdAt chain team { name } }';
let count = 0;

async function newCertificate(teamId = all.team.teamId) {
  const { pem, key } = issued.first;
  const input = { team: { teamId }, name: `certificate ${++count}`, chain: pem, key };
  return (await trellis.succeed('addCertificate', input, fields)).certificate;
}

const newRule = async (uid: number, domain: string, path: string) => {
  const { rule } = await trellis.succeed(
    'createHttpRule',
    {
      application: { appId: all.application.appId },
      component: { componentId: all.component.componentId },
      portNumber: 8080,
      domain,
      path,
      certificate: { certificateId: uid },
    },
    'rule { id }',
  );
  return rule.id as string;
};

const by = (uid: number, { pem, key }: { pem: string; key: string }) => ({
  certificate: { certificateId: uid },
  chain: pem,
  key,
});

const stored = async (uid: number) => {
  const { db, seal } = trellis.services;
  const row = await db.transaction((tx) => tx.certificate.findUniqueOrThrow({ where: { id: uid } }));
  return { ...row, key: seal.open(row.sealedKey) };
};

describe('replaceCertificate', () => {
  it('replaces the chain and key of a certificate that rules use, which keeps its id and name', async () => {
    const before = await newCertificate();
    const rule = await newRule(before.uid, 'www.shop.example', '/');
    const { certificate } = await trellis.succeed(
      'replaceCertificate',
      by(before.uid, issued.renewed),
      fields,
    );
    const { id, uid, name, createdAt, team } = before;
    expect(certificate).toMatchObject({ id, uid, name, createdAt, team });
    expect(certificate.names).toEqual(['*.shop.example', 'shop.example', 'new.example']);
    expect(certificate.chain).toBe(issued.renewed.pem.trimEnd().concat('\n'));
    expect(certificate.expiresAt).not.toBe(before.expiresAt);
    const node = await trellis.data(
      `{ node(id: "${rule}") { ... on HttpRule { certificate { uid issuer } } } }`,
    );
    expect(node.node.certificate).toEqual({ uid, issuer: certificate.issuer });
    expect((await stored(uid)).key).not.toBe(issued.first.key);
    const { events } = await trellis.data(
      `{ events(first: 2, objectType: "Certificate", objectUid: "${uid}") { nodes { action changes { field before: oldValue after: newValue } } } }`,
    );
    expect(events.nodes[0].action).toBe('certificate.replace');
    expect(events.nodes[0].changes).toEqual(
      expect.arrayContaining([
        { field: 'sealedKey', before: '[redacted]', after: '[redacted]' },
        { field: 'chain', before: before.chain, after: certificate.chain },
      ]),
    );
    expect(events.nodes[0].changes.map(({ field }: any) => field)).not.toContain('name');
  });

  it('changes nothing when the chain is the same', async () => {
    const { uid } = await newCertificate();
    const [before, counts] = [await stored(uid), await trellis.counts()];
    await trellis.succeed('replaceCertificate', by(uid, issued.first), fields);
    expect(await stored(uid)).toEqual(before);
    expect(await trellis.counts()).toEqual(counts);
  });

  it('refuses a chain that does not cover all rules, and names their domains', async () => {
    const { uid } = await newCertificate();
    for (const [domain, path] of [
      ['c.shop.example', '/1'],
      ['a.shop.example', '/2'],
      ['b.shop.example', '/3'],
      ['b.shop.example', '/4'],
    ] as const) {
      await newRule(uid, domain, path);
    }
    const before = await stored(uid);
    expect(await trellis.attempt('replaceCertificate', by(uid, issued.narrow))).toMatchObject({
      code: 'INVALID_INPUT',
      issues: [
        {
          path: ['input', 'chain'],
          message:
            'Must cover the domains of the HTTP rules that use the certificate. Not covered: b.shop.example, c.shop.example',
        },
      ],
    });
    expect(await stored(uid)).toEqual(before);
    // Without rules, other names are fine.
    const free = await newCertificate();
    const replaced = await trellis.succeed('replaceCertificate', by(free.uid, issued.narrow), fields);
    expect(replaced.certificate.names).toEqual(['a.shop.example']);
  });

  it('refuses an expired chain, a key that does not match, and what is no PEM', async () => {
    const { uid } = await newCertificate();
    const [before, counts] = [await stored(uid), await trellis.counts()];
    const { first, renewed, expired } = issued;
    for (const [content, paths] of [
      [expired, ['chain']],
      [{ pem: renewed.pem, key: first.key }, ['key']],
      [{ pem: 'x', key: 'y' }, ['chain', 'key']],
      [{ pem: renewed.key, key: renewed.pem }, ['chain', 'key']],
    ] as const) {
      const { code, issues } = await trellis.attempt('replaceCertificate', by(uid, content));
      expect(code).toBe('INVALID_INPUT');
      expect(issues.map((each: any) => each.path.join('.'))).toEqual(paths.map((path) => `input.${path}`));
    }
    expect(await stored(uid)).toEqual(before);
    expect(await trellis.counts()).toEqual(counts);
    expect(JSON.stringify(trellis.logged)).not.toContain('PRIVATE KEY');
  });

  it('is for developers of its team', async () => {
    const { teamId } = await trellis.createTeam();
    const { uid } = await newCertificate(teamId);
    const codes: unknown[] = [];
    for (const [role, team] of [
      ['VIEWER', teamId],
      ['OWNER', all.team.teamId],
      ['DEVELOPER', teamId],
    ] as const) {
      const { token } = await trellis.createMember(team, role);
      const input = by(uid, issued.renewed);
      codes.push((await trellis.attempt('replaceCertificate', input, '__typename', token)).code);
    }
    expect(codes).toEqual(['FORBIDDEN', 'NOT_FOUND', undefined]);
    const missing = by(2_000_000_000, issued.renewed);
    expect(await trellis.attempt('replaceCertificate', missing)).toMatchObject({ code: 'NOT_FOUND' });
  });

  it('has the components that use it applied again, in regions that carry out jobs', async () => {
    const place = await trellis.createPlace();
    await useDriver(trellis, place.region.regionId, 'queued');
    const { appId } = await trellis.createApplication(place);
    const { uid } = await newCertificate(place.team.teamId);
    const components = await createComponents(trellis, appId, {
      first: { deploy: true },
      second: { deploy: true },
      closed: { deploy: true },
      fresh: {},
      other: { deploy: true },
    });
    for (const [alias, componentId] of Object.entries(components)) {
      const component = { componentId };
      await trellis.addPort(componentId, 80);
      const rule = {
        application: { appId },
        component,
        portNumber: 80,
        domain: 'jobs.shop.example',
        path: `/${alias}`,
        certificate: alias === 'other' ? null : { certificateId: uid },
      };
      await trellis.succeed(
        'createHttpRule',
        { ...rule, opensPort: alias !== 'closed' },
        'rule { isPublished }',
      );
    }
    const before = await jobsOf(trellis, appId);
    await trellis.succeed('replaceCertificate', by(uid, issued.renewed), fields);
    const jobs = await jobsOf(trellis, appId);
    expect(jobs.length).toBe(before.length + 1);
    expect(jobs[0]).toMatchObject({ kind: 'configure', status: 'pending', teamId: place.team.teamId });
    expect(jobs[0]!.components.map(({ componentName }) => componentName)).toEqual(['first', 'second']);
    await trellis.succeed('replaceCertificate', by(uid, issued.renewed), fields);
    expect(await jobsOf(trellis, appId)).toHaveLength(jobs.length);
  });

  it('and createHttpRule at the same time: no rule is left with a certificate that does not cover it', async () => {
    for (let round = 1; round <= 6; round++) {
      const { uid } = await newCertificate();
      const rule = {
        application: { appId: all.application.appId },
        component: { componentId: all.component.componentId },
        portNumber: 8080,
        domain: 'z.shop.example',
        path: `/${round}`,
        certificate: { certificateId: uid },
      };
      const [ruled, replaced] = await Promise.all([
        trellis.attempt('createHttpRule', rule),
        trellis.attempt('replaceCertificate', by(uid, issued.narrow)),
      ]);
      expect([ruled.code, replaced.code].filter((code) => code !== undefined)).toEqual(['INVALID_INPUT']);
    }
  });
});
