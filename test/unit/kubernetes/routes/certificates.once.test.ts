import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DesiredComponent, DesiredHttpRule } from '../../../../src/drivers/region/desired.ts';
import { platform } from '../../../support/kubernetes/api/access.ts';
import { kindNamed } from '../../../support/kubernetes/api/kinds.ts';
import { type KubernetesUnderTest, kubernetesUnderTest } from '../../../support/kubernetes/driver.ts';
import { beforeNextCall } from '../../../support/kubernetes/next-call.ts';
import { desiredComponent } from '../../../support/region-driver-contract.ts';

const { signal } = new AbortController();
const patience = { timeout: 60_000, interval: 20 };
let works = 0;

const own = { name: 'own', chain: 'chain', key: 'key' };

function describeCertificates(
  name: string,
  settings: Parameters<typeof kubernetesUnderTest>[0],
  hasGatewayApi: boolean,
) {
  describe(`certificates from a cluster ${name}`, () => {
    let under: KubernetesUnderTest;
    beforeAll(async () => {
      under = await kubernetesUnderTest(
        { certificateIssuer: 'letsencrypt', ...settings },
        { hasGatewayApi, issuers: ['letsencrypt', 'internal'] },
      );
      under.server.cluster.users.set('admin', platform());
    });
    afterAll(() => under.close());

    async function carryOut(method: 'apply' | 'remove', component: DesiredComponent): Promise<void> {
      under.components.set(component.id, component);
      if (method === 'remove') under.components.delete(component.id);
      const id = ++works;
      for (let attempt = 1; ; attempt++) {
        const work = { id, job: id, attempt, elapsedMs: 0 };
        if ((await under.driver[method](under.region, component, work, signal)).isDone) return;
        await beforeNextCall();
      }
    }

    const secured = (rule: Partial<DesiredHttpRule> = {}, given: Partial<DesiredComponent> = {}) => {
      const component = desiredComponent('nginx:1.29', { replicas: 1, tcpRules: [], ...given });
      const [first] = component.httpRules as [DesiredHttpRule];
      return { ...component, httpRules: [{ ...first, autoSsl: true, ...rule }] };
    };
    const changed = (component: DesiredComponent, rule: Partial<DesiredHttpRule>) => ({
      ...component,
      generation: component.generation + 1,
      httpRules: component.httpRules.map((each) => ({ ...each, ...rule })),
    });
    const domainOf = ({ httpRules: [rule] }: DesiredComponent) => rule!.domain;
    const listed = (kind: string) => under.server.cluster.store.list(kindNamed(kind), 'trellis-team');
    const requestsFor = (domain: string) =>
      listed('Certificate').filter(({ spec }) => spec.dnsNames.includes(domain));
    const secretsNamed = (secretName: string) =>
      listed('Secret').filter(({ metadata }) => metadata.name === secretName);
    const stateOf = async (component: DesiredComponent) =>
      (await under.driver.certificates!.issued(under.region.id, 'team', signal)).of({
        component,
        domain: domainOf(component),
      });
    /** The Secret that requests for a domain are decrypted with. */
    const servedBy = (domain: string): string | undefined =>
      hasGatewayApi
        ? listed('Gateway')
            .flatMap(({ spec }) => spec.listeners)
            .find(({ hostname }) => hostname === domain)?.tls.certificateRefs[0].name
        : listed('Ingress')
            .flatMap(({ spec }) => spec.tls ?? [])
            .find(({ hosts }) => hosts.includes(domain))?.secretName;

    it('are requested for a rule, and removed with it and its Secret', async () => {
      const component = secured();
      const domain = domainOf(component);
      expect(await stateOf(component)).toMatchObject({ state: 'pending', expiresAt: null });
      await carryOut('apply', component);
      const [request, ...more] = requestsFor(domain);
      expect(more).toEqual([]);
      expect(request.spec).toEqual({
        secretName: request.metadata.name,
        dnsNames: [domain],
        issuerRef: { group: 'cert-manager.io', kind: 'ClusterIssuer', name: 'letsencrypt' },
      });
      expect(servedBy(domain)).toBe(request.metadata.name);
      await expect.poll(() => stateOf(component), patience).toMatchObject({ state: 'ready', reason: null });
      expect((await stateOf(component)).expiresAt!.getTime()).toBeGreaterThan(Date.now());
      expect(secretsNamed(request.metadata.name)).toHaveLength(1);
      // A second deploy changes nothing but the number of the job, and nothing is missed.
      await carryOut('apply', { ...component, generation: 2 });
      const { uid, generation } = request.metadata;
      expect(requestsFor(domain)).toMatchObject([{ metadata: { uid, generation }, spec: request.spec }]);
      expect(await under.driver.drift(under.region, component, signal)).toEqual({ changed: [], refused: [] });
      await carryOut('apply', changed(component, { autoSsl: false }));
      expect(requestsFor(domain)).toEqual([]);
      expect(secretsNamed(request.metadata.name)).toEqual([]);
      expect(servedBy(domain)).toBeUndefined();
    });

    it('are removed with the component', async () => {
      const component = secured();
      await carryOut('apply', component);
      await expect.poll(() => stateOf(component), patience).toMatchObject({ state: 'ready' });
      const [request] = requestsFor(domainOf(component));
      await carryOut('remove', component);
      expect(requestsFor(domainOf(component))).toEqual([]);
      expect(secretsNamed(request.metadata.name)).toEqual([]);
    });

    it('give way to one that is given, and come back', async () => {
      const component = secured();
      const domain = domainOf(component);
      await carryOut('apply', component);
      await expect.poll(() => stateOf(component), patience).toMatchObject({ state: 'ready' });
      await carryOut('apply', changed(component, { certificate: own }));
      expect(requestsFor(domain)).toEqual([]);
      const [given] = secretsNamed(servedBy(domain)!);
      expect(given.data['tls.key']).toBe(Buffer.from('key').toString('base64'));
      expect(given.metadata.labels['app.kubernetes.io/managed-by']).toBe('trellis');
      await carryOut('apply', component);
      await expect.poll(() => stateOf(component), patience).toMatchObject({ state: 'ready' });
      await expect
        .poll(() => secretsNamed(servedBy(domain)!).map(({ data }) => data['tls.crt']), patience)
        .toEqual([Buffer.from(`certificate of ${domain}`).toString('base64')]);
    });

    it('say why they are not there', async () => {
      const component = secured();
      under.region.cluster.certificateIssuer = 'Issuer/missing';
      await carryOut('apply', component);
      const [{ spec }] = requestsFor(domainOf(component));
      expect(spec.issuerRef).toEqual({ group: 'cert-manager.io', kind: 'Issuer', name: 'missing' });
      await expect
        .poll(() => stateOf(component), patience)
        .toEqual({
          state: 'pending',
          reason: 'Issuing certificate as Secret does not exist',
          expiresAt: null,
        });
      under.region.cluster.certificateIssuer = 'refusing';
      await carryOut('apply', { ...component, generation: 2 });
      await expect
        .poll(() => stateOf(component), patience)
        .toMatchObject({ state: 'failed', reason: expect.stringContaining('Failed to wait for order') });
      under.region.cluster.certificateIssuer = 'letsencrypt';
      await carryOut('apply', { ...component, generation: 3 });
      await expect.poll(() => stateOf(component), patience).toMatchObject({ state: 'ready' });
    });

    it('are put back when somebody deletes the request', async () => {
      const component = secured();
      await carryOut('apply', component);
      const [request] = requestsFor(domainOf(component));
      under.server.cluster.store.remove(kindNamed('Certificate'), request);
      const { changed: found } = await under.driver.drift(under.region, component, signal);
      expect(found).toEqual([`Certificate ${request.metadata.name}`]);
    });

    it('are among what is left in a cluster, and removed with their Secrets', async () => {
      const component = secured();
      await carryOut('apply', component);
      await expect.poll(() => stateOf(component), patience).toMatchObject({ state: 'ready' });
      const { objects } = under.driver;
      const found = (await objects!.list(under.region.id, signal)).filter(
        ({ kind, componentIds }) => kind === 'Certificate' && componentIds.includes(component.id),
      );
      expect(found).toHaveLength(1);
      await objects!.remove(under.region.id, found, signal);
      expect(requestsFor(domainOf(component))).toEqual([]);
      expect(secretsNamed(found[0]!.name)).toEqual([]);
    });
  });
}

