import { useQuery } from 'urql';
import { ActionBar } from '../act/action-bar.tsx';
import { itemOf, present } from '../act/items.tsx';
import { wordsOf } from '../act/words.ts';
import { RegionActionsQuery, RegionTeamsQuery } from '../documents/regions.ts';
import { EditRegionDialog } from './edit-dialog.tsx';
import { ImportDialog } from './import-dialog.tsx';
import { RemoveLeftoversDialog } from './leftovers.tsx';
import { OpenRegionDialog } from './open-dialog.tsx';
import { text } from './strings.ts';

export function RegionActions({ name }: { name: string }) {
  const [{ data }] = useQuery({ query: RegionActionsQuery, variables: { by: { name } } });
  const [{ data: found }] = useQuery({ query: RegionTeamsQuery, variables: {} });
  const region = data?.region;
  if (!region || !found) return null;
  const { isAdministrator, enterprise } = found.viewer;
  const teams = enterprise.teams.nodes;
  const hasCluster = region.driver !== 'DECLARED';
  const isUsable = region.scope === 'PUBLIC' || isAdministrator;
  const items = present(
    region.mayUpdate && {
      key: 'edit',
      label: text.edit,
      open: (close) => <EditRegionDialog name={name} draft="edit" close={close} />,
    },
    isUsable &&
      (teams.some(({ mayOpen }) => mayOpen) || (isAdministrator && region.mayUpdate)) && {
        key: 'open',
        label: text.open,
        open: (close) => <OpenRegionDialog region={region} draft="open" close={close} />,
      },
    hasCluster &&
      region.status === 'ENABLED' &&
      teams.some(({ mayImport }) => mayImport) && {
        key: 'import',
        label: text.import,
        open: (close) => <ImportDialog region={region} draft="import" close={close} />,
      },
    hasCluster &&
      region.mayRemoveOrphans && {
        key: 'leftovers',
        label: text.remove,
        isDestructive: true,
        open: (close) => <RemoveLeftoversDialog region={region} draft="leftovers" close={close} />,
      },
    region.mayDelete &&
      itemOf('delete', {
        ...wordsOf(text, 'delete', region.alias),
        mutation: 'deleteRegion',
        target: { region: { regionId: region.uid }, expectedRevision: region.revision },
        leadsTo: () => '/regions',
      }),
  );
  return <ActionBar items={items} />;
}
