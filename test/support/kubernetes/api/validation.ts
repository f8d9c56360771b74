import { amountOf } from './defaults.ts';
import type { Kind } from './kinds.ts';
import { canonical } from './managed-fields.ts';
import { gatewayCauses, ingressCauses, routeCauses } from './route-validation.ts';
import { schemaCauses, schemaOf } from './schema.ts';
import { type Cause, invalidValue, notSupported, refused, required } from './status.ts';
import {
  badName,
  dns1035,
  isPort,
  jobCauses,
  label,
  podCauses,
  subdomain,
  text,
  workloadCauses,
} from './workload-validation.ts';

function nameCauses({ kind }: Kind, name: string): Cause[] {
  if (!name) return [required('metadata.name', 'name or generateName is required')];
  const pattern = kind === 'Namespace' ? label : kind === 'Service' ? dns1035 : subdomain;
  const causes: Cause[] = [];
  if (!pattern.test(name) && !(kind === 'Namespace' && name.length > 63)) {
    causes.push(invalidValue('metadata.name', text(name), badName));
  }
  if (['Namespace', 'Service'].includes(kind) && name.length > 63) {
    causes.push(invalidValue('metadata.name', text(name), 'must be no more than 63 characters'));
    if (kind === 'Namespace') {
      causes.push(invalidValue('metadata.labels', text(name), 'must be no more than 63 characters'));
    }
  }
  return causes;
}

const labelValue = /^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/;

function metadataCauses(metadata: any): Cause[] {
  const causes: Cause[] = [];
  for (const [key, value] of Object.entries<any>(metadata.labels ?? {})) {
    if (!/^([a-z0-9.-]+\/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/.test(key)) {
      causes.push(
        invalidValue('metadata.labels', text(key), 'name part must consist of alphanumeric characters'),
      );
    }
    // Of a namespace and a Job, these are its name, which is checked as such.
    if (['kubernetes.io/metadata.name', 'job-name'].includes(key)) continue;
    if (!labelValue.test(value)) {
      causes.push(
        invalidValue(
          'metadata.labels',
          text(value),
          'a valid label must be an empty string or consist of alphanumeric characters',
        ),
      );
    }
  }
  for (const [index, finalizer] of (metadata.finalizers ?? []).entries()) {
    if (finalizer.includes('/') || ['kubernetes', 'orphan', 'foregroundDeletion'].includes(finalizer))
      continue;
    const why = 'name is neither a standard finalizer name nor is it fully qualified';
    causes.push(invalidValue(`metadata.finalizers[${index}]`, text(finalizer), why));
  }
  return causes;
}

const securityLevels = ['privileged', 'baseline', 'restricted'];

/** The labels of a namespace that say which pods it takes. */
function podSecurityCauses(labels: { [key: string]: string } = {}): Cause[] {
  return Object.entries(labels).flatMap(([key, value]) => {
    const [, isVersion] = /^pod-security\.kubernetes\.io\/(?:enforce|audit|warn)(-version)?$/.exec(key) ?? [];
    const field = `metadata.labels[${key}]`;
    if (!key.startsWith('pod-security.kubernetes.io/')) return [];
    if (isVersion) {
      const isKnown = /^(latest|v1\.\d+)$/.test(value);
      return isKnown ? [] : [invalidValue(field, text(value), 'must be "latest" or "v1.x"')];
    }
    return securityLevels.includes(value)
      ? []
      : [invalidValue(field, text(value), `must be one of ${securityLevels.join(', ')}`)];
  });
}

function serviceCauses(spec: any): Cause[] {
  const causes: Cause[] = [];
  const types = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];
  if (!types.includes(spec.type)) causes.push(notSupported('spec.type', spec.type, types));
  if (spec.type === 'ExternalName' && !spec.externalName) causes.push(required('spec.externalName'));
  const isHeadless = spec.clusterIP === 'None';
  if (!spec.ports?.length && !isHeadless && spec.type !== 'ExternalName') causes.push(required('spec.ports'));
  for (const [index, port] of (spec.ports ?? []).entries()) {
    const at = `spec.ports[${index}]`;
    if (spec.ports.length > 1 && !port.name) causes.push(required(`${at}.name`));
    else if (port.name && !label.test(port.name))
      causes.push(invalidValue(`${at}.name`, text(port.name), badName));
    if (!isPort(port.port))
      causes.push(invalidValue(`${at}.port`, text(port.port), 'must be between 1 and 65535, inclusive'));
    if (typeof port.targetPort === 'number' && !isPort(port.targetPort)) {
      causes.push(
        invalidValue(`${at}.targetPort`, text(port.targetPort), 'must be between 1 and 65535, inclusive'),
      );
    }
    if (port.name && spec.ports.slice(0, index).some(({ name }: any) => name === port.name)) {
      causes.push({
        reason: 'FieldValueDuplicate',
        message: `Duplicate value: ${text(port.name)}`,
        field: `${at}.name`,
      });
    }
    if (port.nodePort && spec.type === 'ClusterIP')
      causes.push(refused(`${at}.nodePort`, "may not be used when `type` is 'ClusterIP'"));
  }
  return causes;
}