describeCertificates('with Gateway API', {}, true);
describeCertificates('without Gateway API', { gatewayClass: null }, false);

describe('a domain of two components', () => {
  it('has one certificate, until the last of them is gone', async () => {
    const under = await kubernetesUnderTest({ certificateIssuer: 'test' }, { issuers: ['test'] });
    try {
      const domain = 'shared.example.com';
      const [one, other] = [0, 1].map((): DesiredComponent => {
        const component = desiredComponent('nginx:1.29', { replicas: 1, tcpRules: [] });
        const httpRules = component.httpRules.map((rule) => ({ ...rule, autoSsl: true, domain }));
        return { ...component, httpRules };
      }) as DesiredComponent[];
      const carryOut = async (method: 'apply' | 'remove', component: DesiredComponent) => {
        if (method === 'apply') under.components.set(component.id, component);
        else under.components.delete(component.id);
        const id = ++works;
        for (let attempt = 1; ; attempt++) {
          const work = { id, job: id, attempt, elapsedMs: 0 };
          if ((await under.driver[method](under.region, component, work, signal)).isDone) return;
          await beforeNextCall();
        }
      };
      const requests = () => under.server.cluster.store.list(kindNamed('Certificate'));
      await carryOut('apply', one!);
      await carryOut('apply', other!);
      expect(requests()).toHaveLength(1);
      await carryOut('remove', one!);
      expect(requests()).toHaveLength(1);
      await carryOut('remove', other!);
      expect(requests()).toEqual([]);
    } finally {
      await under.close();
    }
  });
});

describe('a cluster without cert-manager', () => {
  it('has the rule without a certificate, and says what is missing', async () => {
    const under = await kubernetesUnderTest({ certificateIssuer: 'letsencrypt' });
    try {
      const component = desiredComponent('nginx:1.29', { replicas: 1, tcpRules: [] });
      const httpRules = component.httpRules.map((rule) => ({ ...rule, autoSsl: true }));
      for (let attempt = 1; ; attempt++) {
        const work = { id: 0, job: 0, attempt, elapsedMs: 0 };
        const given = { ...component, httpRules };
        if ((await under.driver.apply(under.region, given, work, signal)).isDone) break;
        await beforeNextCall();
      }
      const [route] = under.server.cluster.store.list(kindNamed('HTTPRoute'));
      expect(route.spec.parentRefs).toEqual([
        { group: 'gateway.networking.k8s.io', kind: 'Gateway', name: 'trellis', sectionName: 'http' },
      ]);
      expect(route.metadata.annotations['trellis.dev/not-applied']).toBe('autoSsl');
      const { certificates } = under.driver;
      const missing = expect.stringContaining('no cert-manager');
      expect(await certificates!.missing(under.region.id, signal)).toEqual(missing);
      const issued = await certificates!.issued(under.region.id, 'team', signal);
      expect(issued.of({ component, domain: httpRules[0]!.domain })).toEqual({
        state: 'failed',
        reason: missing,
        expiresAt: null,
      });
    } finally {
      await under.close();
    }
  });
});
