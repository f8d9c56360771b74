import { useState } from 'react';
import { ActionDialog } from '../act/dialog.tsx';
import { SetTeamQuota } from '../documents/use.ts';
import { strings } from '../strings.ts';
import type { Resources } from './bars.tsx';

const text = strings.use;
const amount = { min: 0, required: true };

interface Props {
  team: { uid: string; alias: string };
  region: { uid: string; alias: string };
  resources: Resources;
}

/** Sets the quota of a team in a region. */
export function QuotaAction({ team, region, resources }: Props) {
  const [isOpen, setOpen] = useState(false);
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
            form: {
              first: ['cpuQuotaMillicores', 'memoryQuotaMiB'],
              labels: { cpuQuotaMillicores: text.cpuQuota, memoryQuotaMiB: text.memoryQuota },
              hints: { cpuQuotaMillicores: text.zero, memoryQuotaMiB: text.zero },
              fields: { cpuQuotaMillicores: amount, memoryQuotaMiB: amount },
              initial: {
                cpuQuotaMillicores: resources.totalCpuMillicores,
                memoryQuotaMiB: resources.totalMemoryMiB,
              },
            },
            target: {
              team: { teamId: team.uid },
              region: { regionId: region.uid },
              expectedRevision: resources.revision,
            },
          }}
        />
      )}
    </>
  );
}