function dataCauses({ data, stringData, type, binaryData }: any): Cause[] {
  const causes: Cause[] = [];
  const all = { ...data, ...stringData, ...binaryData };
  for (const key of Object.keys(all)) {
    if (!/^[-._a-zA-Z0-9]{1,253}$/.test(key))
      causes.push(
        invalidValue(`data[${key}]`, text(key), 'a valid config key must consist of alphanumeric characters'),
      );
  }
  const size = Object.values<any>(all).reduce((sum, value) => sum + Buffer.byteLength(String(value)), 0);
  if (size > 1_048_576)
    causes.push({
      reason: 'FieldValueTooLong',
      message: 'Too long: must have at most 1048576 bytes',
      field: '[]',
    });
  const needed = {
    'kubernetes.io/tls': ['tls.crt', 'tls.key'],
    'kubernetes.io/dockerconfigjson': ['.dockerconfigjson'],
  };
  for (const key of needed[type as keyof typeof needed] ?? [])
    if (all[key] === undefined) causes.push(required(`data[${key}]`));
    else if (key === '.dockerconfigjson') causes.push(...configCauses(all[key]));
  return causes;
}

function configCauses(data: string): Cause[] {
  const redacted = '"<secret contents redacted>"';
  try {
    const config = JSON.parse(Buffer.from(data, 'base64').toString());
    if (config && typeof config === 'object' && !Array.isArray(config)) return [];
  } catch {
    // Refused as below.
  }
  return [invalidValue('data[.dockerconfigjson]', redacted, 'invalid character')];
}

function claimCauses(spec: any): Cause[] {
  return [
    ...(spec.accessModes?.length ? [] : [required('spec.accessModes', 'at least 1 access mode is required')]),
    ...(spec.resources?.requests?.storage ? [] : [required('spec.resources[storage]')]),
  ];
}

function networkCauses(spec: any): Cause[] {
  return (spec.ingress ?? []).flatMap(({ from = [] }: any, index: number) =>
    from.flatMap(({ ipBlock }: any, number: number) =>
      !ipBlock || /^\d+\.\d+\.\d+\.\d+\/\d+$/.test(ipBlock.cidr)
        ? []
        : [
            invalidValue(
              `spec.ingress[${index}].from[${number}].ipBlock.cidr`,
              text(ipBlock.cidr),
              'not a valid CIDR',
            ),
          ],
    ),
  );
}

