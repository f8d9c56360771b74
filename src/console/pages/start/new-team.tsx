import { lazyItem } from '../../act/lazy-item.tsx';
import { strings } from '../../strings.ts';

const item = lazyItem(strings.home.newTeam, async () => (await import('./create-team.tsx')).CreateTeamDialog);

/** The button for a new team. */
export const newTeamItem = item('create team', {});
