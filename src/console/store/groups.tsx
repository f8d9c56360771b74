import { useQuery } from 'urql';
import { deleteVolumesForm, itemOf, present, startStoppedForm } from '../act/items.tsx';
import { wordsOf } from '../act/words.ts';
import type { ResultOf } from '../api/graphql.ts';
import { useAllPages } from '../api/view.ts';
import { GroupsQuery } from '../documents/store.ts';
import { strings } from '../strings.ts';
import { text } from './strings.ts';

type Application = NonNullable<ResultOf<typeof GroupsQuery>['application']>;
export type Group = NonNullable<Application['components']['nodes'][number]['group']>;

interface Groups {
  groups: readonly Group[];
  mayChange: boolean;
  hasStopped: boolean;
}

/** The groups of an application. Its components are read page by page, because only they name their groups. */
export function useGroups(appId: number): Groups {
  const by = { appId };
  const [{ data }] = useQuery({ query: GroupsQuery, variables: { by } });
  const list = data?.application?.components;
  useAllPages(list, GroupsQuery, (after) => ({ by, after }));
  const byId = new Map(list?.nodes.flatMap(({ group }) => (group ? [[group.id, group] as const] : [])));
  const { mayChange = false, stopped } = data?.application ?? {};
  return { groups: [...byId.values()], mayChange, hasStopped: (stopped?.totalCount ?? 0) > 0 };
}

/** Brings a group back to the version before its last upgrade. Undefined if there is none. */
export function rollBackItem({ id, name, rollbackVersion, revision }: Group, hasStopped: boolean) {
  if (rollbackVersion === null) return undefined;
  return itemOf(`roll-back ${id}`, {
    ...wordsOf(text, 'rollBack', name, rollbackVersion),
    mutation: 'rollbackUpgrade',
    plan: hasStopped ? 'live' : 'step',
    form: hasStopped ? startStoppedForm(strings.act.fields.startStoppedIfChanged) : { first: [] },
    target: { group: { id }, expectedRevision: revision },
  });
}

/** The actions on an installed group. */
export const groupItems = (group: Group, hasStopped: boolean) =>
  present(
    rollBackItem(group, hasStopped),
    itemOf(`uninstall ${group.id}`, {
      ...wordsOf(text, 'uninstall', group.name),
      submit: text.uninstallTemplate,
      mutation: 'uninstallComponentGroup',
      form: deleteVolumesForm,
      target: { group: { id: group.id }, expectedRevision: group.revision, force: true },
    }),
  );
