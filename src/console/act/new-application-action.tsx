import { text } from '../create/strings.ts';
import { ActionBar } from './action-bar.tsx';
import { present } from './items.tsx';
import { lazyDialog } from './lazy-dialog.tsx';

const NewApplicationDialog = lazyDialog(
  async () => (await import('../create/new-application.tsx')).NewApplicationDialog,
);

interface Props {
  team: { id: string; alias: string; mayCreate: boolean };
}

/** The button for a new application of a team. */
export function NewApplicationAction({ team }: Props) {
  const key = `new-application ${team.id}`;
  return (
    <ActionBar
      items={present(
        team.mayCreate && {
          key,
          label: text.newApplication,
          open: (close) => <NewApplicationDialog team={team} draft={key} close={close} />,
        },
      )}
    />
  );
}
