import type { Item } from '../../act/action-bar.tsx';
import { lazyDialog } from '../../act/lazy-dialog.tsx';
import { strings } from '../../strings.ts';

const CreateTeamDialog = lazyDialog<{ draft: string; close(): void }>(
  async () => (await import('./create-team.tsx')).CreateTeamDialog,
);

const key = 'create team';

/** The button for a new team. */
export const newTeamItem: Item = {
  key,
  label: strings.home.newTeam,
  open: (close) => <CreateTeamDialog draft={key} close={close} />,
};
