import { actionsWith } from '../../kernel/access.ts';

/** The actions on a region. What a team does in a region is an action on the team. */
export const regionActions = actionsWith({
  deleteRegion: { administratorsMay: 'delete regions' },
  removeRegionOrphans: { administratorsMay: 'remove the orphans of clusters' },
  updateRegion: { administratorsMay: 'change regions' },
});
export type RegionAction = keyof typeof regionActions;
