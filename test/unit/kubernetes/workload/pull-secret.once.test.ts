import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DesiredComponent } from '../../../../src/drivers/region/desired.ts';
import { kindNamed } from '../../../support/kubernetes/api/kinds.ts';
import { type KubernetesUnderTest, kubernetesUnderTest } from '../../../support/kubernetes/driver.ts';
import { beforeNextCall } from '../../../support/kubernetes/next-call.ts';
import { desiredComponent } from '../../../support/region-driver-contract.ts';

let under: KubernetesUnderTest;
beforeAll(async () => {
  under = await kubernetesUnderTest();
});
afterAll(() => under.close());

let works = 0;
async function apply(component: DesiredComponent): Promise<void> {
  const id = ++works;
  const { signal } = new AbortController();
  for (let attempt = 1; attempt <= 500; attempt++) {
    const progress = await under.driver.apply(
      under.region,
      component,
      { id, job: id, attempt, elapsedMs: 0 },
      signal,
    );
    if (progress.isDone) return;
    await beforeNextCall();
  }
  throw new Error('not done');
}

const read = (kind: string, name: string) =>
  under.server.cluster.store.get(kindNamed(kind), 'trellis-team', name)?.object;

const podOf = ({ clusterName }: DesiredComponent) => read('Deployment', clusterName).spec.template;
const configIn = (secret: any) =>
  JSON.parse(Buffer.from(secret.data['.dockerconfigjson'], 'base64').toString());

describe('a component with a credential for its registry', () => {
  it('has it in a Secret, which follows a new password without new instances', async () => {
    const pullCredential = { host: 'registry.example:5000', username: 'robot', password: 'pässword\n"1"' };
    const component = desiredComponent('registry.example:5000/web:1', { pullCredential });
    await apply(component);
    const name = `${component.clusterName}-pull`;
    const template = podOf(component);
    expect(template.spec.imagePullSecrets).toEqual([{ name }]);
    const secret = read('Secret', name);
    expect(secret.type).toBe('kubernetes.io/dockerconfigjson');
    const { username, password } = pullCredential;
    const auth = Buffer.from(`${username}:${password}`).toString('base64');
    expect(configIn(secret)).toEqual({ auths: { 'registry.example:5000': { username, password, auth } } });

    const changed = { ...pullCredential, password: 'other' };
    await apply({ ...component, generation: 2, pullCredential: changed });
    expect(configIn(read('Secret', name)).auths['registry.example:5000'].password).toBe('other');
    expect(podOf(component)).toEqual(template);

    await apply({ ...component, generation: 3, pullCredential: null });
    expect(podOf(component).spec.imagePullSecrets ?? []).toEqual([]);
    expect(read('Secret', name)).toBeUndefined();
  });

  it('names Docker Hub as kubelets look for it', async () => {
    const pullCredential = { host: 'docker.io', username: 'robot', password: 'secret' };
    const component = desiredComponent('nginx:1', { pullCredential });
    await apply(component);
    const { auths } = configIn(read('Secret', `${component.clusterName}-pull`));
    expect(Object.keys(auths)).toEqual(['https://index.docker.io/v1/']);
  });
});
