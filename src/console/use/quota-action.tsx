import { useState } from 'react';
import { ActionDialog } from '../act/dialog.tsx';
import { SetTeamQuota } from '../documents/use.ts';
import { strings } from '../strings.ts';
import type { Resources } from './bars.tsx';

const text = strings.use;

interface Props {
  team: { uid: string; alias: string };
  region: { uid: string; alias: string };
  resources: Resources;
}

/** Sets the quota of a team in a region. */
export function QuotaAction({ team, region, resources }: Props) {
  const [isOpen, setOpen] = useState(false);
  const field = (name: string, label: string, value: number) => ({
    name,
    label,
    kind: 'number' as const,
    value: String(value),
    min: 0,
    required: true,
    hint: text.zero,
  });
  return (
    <>
      <button type="button" className="button small" onClick={() => setOpen(true)}>
        {text.setQuota}
      </button>
      {isOpen && (
        <ActionDialog
          close={() => setOpen(false)}
          action={{
            label: text.save,
            title: text.quotaTitle(team.alias, region.alias),
            document: SetTeamQuota,
            fields: () => [
              field('cpuQuotaMillicores', text.cpuQuota, resources.totalCpuMillicores),
              field('memoryQuotaMiB', text.memoryQuota, resources.totalMemoryMiB),
            ],
            input: (values) => ({
              team: { teamId: team.uid },
              region: { regionId: region.uid },
              cpuQuotaMillicores: Number(values.cpuQuotaMillicores),
              memoryQuotaMiB: Number(values.memoryQuotaMiB),
              expectedRevision: resources.revision,
            }),
          }}
        />
      )}
    </>
  );
}
