import { itemOf } from '../act/items.tsx';
import { CloseTeamRegion, SetTeamQuota } from '../documents/use.ts';
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

/** Sets the quota of a team in a region. */
export const quotaItem = (team: Of, region: Of, resources: Resources) =>
  itemOf(
    `quota ${team.uid} ${region.uid}`,
    {
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
      target: targetOf(team, region, resources),
    },
    text.setQuota,
  );

/** Closes a region for a team. */
export const closeItem = (team: Of, region: Of, resources: Resources) =>
  itemOf(`close ${team.uid} ${region.uid}`, {
    label: text.close,
    title: text.closeTitle(region.alias, team.alias),
    intro: text.closeIntro,
    isDestructive: true,
    document: CloseTeamRegion,
    plan: 'step',
    input: () => targetOf(team, region, resources),
  });
