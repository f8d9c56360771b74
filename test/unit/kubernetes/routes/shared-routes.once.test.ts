import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DesiredComponent } from '../../../../src/drivers/region/desired.ts';
import type { RegionDriver } from '../../../../src/drivers/region/driver.ts';
import { unique } from '../../../support/fixtures.ts';
import { kindNamed } from '../../../support/kubernetes/api/kinds.ts';
import { type KubernetesUnderTest, kubernetesUnderTest } from '../../../support/kubernetes/driver.ts';
import { beforeNextCall } from '../../../support/kubernetes/next-call.ts';
import { desiredComponent } from '../../../support/region-driver-contract.ts';

let under: KubernetesUnderTest;
beforeAll(async () => {
  under = await kubernetesUnderTest();
});
afterAll(() => under.close());

const { signal } = new AbortController();
let works = 0;

async function carryOut(
  method: 'apply' | 'remove',
  component: DesiredComponent,
  driver: RegionDriver = under.driver,
): Promise<void> {
  const id = ++works;
  for (let attempt = 1; ; attempt++) {
    const progress = await driver[method](
      under.region,
      component,
      { id, job: id, attempt, elapsedMs: 0 },
      signal,
    );
    if (progress.isDone) return;
    await beforeNextCall();
  }
}

type Change = Partial<DesiredComponent['httpRules'][number]>;

/** A component whose only rule is this, as it is desired from now on. */
function desire(rule: Change, given: Partial<DesiredComponent> = {}): DesiredComponent {
  const plain = { replicas: 1, variables: [], volumes: [], tcpRules: [] };
  const component = desiredComponent('nginx:1.29', { ...plain, ...given });
  return change(component, { httpRules: [{ ...component.httpRules[0]!, ...rule }] });
}

function change(component: DesiredComponent, changes: Partial<DesiredComponent>): DesiredComponent {
  const changed = { ...component, ...changes, generation: component.generation + 1 };
  under.components.set(changed.id, changed);
  return changed;
}

const reweighted = (component: DesiredComponent, weight: number) =>
  change(component, { httpRules: component.httpRules.map((rule) => ({ ...rule, weight })) });

const listed = (kind: string, teamId = 'team') =>
  under.server.cluster.store.list(kindNamed(kind), `trellis-${teamId}`);

/** The routes of a domain: the Services behind each, with their weights. */
const routesOf = (domain: string, teamId?: string) =>
  listed('HTTPRoute', teamId)
    .filter(({ spec }) => spec.hostnames.includes(domain))
    .map(({ spec }) =>
      Object.fromEntries(spec.rules[0].backendRefs.map(({ name, weight }: any) => [name, weight])),
    );

const backend = ({ alias }: DesiredComponent) => `${alias}-backend`;

const newDomain = () => `${unique('d')}.example.com`;

