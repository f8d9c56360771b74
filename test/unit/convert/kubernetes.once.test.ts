import { describe, expect, it } from 'vitest';
import type { Rule } from '../../../src/convert/claims.ts';
import { kubernetesClaims } from '../../../src/convert/kubernetes/claim.ts';
import { convertKubernetes } from '../../../src/convert/kubernetes/manifest.ts';
import { noted } from '../../../src/convert/kubernetes/pod-rules.ts';
import { kubernetesRules } from '../../../src/convert/kubernetes/rules.ts';
import { kindNamed } from '../../support/kubernetes/api/kinds.ts';
import {
  resolve as resolveReference,
  type Schema,
  schemaOf,
  schemas,
} from '../../support/kubernetes/api/schema.ts';
import { pathsOf } from '../../support/schema-paths.ts';

const pod = (more: object = {}) => ({
  metadata: { labels: { app: 'web' } },
  spec: {
    containers: [
      {
        ...{ name: 'web', image: 'web:1', ports: [{ name: 'web', containerPort: 8080 }] },
        envFrom: [{ configMapRef: { name: 'sample' } }, { secretRef: { name: 'sample' } }],
        resources: { requests: { cpu: '100m' } },
        volumeMounts: [{ name: 'sample', mountPath: '/sample' }],
        ...more,
      },
    ],
    volumes: [{ name: 'sample', persistentVolumeClaim: { claimName: 'sample' } }],
  },
});
const service = { selector: { app: 'web' }, ports: [{ name: 'sample', port: 80, targetPort: 8080 }] };
const backend = { service: { name: 'web', port: { number: 80 } } };
const usage = { type: 'Utilization', averageUtilization: 50 };

/** An object of each kind that is read, as it would be without the field that is looked at. */
const objects: Record<string, any> = {
  Deployment: { spec: { replicas: 3, template: pod() } },
  StatefulSet: { spec: { template: pod() } },
  CronJob: {
    spec: { schedule: '0 3 * * *', jobTemplate: { spec: { template: pod({ command: ['run'] }) } } },
  },
  Service: { spec: service },
  Ingress: {
    spec: { rules: [{ host: 'example.org', http: { paths: [{ path: '/', pathType: 'Prefix', backend }] } }] },
  },
  HTTPRoute: { spec: { hostnames: ['example.org'], rules: [{ backendRefs: [{ name: 'web', port: 80 }] }] } },
  HorizontalPodAutoscaler: {
    spec: {
      scaleTargetRef: { kind: 'Deployment', name: 'web' },
      maxReplicas: 5,
      metrics: [{ type: 'Resource', resource: { name: 'cpu', target: usage } }],
    },
  },
  PodDisruptionBudget: { spec: { selector: { matchLabels: { app: 'web' } }, minAvailable: 1 } },
  PersistentVolumeClaim: { spec: { accessModes: ['ReadWriteMany'] } },
  ConfigMap: { data: { sample: 'text' } },
  Secret: { data: { token: 'dGV4dA==' } },
};
/** Kinds that are told as a whole. */
const whole = ['DaemonSet', 'Job'];
const kinds = Object.keys(objects);

const root = {
  properties: Object.fromEntries(kinds.map((kind) => [kind, schemaOf(kindNamed(kind))])),
  $defs: schemas,
};
const isPart = (path: string) => !/\.(metadata|status)\b/.test(path.replace(/\.template\.metadata.*/, ''));
const paths = [...pathsOf(root)].filter((path) => isPart(path) && path.includes('.'));

/** Fields that later versions of the API have, or earlier ones had. */
const otherVersions = [
  ...['Deployment.spec', 'StatefulSet.spec', 'CronJob.spec.jobTemplate.spec'].flatMap((above) => [
    `${above}.template.spec.containers[].lifecycle.preStop.sleep.seconds`,
    `${above}.template.spec.containers[].resizePolicy`,
  ]),
  'HorizontalPodAutoscaler.spec.targetCPUUtilizationPercentage',
  'Service.spec.trafficDistribution',
];

