import { describe, expect, it } from 'vitest';
import { kindNamed } from '../../../support/kubernetes/api/kinds.ts';
import { Cluster } from '../../../support/kubernetes/cluster.ts';

const path = '/apis/apps/v1/namespaces/ns/statefulsets/db';

/** A cluster whose time passes when a test lets it, with a StatefulSet `db` of two pods. */
function start() {
  const cluster = new Cluster();
  cluster.store.put('Namespace', { metadata: { name: 'ns' } });
  const send = (method: string, at: string, body: object = {}, contentType = 'application/json') => {
    const answer = cluster.handle({ method, path: at, contentType, body }, 'admin');
    expect((answer as { status: number }).status).toBeLessThan(300);
    cluster.pass(40);
  };
  const apply = (tag: string, claims: string[]) =>
    send(
      'PATCH',
      `${path}?fieldManager=test`,
      {
        apiVersion: 'apps/v1',
        kind: 'StatefulSet',
        metadata: { name: 'db' },
        spec: {
          replicas: 2,
          serviceName: 'db',
          selector: { matchLabels: { app: 'db' } },
          template: {
            metadata: { labels: { app: 'db' } },
            spec: {
              containers: [
                {
                  name: 'main',
                  image: `registry.example/db:${tag}`,
                  volumeMounts: claims.map((name) => ({ name, mountPath: `/${name}` })),
                },
              ],
            },
          },
          volumeClaimTemplates: claims.map((name) => ({
            metadata: { name },
            spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
          })),
        },
      },
      'application/apply-patch+yaml',
    );
  const { store } = cluster;
  return {
    apply,
    send,
    status: () => store.get(kindNamed('StatefulSet'), 'ns', 'db')!.object.status,
    names: (kind: string) => store.list(kindNamed(kind), 'ns').map(({ metadata }) => metadata.name),
    deletePod: (name: string) => send('DELETE', `/api/v1/namespaces/ns/pods/${name}`),
    warnings: () => store.list(kindNamed('Event'), 'ns').map(({ reason }) => reason),
  };
}

describe('a StatefulSet of the cluster of tests', () => {
  it('adopts pods that lack a claim, and creates none after the first of them', () => {
    const { apply, send, status, names, deletePod, warnings } = start();
    apply('1', ['data']);
    send('DELETE', path, { propagationPolicy: 'Orphan' });
    apply('1', ['data', 'files']);
    const { currentRevision, updateRevision, ...counts } = status();
    expect(currentRevision).toBe(updateRevision);
    expect(counts).toMatchObject({ replicas: 2, readyReplicas: 2 });
    expect(counts.updatedReplicas).toBeUndefined();
    expect(warnings()).toEqual(['FailedUpdate']);
    expect(names('PersistentVolumeClaim')).toEqual(['data-db-0', 'data-db-1', 'files-db-0']);
    deletePod('db-1');
    expect(names('Pod')).toEqual(['db-0']);
    deletePod('db-0');
    expect(names('Pod')).toEqual(['db-0', 'db-1']);
    expect(status()).toMatchObject({ updatedReplicas: 2, readyReplicas: 2 });
    expect(names('PersistentVolumeClaim')).toContain('files-db-1');
  });
});
