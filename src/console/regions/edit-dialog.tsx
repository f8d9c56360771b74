import { dialogOf } from '../act/dialog.tsx';
import { Dialog } from '../act/dialog-frame.tsx';
import type { ResultOf } from '../api/graphql.ts';
import { useFresh } from '../api/use-fresh.ts';
import { RegionSettingsQuery } from '../documents/regions.ts';
import type { Field, Values } from '../form/values.ts';
import { strings } from '../strings.ts';
import { KubeconfigCheck } from './check.tsx';
import {
  capacityFields,
  clusterFields,
  credentialFields,
  rootField,
  scopeField,
  statusField,
} from './create-form.tsx';
import { text } from './strings.ts';

const { fields: labels, hints } = text;

type Region = NonNullable<ResultOf<typeof RegionSettingsQuery>['region']>;

/** Changes a region. Only what differs is sent. */
export function EditRegionDialog({ name, draft, close }: { name: string; draft: string; close(): void }) {
  const { data, error } = useFresh(RegionSettingsQuery, { by: { name } });
  const region = data?.region;
  if (!region) {
    return (
      <Dialog title={text.editTitle(name)} close={close}>
        <p role="status">{error?.message ?? strings.common.loading}</p>
      </Dialog>
    );
  }
  return dialogOf(close, {
    draft,
    label: text.save,
    title: text.editTitle(region.alias),
    intro: text.editIntro,
    mutation: 'updateRegion',
    form: (values) => formOf(region, values),
    target: { region: { name }, expectedRevision: region.revision },
  });
}

function formOf(region: Region, values: Values) {
  const isCluster = region.driver === 'KUBERNETES';
  const kubeconfig = String(values.kubeconfig ?? '');
  const credentials = credentialFields({
    metrics: region.cluster?.hasMetricsCredentials ?? false,
    logs: region.cluster?.hasLogsCredentials ?? false,
  });
  const fields: { [path: string]: Partial<Field> } = {
    ...clusterFields,
    ...credentials,
    ...capacityFields,
    alias: { label: labels.alias, hint: undefined, required: true },
    description: { label: labels.description, hint: undefined },
    status: statusField,
    scope: scopeField,
    allowsRoot: rootField,
    httpDomain: { label: labels.httpDomain, hint: hints.httpDomain },
    tcpDomain: { label: labels.tcpDomain, hint: hints.tcpDomain },
    url: { label: labels.url, hint: undefined },
    websocketUrl: { label: labels.websocketUrl, hint: undefined },
    kubeconfig: {
      kind: 'file',
      label: labels.kubeconfig,
      hint: hints.keepKubeconfig,
      below: <KubeconfigCheck region={region.name} kubeconfig={kubeconfig} />,
    },
  };
  const usage = region.usage;
  return {
    first: [
      'alias',
      'description',
      'status',
      'scope',
      ...(isCluster ? (['kubeconfig'] as const) : []),
    ] as const,
    more: [
      'httpDomain',
      'tcpDomain',
      'allowsRoot',
      ...Object.keys(isCluster ? { ...clusterFields, ...credentials } : capacityFields),
      ...(isCluster ? ['url', 'websocketUrl'] : []),
    ],
    fields,
    current: {
      ...region,
      cpuCores: usage?.totalCpuCores ?? '',
      memoryMiB: usage?.totalMemoryMiB ?? '',
      diskGiB: usage?.totalDiskGiB ?? '',
      cluster: region.cluster ?? {},
    },
  };
}