describe('the rules of Kubernetes', () => {
  it('claim each field of the objects that are read', () => {
    expect(paths.length).toBeGreaterThan(2_500);
    expect(paths.filter((path) => !kubernetesClaims.has(path))).toEqual([]);
    for (const path of ['Deployment.spec.color', 'HTTPRoute.spec.rules[].color', 'Color'])
      expect(kubernetesClaims.has(path), path).toBe(false);
  });

  it('are about fields of these objects', () => {
    const all = [...pathsOf(root), ...whole];
    const isWritten = (rule: string) =>
      all.some((path) => path === rule || path.startsWith(`${rule}.`) || path.startsWith(`${rule}[`));
    const isKeyOfMap = (rule: string) =>
      rule.endsWith('metadata.*') || all.includes(rule.replace(/[^.]+$/, '*'));
    const others = Object.keys(kubernetesRules).filter((rule) => !isWritten(rule) && !isKeyOfMap(rule));
    expect(others.sort()).toEqual(otherVersions.sort());
  });
});

/** Values that mean something, by the ends of their paths. Others are made from their schemas. */
const samples: [RegExp, unknown][] = [
  [/\.preStop\.exec\.command$/, ['sleep', '7']],
  [/\.ports\[\]\.name$/, 'http'],
  [/\.appProtocol$/, 'http'],
  [/\.protocol$/, 'UDP'],
  [/\.emptyDir\.medium$/, 'Memory'],
  [/\.tolerations\[\]\.operator$/, 'Exists'],
  [/\.effect$/, 'NoExecute'],
  [/\.scheme$/, 'HTTPS'],
  [/\.backoffLimit$/, 0],
  [/\.concurrencyPolicy$/, 'Forbid'],
  [/CronJob\.spec\.schedule$/, '30 4 * * *'],
  [/\.accessModes$/, ['ReadOnlyMany']],
  [/StatefulSet\.spec\.serviceName$/, 'also'],
  [/Service\.spec\.type$/, 'LoadBalancer'],
  [/\.sessionAffinity$/, 'ClientIP'],
  [/trategy\.type$/, 'OnDelete'],
  [/\.matches\[\]\.(path|headers\[\])\.type$/, 'RegularExpression'],
  [/\.(mountPath|value|path)$/, '/other'],
  [/\.hostnames$/, ['other.example.org']],
  [/\.host$/, 'other.example.org'],
  [/Secret\.data\.\*$/, 'b3RoZXI='],
  [/\.pathType$/, 'Exact'],
  [/\.minAvailable$/, 2],
  [/\.maxUnavailable$/, 1],
];

/** What the object has to have for a field to mean something. */
const needs: [RegExp, (part: (path: string) => any) => void][] = [
  [
    /Probe\.(initial|period|timeout|failure|success|termination)/,
    (part) => {
      for (const kind of ['liveness', 'readiness', 'startup'])
        part('containers.0')[`${kind}Probe`] = { tcpSocket: { port: 8080 } };
    },
  ],
  [/\.envFrom\[\]\.prefix$/, (part) => (part('containers.0.envFrom.0').configMapRef = { name: 'sample' })],
  [/\.volumes\[\]\.(?!name|persistentVolumeClaim)/, (part) => delete part('volumes.0').persistentVolumeClaim],
  [
    /\.subPath$/,
    (part) => {
      delete part('volumes.0').persistentVolumeClaim;
      part('volumes.0').configMap = { name: 'sample' };
    },
  ],
  [
    /\.volumeClaimTemplates/,
    (part) => {
      delete part('').volumes;
      part('^').volumeClaimTemplates = [{ metadata: { name: 'sample' }, spec: {} }];
    },
  ],
  [/\.weight$/, (part) => part('^').rules[0].backendRefs.push({ name: 'also', port: 80 })],
  [/\.maxUnavailable$/, (part) => delete part('^').minAvailable],
  [/\.port\.name$/, (part) => delete part('^').rules[0].http.paths[0].backend.service.port.number],
  [/\.configMap\.items/, (part) => (part('volumes.0').configMap = { name: 'sample' })],
  [
    /\.topologySpreadConstraints/,
    (part) =>
      (part('').topologySpreadConstraints = [
        {
          ...{ maxSkew: 1, topologyKey: 'kubernetes.io/hostname', whenUnsatisfiable: 'ScheduleAnyway' },
          labelSelector: { matchLabels: { app: 'web' } },
        },
      ]),
  ],
];

