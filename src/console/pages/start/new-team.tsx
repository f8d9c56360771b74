import { lazyItem } from '../../act/lazy-item.tsx';
import { strings } from '../../strings.ts';

const item = lazyItem(strings.home.newTeam, async () => (await import('./create-team.tsx')).CreateTeamDialog);

export const newTeamItem = item('create team', {});
