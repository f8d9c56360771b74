import { ActionBar } from '../act/action-bar.tsx';
import { present } from '../act/items.tsx';
import { lazyDialog } from '../act/lazy-dialog.tsx';
import { text } from './strings.ts';

const NewApplicationDialog = lazyDialog(
  async () => (await import('./new-application.tsx')).NewApplicationDialog,
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
