import { ActionBar } from '../act/action-bar.tsx';
import { present } from '../act/items.tsx';
import { lazyItem } from '../act/lazy-item.tsx';
import { text } from './strings.ts';

const newItem = lazyItem(
  text.newApplication,
  async () => (await import('./new-application.tsx')).NewApplicationDialog,
);

interface Props {
  team: { id: string; alias: string; mayCreate: boolean };
}

export const NewApplicationAction = ({ team }: Props) => (
  <ActionBar items={present(team.mayCreate && newItem(`new-application ${team.id}`, { team }))} />
);
