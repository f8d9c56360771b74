import { expect, it } from 'vitest';
import type { DesiredComponent } from '../../src/drivers/region/desired.ts';
import { componentObjects } from '../../src/drivers/region/kubernetes/component/objects.ts';
import {
  domainCertificatesOf,
  domainSecretsOf,
  httpRouteOf,
  routeName,
  rulesBy,
} from '../../src/drivers/region/kubernetes/routes/http.ts';
import { anywhere } from '../../src/drivers/region/placement.ts';
import { inputsToName, namedFields, namingInputs } from '../support/named-fields.ts';
import { desiredComponent } from '../support/region-driver-contract.ts';

const volume = {
  ...{
    path: '/data',
    type: 'share-file',
    fileContent: '',
    sharePolicy: null,
    capacityGiB: 1,
    accessMode: 'rwx',
  },
};

/** Components with everything that objects can be made of. */
function shapes(): DesiredComponent[] {
  const made = desiredComponent('registry.example:5000/web:1.0', {
    clusterName: 'web',
    serviceName: 'inner',
  });
  const certificate = { name: 'own', chain: 'a chain', key: 'a key' };
  const own = { ...made.httpRules[0]!, domain: 'www.example', path: '/a', certificate };
  const issued = { ...own, id: own.id + 1, domain: 'issued.example', autoSsl: true, certificate: null };
  const whole: DesiredComponent = {
    ...made,
    command: 'run',
    autoscaling: { minReplicas: 2, maxReplicas: 3, cpuPercent: 50, memoryPercent: 50 },
    pullCredential: { host: 'registry.example:5000', username: 'robot', password: 'hunter2' },
    placement: { ...anywhere, minAvailable: 1 },
    volumes: [...made.volumes, { ...volume, name: 'data' }],
    dependencies: ['another'],
    ports: made.ports.map((port) => ({ ...port, additionalName: `port-${port.number}` })),
    httpRules: [own, issued],
  };
  return [whole, { ...whole, autoscaling: null, extendMethod: 'state' }];
}

const cluster = {
  ...{
    storageClass: null,
    sharedStorageClass: null,
    room: undefined,
    minReadySeconds: 0,
    hasBudgets: true,
    hasSleep: true,
  },
  ...{ restarted: undefined, certificateIssuer: 'test' },
};
const settings = [
  { ...cluster, gatewayClass: 'gateway', ingressClass: null, hasTcpRoutes: true },
  { ...cluster, gatewayClass: 'gateway', ingressClass: null, hasTcpRoutes: false },
  { ...cluster, gatewayClass: null, ingressClass: 'nginx', hasTcpRoutes: false },
];

/** The names of all objects, and of those that the cluster makes of them. */
function namesOf(component: DesiredComponent, given: (typeof settings)[number]): Set<string> {
  const { teamId, httpRules } = component;
  const rules = httpRules.map((rule) => ({ ...rule, component, isRunning: true }));
  const shared = [
    ...domainSecretsOf(teamId, rules),
    ...domainCertificatesOf(teamId, rules, given),
    ...rulesBy(rules, routeName).map((each) => httpRouteOf(teamId, each, { cluster: given } as never)),
  ];
  const names = new Set<string>();
  const collect = (kind: string, value: any): void => {
    if (value === null || typeof value !== 'object') return;
    if (value.metadata?.name) names.add(`${kind} ${value.metadata.name}`);
    for (const inner of Object.values(value)) collect(kind, inner);
  };
  for (const object of [...componentObjects(component, given), ...(given.gatewayClass ? shared : [])]) {
    collect(object.kind, object);
  }
  return names;
}

/** Other values, where one cannot be made of the first. */
const others: Record<string, unknown> = {
  ...{ extendMethod: 'state', state: 'closed', 'volumes.type': 'local', 'volumes.accessMode': 'rwo' },
  ...{ 'ports.protocol': 'udp', 'httpRules.protocol': 'grpc' },
  ...{ 'httpRules.header': 'A=b', 'httpRules.cookie': 'a=b' },
};
const another = (path: string, value: unknown): unknown =>
  others[path] ?? (typeof value === 'string' ? `${value}2` : typeof value === 'number' ? value + 1 : !value);

function* leaves(value: unknown, path: readonly string[] = []): Generator<readonly string[]> {
  if (value !== null && typeof value === 'object') {
    for (const [key, inner] of Object.entries(value)) yield* leaves(inner, [...path, key]);
  } else if (value !== null) yield path;
}

it('what names of objects in a cluster are made of has a row', () => {
  const found = new Set<string>();
  for (const given of settings) {
    for (const shape of shapes()) {
      const before = namesOf(shape, given);
      for (const path of leaves(shape)) {
        const field = path.filter((part) => !/^\d+$/.test(part)).join('.');
        const changed: any = structuredClone(shape);
        const at = path.slice(0, -1).reduce((inner, part) => inner[part], changed);
        at[path.at(-1)!] = another(field, at[path.at(-1)!]);
        const names = namesOf(changed, given);
        if ([...names].some((name) => !before.has(name))) found.add(field);
      }
    }
  }
  expect([...found].sort()).toEqual(Object.keys(namedFields).sort());
});

it('every input that sets it has a row', () => {
  expect(inputsToName()).toEqual(namingInputs);
});
