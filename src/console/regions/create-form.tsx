import type { Form } from '../act/action.ts';
import type { InputOf } from '../documents/mutation.ts';
import { dnsLabelOf } from '../form/dns-label.ts';
import type { Field, Values } from '../form/values.ts';
import { optionsOf } from '../ui/controls.tsx';
import { KubeconfigCheck } from './check.tsx';
import { text } from './strings.ts';

const { fields: labels, hints } = text;

type Driver = keyof typeof text.drivers;

/** How the cluster is used. */
export const clusterFields: { [path: string]: Partial<Field> } = Object.fromEntries(
  [
    ['gatewayClass', labels.gatewayClass, hints.gatewayClass],
    ['ingressClass', labels.ingressClass, hints.classDefault],
    ['storageClass', labels.storageClass, hints.classDefault],
    ['sharedStorageClass', labels.sharedStorageClass, hints.sharedStorageClass],
    ['certificateIssuer', labels.certificateIssuer, hints.certificateIssuer],
    ['namespacePrefix', labels.namespacePrefix, hints.namespacePrefix],
    ['metricsUrl', labels.metricsUrl, hints.metricsUrl],
    ['gatewayQueries.requests', labels.requestsQuery, hints.requestsQuery],
    ['gatewayQueries.errors', labels.errorsQuery, hints.errorsQuery],
    ['gatewayQueries.latencyP95', labels.latencyQuery, hints.latencyQuery],
    ['logsUrl', labels.logsUrl, hints.logsUrl],
    // An emptied field becomes null, the default.
  ].map(([name, label, hint]) => [`cluster.${name}`, { label, hint, group: undefined, type: undefined }]),
);

/** The credentials for the servers that are queried. What is stored of them is not shown. */
export const credentialFields = (stored: { metrics: boolean; logs: boolean }) => {
  const fieldsOf = (name: 'metrics' | 'logs') => {
    const replaces = stored[name] && { hint: hints.replacesCredentials };
    const path = `${name}Credentials`;
    return {
      [`${path}.token`]: { kind: 'password', ...replaces },
      [`${path}.username`]: { hint: undefined },
      [`${path}.password`]: { kind: 'password', hint: undefined },
      [`${path}.tenant`]: {},
    } as { [path: string]: Partial<Field> };
  };
  return { ...fieldsOf('metrics'), ...fieldsOf('logs') };
};
const newCredentials = credentialFields({ metrics: false, logs: false });

/** The fields of the capacity that is shown where no cluster reports it. */
export const capacityFields: { [path: string]: Partial<Field> } = {
  cpuCores: { label: labels.cpuCores, hint: hints.capacity, min: 0 },
  memoryMiB: { label: labels.memoryMiB, hint: undefined, min: 0 },
  diskGiB: { label: labels.diskGiB, hint: undefined, min: 0 },
};

export const statusField: Partial<Field> = {
  label: labels.status,
  hint: undefined,
  options: optionsOf(text.statuses),
};
export const scopeField: Partial<Field> = {
  label: labels.scope,
  hint: undefined,
  options: optionsOf(text.scopes),
};
export const rootField: Partial<Field> = { label: labels.allowsRoot, hint: hints.allowsRoot };
const driverField = (driver: Driver): Partial<Field> => ({
  label: labels.driver,
  options: optionsOf(text.drivers),
  value: driver,
  hint: text.driverHints[driver],
});

/** The form of a new region. Without a cluster, only a name is needed. */
export function createForm(values: Values): Form<InputOf<'createRegion'>> {
  const driver = (values.driver as Driver | undefined) ?? 'DECLARED';
  const isCluster = driver === 'KUBERNETES';
  const name = String(values.name ?? '') || dnsLabelOf(String(values.alias ?? ''));
  const domain = isCluster || !name ? '' : `${name}.test`;
  const httpDomain = String(values.httpDomain ?? '') || domain;
  const folded = [
    ...(isCluster ? [] : ['httpDomain']),
    'tcpDomain',
    'scope',
    'description',
    'status',
    'allowsRoot',
    ...Object.keys(isCluster ? { ...clusterFields, ...newCredentials } : capacityFields),
  ];
  return {
    first: isCluster ? ['driver', 'kubeconfig', 'alias', 'name', 'httpDomain'] : ['driver', 'alias', 'name'],
    more: folded,
    fields: {
      ...clusterFields,
      ...newCredentials,
      ...capacityFields,
      driver: driverField(driver),
      alias: { label: labels.alias, hint: undefined, placeholder: undefined, required: true },
      name: { label: labels.name, hint: hints.name, value: name },
      httpDomain: {
        label: labels.httpDomain,
        hint: hints.httpDomain,
        value: domain,
        placeholder: 'apps.example.com',
      },
      tcpDomain: { label: labels.tcpDomain, hint: hints.tcpDomain, value: httpDomain },
      kubeconfig: {
        kind: 'file',
        label: labels.kubeconfig,
        hint: hints.kubeconfig,
        required: true,
        below: isCluster && <KubeconfigCheck kubeconfig={String(values.kubeconfig ?? '')} />,
      },
      scope: scopeField,
      status: statusField,
      allowsRoot: { ...rootField, value: true },
      description: { label: labels.description, hint: undefined },
    },
  };
}