function autoscalerCauses({ minReplicas, maxReplicas, scaleTargetRef, metrics }: any): Cause[] {
  const causes: Cause[] = [];
  const tooSmall = (field: string, value: number, why: string) =>
    causes.push(invalidValue(field, String(value), `must be greater than ${why}`));
  if (minReplicas < 1) tooSmall('spec.minReplicas', minReplicas, 'or equal to 1');
  if (maxReplicas < 1) tooSmall('spec.maxReplicas', maxReplicas, '0');
  if (maxReplicas < minReplicas) tooSmall('spec.maxReplicas', maxReplicas, 'or equal to `minReplicas`');
  for (const field of ['kind', 'name']) {
    if (!scaleTargetRef?.[field]) causes.push(required(`spec.scaleTargetRef.${field}`));
  }
  for (const [index, { resource }] of metrics.entries()) {
    const field = `spec.metrics[${index}].resource.target.averageUtilization`;
    const { type, averageUtilization } = resource?.target ?? {};
    if (type !== 'Utilization') continue;
    if (averageUtilization === undefined) causes.push(required(field));
    else if (averageUtilization < 1) tooSmall(field, averageUtilization, '0');
  }
  if (minReplicas === 0) {
    const why = 'must specify at least one Object or External metric to support scaling to zero replicas';
    causes.push(refused('spec.metrics', why));
  }
  return causes;
}

/** A number, or a percentage as a text. */
function amountCauses(field: string, value: unknown): Cause[] {
  if (typeof value === 'number') {
    return value < 0 ? [invalidValue(field, String(value), 'must be greater than or equal to 0')] : [];
  }
  if (typeof value !== 'string') return [];
  if (!/^[0-9]+%$/.test(value)) return [invalidValue(field, value, 'a valid percent string must be numeric')];
  return Number.parseInt(value, 10) > 100
    ? [invalidValue(field, value, 'must not be greater than 100%')]
    : [];
}

function budgetCauses({ minAvailable, maxUnavailable, selector }: any): Cause[] {
  const both = 'minAvailable and maxUnavailable cannot be both set';
  return [
    ...(minAvailable !== undefined && maxUnavailable !== undefined
      ? [invalidValue('spec', 'policy.PodDisruptionBudgetSpec{}', both)]
      : []),
    ...amountCauses('spec.minAvailable', minAvailable),
    ...amountCauses('spec.maxUnavailable', maxUnavailable),
    ...Object.values<string>(selector?.matchLabels ?? {})
      .filter((value) => !labelValue.test(value))
      .map((value) => invalidValue('spec.selector.matchLabels', text(value), 'a valid label')),
  ];
}

const byKind: { [kind: string]: (object: any) => Cause[] } = {
  Namespace: ({ metadata }) => podSecurityCauses(metadata.labels),
  Deployment: ({ spec }) => workloadCauses(spec, false),
  StatefulSet: ({ spec }) => workloadCauses(spec, true),
  HorizontalPodAutoscaler: ({ spec }) => autoscalerCauses(spec),
  PodDisruptionBudget: ({ spec }) => budgetCauses(spec),
  Job: jobCauses,
  Pod: ({ spec }) => podCauses(spec, 'spec'),
  Service: ({ spec }) => serviceCauses(spec),
  Ingress: ({ spec }) => ingressCauses(spec),
  ConfigMap: dataCauses,
  Secret: dataCauses,
  PersistentVolumeClaim: ({ spec }) => claimCauses(spec),
  NetworkPolicy: ({ spec }) => networkCauses(spec),
  HTTPRoute: ({ spec }) => routeCauses(spec),
  Gateway: ({ spec }) => gatewayCauses(spec),
  ResourceQuota: ({ spec }) =>
    Object.entries(spec?.hard ?? {}).flatMap(([name, amount]) =>
      /^(pods|services|count\/)/.test(name) && !Number.isInteger(amountOf(amount))
        ? [invalidValue(`spec.hard[${name}]`, text(amount), 'must be an integer')]
        : [],
    ),
};

/** What is wrong with an object, apart from how it may change. */
export function problemsOf(kind: Kind, object: any): Cause[] {
  const causes = [...nameCauses(kind, object.metadata.name), ...metadataCauses(object.metadata)];
  if (kind.isCustom) causes.push(...schemaCauses(object, schemaOf(kind)));
  return [...causes, ...(byKind[kind.kind]?.(object) ?? [])];
}

/** Whether two values are the same. */
export const same = (a: unknown, b: unknown) => canonical(a ?? null) === canonical(b ?? null);
