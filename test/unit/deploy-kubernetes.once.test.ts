import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { neededRights } from '../../src/drivers/region/kubernetes/cluster/rights.ts';
import { settings } from '../../src/settings.ts';
import { execForm, readDockerfile, stepsOf } from '../support/dockerfile.ts';
import { compose, readDocuments } from '../support/kubernetes/api/kustomize.ts';
import { kindSchema, quantityError, schemaCauses, typeError } from '../support/kubernetes/api/schema.ts';
import { root } from '../support/production.ts';

const base = join(root, 'docs/deploy/kubernetes');
const overlays = ['sqlite', 'postgres'] as const;
const last = readDockerfile().at(-1)!;
const packageJson = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const environment = Object.fromEntries(
  [...stepsOf(last, 'ENV')[0]!.text.matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [name!, value!]),
);

/** Kinds whose schemas were not recorded, with the fields that their documents have here. */
const unrecorded: Record<string, string[]> = {
  ServiceAccount: ['apiVersion', 'kind', 'metadata', 'automountServiceAccountToken'],
  ClusterRole: ['apiVersion', 'kind', 'metadata', 'rules'],
  ClusterRoleBinding: ['apiVersion', 'kind', 'metadata', 'roleRef', 'subjects'],
};

const versions: Record<string, string> = {
  Namespace: 'v1',
  ServiceAccount: 'v1',
  ConfigMap: 'v1',
  Service: 'v1',
  PersistentVolumeClaim: 'v1',
  Deployment: 'apps/v1',
  Job: 'batch/v1',
  HorizontalPodAutoscaler: 'autoscaling/v2',
  PodDisruptionBudget: 'policy/v1',
  NetworkPolicy: 'networking.k8s.io/v1',
  ClusterRole: 'rbac.authorization.k8s.io/v1',
  ClusterRoleBinding: 'rbac.authorization.k8s.io/v1',
};

const composed = (overlay: string) => compose(join(base, overlay));
const named = (objects: any[], kind: string, name = 'trellis') =>
  objects.find((each) => each.kind === kind && each.metadata.name === name);
const podsOf = (objects: any[]) =>
  objects
    .filter(({ kind }) => kind === 'Deployment' || kind === 'Job')
    .map(({ metadata, spec }) => ({ name: metadata.name, ...spec.template }));

/** The environment of a container, with what it takes from a ConfigMap. */
function settingsOf(objects: any[], container: any): Record<string, string> {
  const maps = (container.envFrom ?? []).map(({ configMapRef }: any) => {
    const map = named(objects, 'ConfigMap', configMapRef.name);
    expect(map, configMapRef.name).toBeDefined();
    return map.data;
  });
  const own = container.env.map(({ name, value }: any) => [name, value]);
  return Object.assign({}, ...maps, Object.fromEntries(own));
}