function sampleOf(schema: Schema, path: string): unknown {
  const found = samples.find(([pattern]) => pattern.test(path));
  if (found) return found[1];
  const { type, properties, additionalProperties, items, oneOf, enum: values } = schema;
  if (values) return values.at(-1);
  if (type === 'array') return [sampleOf(resolve(items), `${path}[]`)];
  if (properties) {
    const [first] = Object.keys(properties);
    const needed = filled(schema, path);
    const isEmpty = Object.keys(needed).length === 0 && first !== undefined;
    return isEmpty ? { [first]: sampleOf(resolve(properties[first]), `${path}.${first}`) } : needed;
  }
  if (additionalProperties) return { sample: sampleOf(resolve(additionalProperties), `${path}.*`) };
  if (oneOf || type === 'integer' || type === 'number') return 7;
  if (type === 'boolean') return true;
  return type === 'object' ? {} : 'sample';
}

/** What an object must have. */
const filled = ({ properties = {}, required = [] }: Schema, path: string): object =>
  Object.fromEntries(
    required.map((name: string) => [name, sampleOf(resolve(properties[name]), `${path}.${name}`)]),
  );

const resolve = (schema: Schema | undefined) => resolveReference(schema?.allOf?.[0] ?? schema);

/** A value that is there already, because the object must have it, is changed. */
const otherThan = (before: unknown, sample: unknown): unknown => {
  if (JSON.stringify(before) !== JSON.stringify(sample)) return sample;
  if (Array.isArray(sample)) return [...sample, ...sample.map((item) => otherThan(item, item))];
  return typeof sample === 'number' ? sample + 1 : `${sample}-2`;
};

/** The object with a field, and as it is without it. */
function withField(kind: string, path: string): [before: any, after: any] {
  const before = structuredClone({ apiVersion: 'v1', kind, metadata: { name: 'web' }, ...objects[kind] });
  const named = before.kind.match(/ConfigMap|Secret|PersistentVolumeClaim/) ? 'sample' : 'web';
  before.metadata.name = named;
  for (const [pattern, prepare] of needs) {
    if (!pattern.test(path)) continue;
    const spec = before.spec;
    const of = spec.jobTemplate?.spec.template.spec ?? spec.template?.spec;
    prepare((at) =>
      at === '^' ? spec : at.split('.').reduce((value, step) => (step ? value[step] : value), of),
    );
  }
  const steps = path.replaceAll('[]', '.[]').split('.').slice(1);
  const set = (object: any, isAfter: boolean) => {
    let schema: Schema = root.properties[kind]!;
    let at = object;
    let walked = kind;
    for (const [index, step] of steps.entries()) {
      const isLast = index === steps.length - 1;
      const key = step === '[]' ? 0 : step === '*' ? 'other' : step;
      walked = step === '[]' ? `${walked}[]` : `${walked}.${step}`;
      schema = resolve(
        step === '[]' ? schema.items : step === '*' ? schema.additionalProperties : schema.properties?.[step],
      );
      const isList = schema.type === 'array';
      if (isLast && isAfter) at[key] = otherThan(at[key], sampleOf(schema, walked));
      if (isLast) return;
      at[key] ??= isList ? [] : filled(schema, walked);
      at = at[key];
    }
  };
  set(before, false);
  const after = structuredClone(before);
  set(after, true);
  return [before, after];
}

/** The rule of a path, and whether it is that of something above it. */
function ruleOf(path: string): { rule: Rule | undefined; isBelow: boolean } {
  const steps = path.replaceAll('[]', '.[]').split('.');
  for (let count = steps.length; count > 0; count--) {
    const above = steps.slice(0, count).join('.').replaceAll('.[]', '[]');
    const any = above.replace(/[^.]+$/, '*');
    const rule = kubernetesRules[above] ?? kubernetesRules[any];
    if (rule) return { rule, isBelow: count < steps.length };
  }
  return { rule: undefined, isBelow: false };
}

const convert = (object: any) => {
  const { kind } = object;
  const others = kinds
    .filter((each) => /^(Deployment|Service|ConfigMap|Secret|PersistentVolumeClaim)$/.test(each))
    .filter((each) => each !== kind && !(each === 'Deployment' && object.spec?.template))
    .map((each) => ({ kind: each, metadata: { name: 'sample' }, ...objects[each] }));
  for (const each of others) if (/Deployment|Service/.test(each.kind)) each.metadata = { name: 'web' };
  const also = { kind: 'Service', metadata: { name: 'also' }, spec: service };
  const text = JSON.stringify({ kind: 'List', items: [object, ...others, also] });
  const { manifest, notes } = convertKubernetes({
    sources: [{ name: 'text', text }],
    application: 'sample',
  });
  return JSON.stringify({ manifest, notes });
};