describe('components with rules for the same requests', () => {
  it('share a route by weight, until the last of them is gone', async () => {
    const domain = newDomain();
    let one = desire({ domain, weight: 80 });
    await carryOut('apply', one);
    expect(routesOf(domain)).toEqual([{ [backend(one)]: 80 }]);
    let two = desire({ domain, weight: 20 });
    // What has no Service yet cannot answer.
    await carryOut('apply', one);
    expect(routesOf(domain)).toEqual([{ [backend(one)]: 80 }]);
    await carryOut('apply', two);
    expect(routesOf(domain)).toEqual([{ [backend(one)]: 80, [backend(two)]: 20 }]);

    two = reweighted(two, 50);
    await carryOut('apply', two);
    expect(routesOf(domain)).toEqual([{ [backend(one)]: 80, [backend(two)]: 50 }]);
    one = change(one, { state: 'closed' });
    await carryOut('apply', one);
    expect(routesOf(domain)).toEqual([{ [backend(two)]: 50 }]);
    one = change(one, { state: 'running' });
    await carryOut('apply', one);
    expect(routesOf(domain)).toEqual([{ [backend(one)]: 80, [backend(two)]: 50 }]);

    under.components.delete(two.id);
    await carryOut('remove', two);
    expect(routesOf(domain)).toEqual([{ [backend(one)]: 80 }]);
    one = change(one, { httpRules: [] });
    await carryOut('apply', one);
    expect(routesOf(domain)).toEqual([]);
  });

  it('are told apart by path, headers and cookies, as the cluster tells them apart', async () => {
    const domain = newDomain();
    const apart = [{}, { path: '/a' }, { header: 'X-A=1;X-B=2' }, { cookie: 'a=1' }].map((rule) =>
      desire({ domain, ...rule }),
    );
    for (const component of apart) await carryOut('apply', component);
    expect(routesOf(domain).length).toBe(4);
    const alike = [{ path: '/a/' }, { header: 'x-b=2; x-a=1' }].map((rule) => desire({ domain, ...rule }));
    for (const component of alike) await carryOut('apply', component);
    const counts = routesOf(domain).map((backends) => Object.keys(backends).length);
    expect(counts.sort()).toEqual([1, 1, 2, 2]);
  });

  it('lose nobody when several processes apply them at once', async () => {
    const domain = newDomain();
    const components = Array.from({ length: 5 }, (_, index) => desire({ domain, weight: index + 1 }));
    const drivers = [under.driver, under.another()];
    const applyAll = () =>
      Promise.all(components.map((each, index) => carryOut('apply', each, drivers[index % 2])));
    await applyAll();
    const expected = (of = components) =>
      Object.fromEntries(of.map((each) => [backend(each), each.httpRules[0]!.weight]));
    expect(routesOf(domain)).toEqual([expected()]);
    for (const [index, each] of components.entries()) components[index] = reweighted(each, 20 + index);
    await applyAll();
    expect(routesOf(domain)).toEqual([expected()]);
    for (const [index, each] of components.slice(0, 3).entries()) {
      components[index] = change(each, { state: 'closed' });
    }
    await applyAll();
    expect(routesOf(domain)).toEqual([expected(components.slice(3))]);
    for (const { id } of components) under.components.delete(id);
    await Promise.all(components.map((each, index) => carryOut('remove', each, drivers[index % 2])));
    expect(routesOf(domain)).toEqual([]);
  });

  it.each([[true], [false]])('never get older rules than they have (route exists: %s)', async (exists) => {
    const domain = newDomain();
    const one = desire({ domain, weight: 80 });
    let two = desire({ domain, weight: 20 });
    if (exists) for (const each of [one, two]) await carryOut('apply', each);
    // Another process has read the rules, and writes them only after the next ones were applied.
    const slow = under.another();
    const written: unknown[] = [];
    let reads = 0;
    under.readOthers = async (read) => {
      const rules = await read();
      // The first read looks for what cannot be expressed.
      if (++reads !== 2) return rules;
      two = reweighted(two, 50);
      await carryOut('apply', two);
      under.server.cluster.fault = ({ method, path }) => {
        if (method === 'PATCH' && path.includes('/httproutes/')) written.push(routesOf(domain));
        return undefined;
      };
      return rules;
    };
    await carryOut('apply', exists ? one : change(one, {}), slow);
    under.readOthers = undefined;
    under.server.cluster.fault = undefined;
    expect(routesOf(domain)).toEqual([{ [backend(one)]: 80, [backend(two)]: 50 }]);
    expect(written.length).toBeGreaterThan(1);
    if (exists)
      for (const routes of written) expect(routes).toEqual([{ [backend(one)]: 80, [backend(two)]: 50 }]);
  });

  it('lose nobody who comes while the first one makes their route', async () => {
    const domain = newDomain();
    const [one, two] = [desire({ domain, weight: 80 }), desire({ domain, weight: 20 })];
    let second: Promise<void> | undefined;
    // The first write has to wait, and is sent again when the other component has been applied.
    under.server.cluster.fault = ({ method, path }) => {
      if (second || method !== 'PATCH' || !path.includes('/httproutes/')) return undefined;
      second = carryOut('apply', two, under.another());
      const headers = { 'content-type': 'text/plain', 'retry-after': '1' };
      return { status: 429, body: 'Too many requests, please try again later.\n', headers };
    };
    await carryOut('apply', one);
    await second;
    under.server.cluster.fault = undefined;
    expect(routesOf(domain)).toEqual([{ [backend(one)]: 80, [backend(two)]: 20 }]);
  });

  it('of another team have a route of their own', async () => {
    const domain = newDomain();
    const mine = desire({ domain });
    const theirs = desire({ domain }, { teamId: 'other' });
    for (const each of [mine, theirs]) await carryOut('apply', each);
    expect(routesOf(domain)).toEqual([{ [backend(mine)]: 100 }]);
    expect(routesOf(domain, 'other')).toEqual([{ [backend(theirs)]: 100 }]);
  });

  it('share the certificate and the listener of their domain', async () => {
    const domain = newDomain();
    const certificate = (name: string) => ({ name, chain: `chain of ${name}`, key: `key of ${name}` });
    let one = desire({ domain, certificate: certificate('a') });
    const two = desire({ domain, certificate: certificate('b') });
    for (const each of [one, two]) await carryOut('apply', each);
    const secrets = () => {
      const name = listeners()[0]?.tls.certificateRefs[0].name;
      return listed('Secret')
        .filter(({ metadata }) => metadata.name === name)
        .map(({ data }) => Buffer.from(data['tls.crt'], 'base64').toString());
    };
    const listeners = () =>
      listed('Gateway')
        .find(({ metadata }) => metadata.name === 'trellis')!
        .spec.listeners.filter(({ hostname }: any) => hostname === domain);
    expect([listeners().length, secrets()]).toEqual([1, ['chain of a']]);
    one = change(one, { state: 'closed' });
    await carryOut('apply', one);
    expect([listeners().length, secrets()]).toEqual([1, ['chain of b']]);
    const [route] = listed('HTTPRoute').filter(({ spec }) => spec.hostnames.includes(domain));
    expect(route.spec.parentRefs).toMatchObject([{ name: 'trellis', sectionName: listeners()[0].name }]);
    const [{ name: secret }] = listeners()[0].tls.certificateRefs;
    under.components.delete(two.id);
    await carryOut('remove', two);
    expect(listeners()).toEqual([]);
    expect(listed('Secret').map(({ metadata }) => metadata.name)).not.toContain(secret);
  });

  it('are refused what would change the meaning of an earlier rule', async () => {
    const domain = newDomain();
    const first = desire({ domain });
    await carryOut('apply', first);
    const rewriting = desire({ domain, pathRewrite: true });
    await expect(carryOut('apply', rewriting)).rejects.toMatchObject({
      isPermanent: true,
      message: `The cluster cannot express a path rewrite of its own of the rule for ${domain}/.`,
    });
    await carryOut('apply', first);
    expect(routesOf(domain)).toEqual([{ [backend(first)]: 100 }]);
  });
});
