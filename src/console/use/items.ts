import { itemOf } from '../act/items.tsx';
import { wordsOf } from '../act/words.ts';
import { strings } from '../strings.ts';
import type { Resources } from './bars.tsx';

const text = strings.use;
const amount = { min: 0, required: true };

interface Of {
  uid: string;
  alias: string;
}

const targetOf = (team: Of, region: Of, { revision }: Pick<Resources, 'revision'>) => ({
  team: { teamId: team.uid },
  region: { regionId: region.uid },
  expectedRevision: revision,
});

export const quotaItem = (team: Of, region: Of, resources: Resources) =>
  itemOf(`quota ${team.uid} ${region.uid}`, {
    label: text.setQuota,
    submit: text.save,
    title: text.quotaTitle(team.alias, region.alias),
    mutation: 'setTeamQuota',
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
    target: targetOf(team, region, resources),
  });

export const closeItem = (team: Of, region: Of, resources: Resources) =>
  itemOf(`close ${team.uid} ${region.uid}`, {
    ...wordsOf(text, 'close', region.alias, team.alias),
    mutation: 'closeTeamRegion',
    target: targetOf(team, region, resources),
  });