describe('the conversion of Kubernetes', () => {
  it.each(kinds)('has each field of a %s in its manifest or in a note, unless it has a reason', (kind) => {
    const silent = paths.filter((path) => {
      if (!path.startsWith(`${kind}.`)) return false;
      const { rule, isBelow } = ruleOf(path);
      if (!rule || !('to' in rule || 'told' in rule)) return false;
      if (isBelow && ('told' in rule || rule === noted)) return false;
      // The items of a list are looked at with it.
      if (path.endsWith('[]') || paths.includes(`${path}[]`))
        if (!('to' in rule) || rule === noted) return false;
      if (path.endsWith('[]')) return false;
      const isObject = paths.some((each) => each.startsWith(`${path}.`) || each.startsWith(`${path}[].`));
      if (isObject && (isBelow || !kubernetesRules[path])) return false;
      const [before, after] = withField(kind, path);
      return convert(before) === convert(after);
    });
    expect(silent).toEqual([]);
  });

  it('keeps the data that workloads share, each file and one rule for a path', () => {
    const container = (volumeMounts: object[]) => ({ name: 'main', image: 'web:1', volumeMounts });
    const deployment = (name: string, volumeMounts: object[]) => ({
      ...{ kind: 'Deployment', metadata: { name } },
      spec: {
        template: {
          metadata: { labels: { app: name } },
          spec: {
            containers: [container(volumeMounts)],
            volumes: [
              { name: `${name}-data`, persistentVolumeClaim: { claimName: 'data' } },
              { name: 'files', configMap: { name: 'files' } },
            ],
          },
        },
      },
    });
    const named = (value: string) => ({
      ...{ path: { type: 'PathPrefix', value: '/beta' }, headers: [{ name: 'X-Beta', value }] },
    });
    const items = (subPath?: string) => [
      { kind: 'ConfigMap', metadata: { name: 'files' }, data: { a: '1' } },
      {
        ...{ kind: 'PersistentVolumeClaim', metadata: { name: 'data' } },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '5Gi' } } },
      },
      deployment('web', [
        { name: 'web-data', mountPath: '/out' },
        { name: 'files', mountPath: '/etc/web' },
        { name: 'files', mountPath: '/etc/a', subPath: 'a' },
      ]),
      deployment('worker', [{ name: 'worker-data', mountPath: '/in', ...(subPath && { subPath }) }]),
      { kind: 'Service', metadata: { name: 'web' }, spec: service },
      {
        ...{ kind: 'HTTPRoute', metadata: { name: 'beta' } },
        spec: {
          hostnames: ['shop.example'],
          rules: [{ matches: [named('1'), named('2')], backendRefs: [{ name: 'web', port: 80 }] }],
        },
      },
    ];
    const of = (text: string) =>
      convertKubernetes({ sources: [{ name: 'text', text }], application: 'sample' });
    const { manifest, notes } = of(JSON.stringify({ kind: 'List', items: items() }));
    const shared = { type: 'share-file', capacityGiB: 5, accessMode: 'ReadWriteOnce', isShared: true };
    const file = { type: 'config-file', fileContent: '1' };
    expect(manifest.components.web).toMatchObject({
      volumes: {
        data: { path: '/out', ...shared },
        'files-a': { path: '/etc/web/a', ...file },
        'files-a-2': { path: '/etc/a', ...file },
      },
    });
    expect(manifest.components.worker).toMatchObject({ volumes: { data: { path: '/in', ...shared } } });
    expect(manifest.routes).toMatchObject([{ path: '/beta', domainHeader: 'X-Beta=1' }]);
    const lost = (all: typeof notes) => all.flatMap(({ grade, reason }) => (grade === 'LOST' ? reason : []));
    expect(lost(notes)).toEqual(['the route for shop.example/beta']);
    expect(lost(of(JSON.stringify({ kind: 'List', items: items('folder') })).notes)).toContain(
      'that web, worker share it: each has a volume of its own',
    );
  });
});
