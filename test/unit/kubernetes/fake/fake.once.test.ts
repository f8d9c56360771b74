import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Request } from '../../../support/kubernetes/api/requests.ts';
import type { Answer } from '../../../support/kubernetes/api/status.ts';
import { Cluster } from '../../../support/kubernetes/cluster.ts';
import { scenes } from '../../../support/kubernetes/recorded-scenes.ts';

interface Exchange {
  step: string;
  request: Request & { user?: string };
  response: { status: number; body?: any };
}

/** Exchanges with a real API server that concern the driver, in the order in which they were recorded. */
const recordedIn = (name: string): Exchange[] =>
  JSON.parse(readFileSync(new URL(`../../../support/kubernetes/${name}`, import.meta.url), 'utf8'));

/** Values of their own on every server, and what only a node or a controller of another kind adds. */
const ownOfServer = ['managedFields', 'uid', 'clusterIP', 'clusterIPs', 'status', 'continue'];

/** The names in an object and the types of its values. Of a list, those of its first item. */
function shape(value: any): any {
  if (Array.isArray(value)) return value.slice(0, 1).map(shape);
  if (value === null || typeof value !== 'object') return typeof value;
  const names = Object.keys(value).filter((name) => !ownOfServer.includes(name));
  return Object.fromEntries(names.map((name) => [name, shape(value[name])]));
}

/** A failure without its message: clients must not read it. */
function told({ reason, details: { causes, ...details } = {} as any }: any): object {
  const fields = (causes ?? []).map((cause: any) => `${cause.reason} ${cause.field}`).sort();
  return { reason, details, fields };
}

const view = ({ status, body }: Exchange['response']) => ({
  status,
  body: typeof body !== 'object' ? 'text' : body.status === 'Failure' ? told(body) : shape(body),
});

/** Replaces the ids and versions of the recording with those of the fake, in what is sent. */
function translated(value: any, known: Map<string, string>): any {
  if (Array.isArray(value)) return value.map((each) => translated(each, known));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => {
      const isOwn = name === 'uid' || name === 'resourceVersion';
      return [name, isOwn ? (known.get(`${name} ${each}`) ?? each) : translated(each, known)];
    }),
  );
}

describe('the fake API server', () => {
  it.each([
    { name: 'recorded.json', count: 300 },
    { name: 'recorded-autoscaling.json', count: 15 },
    { name: 'recorded-jobs.json', count: 25 },
    { name: 'recorded-budgets.json', count: 15 },
    { name: 'recorded-pod-security.json', count: 25 },
  ])('answers as a real one did: $name', ({ name, count }) => {
    const recorded = recordedIn(name);
    const cluster = new Cluster({ hasKubelet: false, hasProvisioner: false });
    const verbs = ['get', 'list', 'watch'];
    const inRole = { namespaces: ['rbac'] };
    const rules = [
      { verbs, groups: [''], resources: ['pods', 'configmaps'], ...inRole },
      { verbs: ['get', 'patch'], groups: ['apps'], resources: ['deployments'], ...inRole },
    ];
    cluster.users.set('limited', { name: 'limited', rules });
    const known = new Map<string, string>();
    for (const { step, request, response } of recorded) {
      const namespace = /namespaces\/([^/?]+)\//.exec(request.path)?.[1];
      const isNew = namespace && namespace !== 'nope' && namespace !== 'stuck' && namespace !== 'dying';
      const namespaces = cluster.handle(
        { method: 'GET', path: `/api/v1/namespaces/${namespace}` },
        'admin',
      ) as Answer;
      if (isNew && namespaces.status === 404)
        cluster.store.put('Namespace', { metadata: { name: namespace } });
      cluster.settle();
      scenes[step]?.(cluster);
      const body = translated(request.body, known);
      const token =
        { limited: 'limited', anonymous: undefined }[request.user ?? ''] ??
        (request.user ? undefined : 'admin');
      const answer = cluster.handle({ ...request, body }, token) as Answer;
      for (const name of ['uid', 'resourceVersion']) {
        const was = response.body?.metadata?.[name];
        if (was) known.set(`${name} ${was}`, answer.body?.metadata?.[name]);
      }
      expect
        .soft(view(answer), `${step}\n${JSON.stringify(answer.body).slice(0, 500)}`)
        .toEqual(view(response));
    }
    cluster.stop();
    expect(recorded.length).toBeGreaterThan(count);
  });
});
