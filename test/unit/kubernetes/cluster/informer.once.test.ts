import { describe, expect, it } from 'vitest';
import type { Client } from '../../../../src/drivers/region/kubernetes/cluster/client.ts';
import { Informer } from '../../../../src/drivers/region/kubernetes/cluster/informer.ts';
import type { KubernetesObject } from '../../../../src/drivers/region/kubernetes/objects/objects.ts';

type Heard = (type: string, object: KubernetesObject) => void;

const pod = (uid: string, resourceVersion: string): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: uid, uid, resourceVersion },
});

/** An informer of these pods, and what its watch tells it next. */
async function startInformer(items: KubernetesObject[]) {
  const ended = new AbortController();
  const informer = new Informer('Pod', '', {
    changed: () => {},
    failed: () => {},
    listed: () => {},
    isIn: () => true,
  });
  const heard = await new Promise<Heard>((watches) => {
    const client = {
      list: async () => ({ items, metadata: { resourceVersion: '1' } }),
      watch: (_kind: string, _query: object, hear: Heard) => {
        watches(hear);
        return new Promise(() => {});
      },
    } as unknown as Client;
    void informer.run(client, ended.signal);
  });
  return { informer, heard, names: () => [...informer].map(({ metadata }) => metadata.name) };
}

describe('an informer', () => {
  it('does not bring back what went while a read that has it was under way', async () => {
    const { informer, heard, names } = await startInformer([pod('old', '1'), pod('new', '2')]);
    const { events } = informer;
    heard('MODIFIED', pod('old', '3'));
    heard('DELETED', pod('old', '4'));
    informer.see([pod('old', '3'), pod('new', '2')], () => true, events);
    expect(names()).toEqual(['new']);
  });

  it('has what comes back after it was no longer among its objects', async () => {
    const { informer, heard, names } = await startInformer([pod('one', '1')]);
    heard('DELETED', pod('one', '2'));
    heard('ADDED', pod('one', '3'));
    informer.see([pod('one', '4')], () => true, informer.events);
    expect(names()).toEqual(['one']);
  });
});
