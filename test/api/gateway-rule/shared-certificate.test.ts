import { beforeAll, describe, expect, it } from 'vitest';
import { issue } from '../../support/certificates.ts';
import { type All, unique } from '../../support/fixtures.ts';
import { tryApply } from '../../support/manifests.ts';
import { useTrellis } from '../../support/trellis.ts';

const trellis = useTrellis();
/** The application with a component that shares the domain, which the limited member does not see. */
let hidden: All;
let own: { appId: number; name: string; alias: string };
let token: string;
const domain = `www.${unique('shop')}.org`;
const certificates: Record<string, number> = {};
const rules: { shared: number; alone: number } = { shared: 0, alone: 0 };

const using = (name: string) => ({ certificate: { certificateId: certificates[name] } });

beforeAll(async () => {
  hidden = await trellis.createAll();
  const team = { teamId: hidden.team.teamId };
  for (const name of ['old', 'new']) {
    const { pem, key } = await issue({ names: [domain, `alone.${domain}`] });
    const input = { team, name, chain: pem, key };
    const { certificate } = await trellis.succeed('addCertificate', input, 'certificate { uid }');
    certificates[name] = certificate.uid;
  }
  const { appId, name } = await trellis.createApplication(hidden);
  const { componentId, alias } = await trellis.createComponent(appId);
  await trellis.addPort(componentId, 8080);
  own = { appId, name, alias };
  const person = await trellis.createPerson();
  const limited = { role: 'DEVELOPER', applications: [{ appId }] };
  await trellis.succeed('addTeamMember', { team, user: { email: person.email }, ...limited }, '__typename');
  token = person.token;
  const target = { application: { appId }, component: { componentId }, portNumber: 8080 };
  const add = async (input: object) =>
    (await trellis.succeed('createHttpRule', input, 'rule { uid }')).rule.uid as number;
  rules.shared = await add({ ...target, domain, path: '/own' });
  rules.alone = await add({ ...target, domain: `alone.${domain}` });
  const application = { appId: hidden.application.appId };
  await add({
    ...{ application, component: { componentId: hidden.component.componentId }, portNumber: 8080, domain },
    ...using('old'),
  });
});

const change = (uid: number, input: object, by?: string) =>
  trellis.attempt('updateHttpRule', { rule: { httpRuleId: uid }, ...input }, 'rule { uid }', by);
const refused = {
  code: 'CONFLICT',
  message: `The domain ${domain} is shared with a component that you cannot change, and has one certificate for all of its rules. Ask a person who can change all components of the team.`,
};

describe('the certificate of a domain that a component of others has as well', () => {
  it('is changed by those who may change all of its components', async () => {
    const before = await trellis.counts();
    expect(await change(rules.shared, using('new'), token)).toMatchObject(refused);
    expect(await trellis.counts()).toEqual(before);
    expect(await change(rules.alone, using('new'), token)).toMatchObject({ rule: { uid: rules.alone } });
    const developer = await trellis.createMember(hidden.team.teamId, 'DEVELOPER');
    const changed = await change(rules.shared, using('new'), developer.token);
    expect(changed).toMatchObject({ rule: { uid: rules.shared } });
    expect(await change(rules.shared, { certificate: null }, token)).toMatchObject(refused);
  });

  it.each([{ certificate: 'old' }, { autoSsl: true }])(
    'is not changed by a manifest of one of them: %o',
    async (secured) => {
      const route = { domain, path: '/own', component: own.alias, port: 8080, ...secured };
      const document = JSON.stringify({ application: own.name, routes: [route] });
      expect(await tryApply(trellis, hidden, document, {}, token)).toMatchObject({
        code: 'CONFLICT',
        message: expect.stringContaining(refused.message),
      });
      const developer = await trellis.createMember(hidden.team.teamId, 'DEVELOPER');
      const applied = await tryApply(trellis, hidden, document, {}, developer.token);
      expect(applied.code).toBeUndefined();
    },
  );
});
