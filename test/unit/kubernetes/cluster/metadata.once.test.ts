import { expect, it } from 'vitest';
import { metadataTypes } from '../../../../src/drivers/region/kubernetes/cluster/answers.ts';
import type { Answer } from '../../../support/kubernetes/api/status.ts';
import { Cluster } from '../../../support/kubernetes/cluster.ts';
import { kubernetesUnderTest } from '../../../support/kubernetes/driver.ts';
import { carryOutJob, plainComponent } from '../../../support/kubernetes/request-counts.ts';

it('a server sends the metadata of objects alone if it is asked for that', () => {
  const cluster = new Cluster({ hasKubelet: false });
  const get = (path: string, accept: string) =>
    cluster.handle({ method: 'GET', path: `/api/v1/namespaces/default/configmaps${path}`, accept }, 'admin');
  cluster.store.put('ConfigMap', { metadata: { name: 'one', namespace: 'default' }, data: { a: 'b' } });
  const metadata = expect.objectContaining({ name: 'one' });
  const partial = { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata };
  const list = get('', metadataTypes.list) as Answer;
  expect(list.body).toMatchObject({ kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1' });
  expect(list.body.items).toEqual([partial]);
  expect((get('/one', metadataTypes.object) as Answer).body).toEqual(partial);
  expect((get('/one', `application/xml, ${metadataTypes.object}`) as Answer).body).toEqual(partial);
  const events: object[] = [];
  const watch = get('?watch=true', metadataTypes.object);
  if ('start' in watch)
    watch.start(
      (event) => void events.push(event as object),
      () => {},
    )();
  expect(events).toEqual([{ type: 'ADDED', object: partial }]);
  for (const [path, accept] of [
    ['', metadataTypes.object],
    ['/one', metadataTypes.list],
    ['?watch=true', metadataTypes.list],
    ['', 'application/xml'],
  ] as const) {
    expect(get(path, accept)).toMatchObject({ status: 406, body: { reason: 'NotAcceptable' } });
  }
  cluster.stop();
});

it('the Kubernetes driver lists and watches ConfigMaps and Secrets without their content', async () => {
  const under = await kubernetesUnderTest({}, { stepMs: 1 });
  try {
    const accepted: [isWatch: boolean, accept: string | undefined][] = [];
    under.server.cluster.fault = ({ method, path, accept }) => {
      const isAll = method === 'GET' && /\/(configmaps|secrets)\?/.test(path);
      if (isAll) accepted.push([path.includes('watch=true'), accept]);
      return undefined;
    };
    const component = plainComponent();
    await carryOutJob(under, 'apply', [component]);
    await carryOutJob(under, 'remove', [component]);
    expect(accepted.map(([isWatch]) => isWatch)).toEqual(expect.arrayContaining([true, false]));
    for (const [isWatch, accept] of accepted) {
      expect(accept).toBe(isWatch ? metadataTypes.object : metadataTypes.list);
    }
  } finally {
    await under.close();
  }
});