describe.each(overlays)('the manifests of the overlay %s', (overlay) => {
  const objects = composed(overlay);

  it('have no field that a cluster does not have, and all that it needs', () => {
    expect(objects.length).toBeGreaterThan(8);
    for (const object of objects) {
      const { kind, apiVersion, metadata } = object;
      expect(versions[kind], kind).toBe(apiVersion);
      const schema = kindSchema(kind);
      if (!schema) {
        expect(unrecorded[kind], `${kind} was not recorded`).toEqual(
          expect.arrayContaining(Object.keys(object)),
        );
        continue;
      }
      const about = `${kind} ${metadata.name}`;
      expect(typeError(object, schema), about).toBeUndefined();
      expect(quantityError(object, schema), about).toBeUndefined();
      expect(schemaCauses(object, schema), about).toEqual([]);
    }
  });

  it('are in one namespace, which only takes restricted pods', () => {
    const inCluster = ['Namespace', 'ClusterRole', 'ClusterRoleBinding'];
    for (const { kind, metadata } of objects) {
      expect(metadata.namespace, kind).toBe(inCluster.includes(kind) ? undefined : 'trellis-system');
    }
    const { labels } = named(objects, 'Namespace', 'trellis-system').metadata;
    expect(labels['pod-security.kubernetes.io/enforce']).toBe('restricted');
  });

  it('have pods of the level restricted, as the user of the image, that write only to its volume', () => {
    expect(stepsOf(last, 'USER').map(({ text }) => text)).toEqual(['node']);
    for (const { name, spec } of podsOf(objects)) {
      expect(spec.securityContext, name).toMatchObject({
        runAsNonRoot: true,
        // `node` of the images of Node.js.
        runAsUser: 1000,
        runAsGroup: 1000,
        fsGroup: 1000,
        seccompProfile: { type: 'RuntimeDefault' },
      });
      expect(spec.automountServiceAccountToken, name).toBe(false);
      expect(named(objects, 'ServiceAccount', spec.serviceAccountName), name).toBeDefined();
      for (const container of spec.containers) {
        expect(container.securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
        const writable = container.volumeMounts.filter(({ readOnly }: any) => !readOnly);
        const data = stepsOf(last, 'VOLUME')[0]!.text;
        expect(writable.map(({ mountPath }: any) => mountPath)).toEqual(overlay === 'sqlite' ? [data] : []);
        expect(container.resources.requests).toHaveProperty('cpu');
        expect(container.resources.limits).toHaveProperty('memory');
        for (const { name: volume } of container.volumeMounts) {
          expect(spec.volumes.map((each: any) => each.name)).toContain(volume);
        }
      }
      for (const { persistentVolumeClaim: claim } of spec.volumes) {
        if (claim) expect(named(objects, 'PersistentVolumeClaim', claim.claimName)).toBeDefined();
      }
    }
  });

  it('have the image, the ports and the probes of the product', () => {
    for (const { spec } of podsOf(objects)) {
      for (const { image } of spec.containers) {
        expect(image).toBe(`registry.example.com/trellis:${packageJson.version}`);
      }
    }
    const [container] = named(objects, 'Deployment').spec.template.spec.containers;
    expect(container.command).toBeUndefined();
    const [port] = container.ports;
    expect(String(port.containerPort)).toBe(environment.PORT);
    expect(stepsOf(last, 'EXPOSE').map(({ text }) => text)).toEqual([environment.PORT]);
    const routes = readFileSync(join(root, 'src/http/probes.ts'), 'utf8');
    const { startupProbe, readinessProbe, livenessProbe } = container;
    for (const [probe, path] of [
      [startupProbe, '/healthz'],
      [readinessProbe, '/readyz'],
      [livenessProbe, '/healthz'],
    ]) {
      expect(probe.httpGet).toEqual({ path, port: port.name });
      expect(routes).toContain(`'${path}'`);
    }
    const service = named(objects, 'Service');
    expect(service.spec.ports).toEqual([expect.objectContaining({ targetPort: port.name })]);
    const { labels } = named(objects, 'Deployment').spec.template.metadata;
    const selectors = [
      service.spec.selector,
      named(objects, 'Deployment').spec.selector.matchLabels,
      named(objects, 'NetworkPolicy').spec.podSelector.matchLabels,
    ];
    for (const selector of selectors) expect(labels).toMatchObject(selector);
    expect(named(objects, 'NetworkPolicy').spec.ingress[0].ports).toEqual([
      { protocol: 'TCP', port: port.name },
    ]);
  });

  it('set only settings that there are, to values that are valid together', () => {
    for (const { name, spec } of podsOf(objects)) {
      for (const container of spec.containers) {
        const given = settingsOf(objects, container);
        for (const setting of Object.keys(given)) {
          if (setting === 'NODE_OPTIONS') continue;
          expect(Object.keys(settings.shape), `${name}: ${setting}`).toContain(setting.replace(/_FILE$/, ''));
        }
        // Secrets are files of the Secret, which the README says how to make.
        const { mountPath } = container.volumeMounts.find((each: any) => each.name === 'secrets');
        const files = Object.entries(given).filter(([setting]) => setting.endsWith('_FILE'));
        expect(files.length).toBeGreaterThan(1);
        const guide = readFileSync(join(base, 'README.md'), 'utf8');
        for (const [setting, path] of files) {
          expect(path).toBe(`${mountPath}/${setting.replace(/_FILE$/, '').toLowerCase()}`);
          expect(guide).toContain(`--from-file=secrets/${setting.replace(/_FILE$/, '').toLowerCase()}`);
        }
        const secrets: Record<string, string> = {
          DATABASE_URL: 'postgres://trellis:secret@database:5432/trellis',
          SECRET_KEY: 'a1'.repeat(32),
          BOOTSTRAP_TOKEN: `trl_${'b'.repeat(48)}`,
        };
        const read = files.map(([setting]) => setting.replace(/_FILE$/, ''));
        const plain = Object.fromEntries(Object.entries(given).filter(([each]) => !each.endsWith('_FILE')));
        const config = readConfig({
          ...environment,
          ...plain,
          ...Object.fromEntries(read.map((each) => [each, secrets[each]!])),
        });
        expect(config.host).toBe('0.0.0.0');
        expect(config.databaseUrl.split(':')[0]).toBe(overlay === 'sqlite' ? 'file' : 'postgres');
        // The pause before the signal and the time to stop fit in what a pod has.
        const { terminationGracePeriodSeconds = 30 } = spec;
        const pause = Number(container.lifecycle?.preStop.exec.command[1] ?? 0);
        expect(terminationGracePeriodSeconds * 1_000).toBeGreaterThan(
          pause * 1_000 + config.shutdownTimeoutMs,
        );
      }
    }
  });
});

describe('the overlay sqlite', () => {
  it('has one gateway at a time', () => {
    const { spec } = named(composed('sqlite'), 'Deployment');
    expect(spec).toMatchObject({ replicas: 1, strategy: { type: 'Recreate' } });
  });
});

describe('the overlay postgres', () => {
  const objects = composed('postgres');

  it('has several gateways, whose number follows the load, on different nodes', () => {
    const { spec } = named(objects, 'Deployment');
    const scaler = named(objects, 'HorizontalPodAutoscaler').spec;
    const budget = named(objects, 'PodDisruptionBudget').spec;
    // What the autoscaler sets would be taken back by each apply.
    expect(spec).not.toHaveProperty('replicas');
    // New gateways do not migrate the database before the old ones have ended.
    expect(spec.strategy).toEqual({ type: 'Recreate' });
    expect(scaler.scaleTargetRef).toEqual({ apiVersion: 'apps/v1', kind: 'Deployment', name: 'trellis' });
    expect(scaler.minReplicas).toBeGreaterThan(budget.maxUnavailable);
    expect(scaler.metrics.map(({ resource }: any) => resource.name)).toEqual(['cpu']);
    expect(budget.selector).toEqual(spec.selector);
    const spread = spec.template.spec.topologySpreadConstraints;
    expect(spread.map(({ topologyKey }: any) => topologyKey)).toEqual([
      'topology.kubernetes.io/zone',
      'kubernetes.io/hostname',
    ]);
    for (const { labelSelector } of spread) expect(labelSelector).toEqual(spec.selector);
  });

  it('migrates by a command of the image, with the database of the gateways', () => {
    const job = named(objects, 'Job', 'trellis-migrate').spec.template.spec.containers[0];
    expect(packageJson.scripts.migrate).toBe(job.command.join(' '));
    expect(existsSync(join(root, 'src/commands/migrate.ts'))).toBe(true);
    expect(execForm(stepsOf(last, 'CMD')[0]!.text)[0]).toBe(job.command[0]);
    const gateway = named(objects, 'Deployment').spec.template.spec.containers[0];
    expect(gateway.env).toEqual(expect.arrayContaining(job.env));
    // It is no gateway: requests do not reach it.
    const { labels } = named(objects, 'Job', 'trellis-migrate').spec.template.metadata;
    expect(labels).not.toMatchObject(named(objects, 'Service').spec.selector);
  });
});

describe('the account of a region', () => {
  const documents = readDocuments(join(base, 'region/account.yaml'));
  const role = named(documents, 'ClusterRole');

  it('has the rights that the driver needs, and no others', () => {
    expect(
      role.rules.map(({ apiGroups, resources, verbs }: any) => ({ group: apiGroups[0], resources, verbs })),
    ).toEqual(neededRights);
    for (const { apiGroups } of role.rules) expect(apiGroups).toHaveLength(1);
  });

  it('is bound to the role', () => {
    const { roleRef, subjects } = named(documents, 'ClusterRoleBinding');
    expect(roleRef).toEqual({ apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'trellis' });
    expect(subjects).toEqual([{ kind: 'ServiceAccount', name: 'trellis', namespace: 'trellis-system' }]);
    expect(named(documents, 'ServiceAccount').metadata.namespace).toBe('trellis-system');
  });

  it('is not that of the gateways', () => {
    for (const overlay of overlays) {
      for (const { spec } of podsOf(composed(overlay))) expect(spec.serviceAccountName).not.toBe('trellis');
    }
  });
});

describe('the folder', () => {
  it('has no file that no kustomization uses', () => {
    const folders = readdirSync(base, { withFileTypes: true }).filter((each) => each.isDirectory());
    for (const { name } of folders) {
      const text = readFileSync(join(base, name, 'kustomization.yaml'), 'utf8');
      for (const file of readdirSync(join(base, name))) {
        if (file !== 'kustomization.yaml') expect(text, `${name}/${file}`).toContain(file);
      }
    }
  });
});
