import { ActionBar, ActionCell, type Item } from '../act/action-bar.tsx';
import { itemOf } from '../act/items.tsx';
import { wordsOf } from '../act/words.ts';
import type { FragmentOf } from '../api/graphql.ts';
import type { DeployHooksOf } from '../documents/deploy-hooks.ts';
import { Section, Table } from '../ui/blocks.tsx';
import { Time } from '../ui/time.tsx';
import { text } from './strings.ts';
import { urlOf } from './url.tsx';

const { labels, hints } = text;

type Component = FragmentOf<typeof DeployHooksOf> & { uid: string; name: string };
type Hook = Component['deployHooks']['nodes'][number];

/** The URLs with which pipelines deploy a component. */
export function DeployHooks({ component }: { component: Component }) {
  const { uid, name, deployHooks, opensWebhooks, mayManageHooks } = component;
  const { actions, ...columns } = text.columns;
  return (
    <Section
      title={text.title}
      count={deployHooks.totalCount}
      actions={mayManageHooks && opensWebhooks && <ActionBar isSmall items={[createItem(uid, name)]} />}
    >
      {!opensWebhooks && <p className="soft small section-note">{text.off}</p>}
      {(opensWebhooks || deployHooks.totalCount > 0) && (
        <Table
          label={text.title}
          columns={[...Object.values(columns), ...(mayManageHooks ? [actions] : [])]}
          empty={text.none}
        >
          {deployHooks.nodes.map((hook) => (
            <tr key={hook.id}>
              <td>
                {hook.name}{' '}
                {hook.tagPattern && <span className="soft small">{text.tags(hook.tagPattern)}</span>}
              </td>
              <td className="soft">
                <Time at={hook.createdAt} />
              </td>
              <td className="soft">{hook.lastUsedAt ? <Time at={hook.lastUsedAt} /> : text.never}</td>
              {mayManageHooks && <ActionCell items={itemsOf(hook)} />}
            </tr>
          ))}
        </Table>
      )}
    </Section>
  );
}

const createItem = (uid: string, name: string) =>
  itemOf(`create-hook ${uid}`, {
    ...wordsOf(text, 'create', name),
    mutation: 'createDeployHook',
    form: {
      first: ['name', 'tagPattern'],
      labels,
      hints,
      fields: { name: { placeholder: undefined }, tagPattern: { placeholder: undefined } },
    },
    target: { component: { componentId: uid } },
    result: urlOf,
  });

const itemsOf = (hook: Hook): Item[] => [
  itemOf(`update-hook ${hook.id}`, {
    ...wordsOf(text, 'update', hook.name),
    mutation: 'updateDeployHook',
    form: {
      first: ['name', 'tagPattern'],
      labels,
      hints,
      fields: { name: { required: true }, tagPattern: { isNullable: true } },
      current: hook,
    },
    target: { deployHook: { id: hook.id }, expectedRevision: hook.revision },
  }),
  itemOf(`rotate ${hook.id}`, {
    ...wordsOf(text, 'rotate', hook.name),
    isDestructive: true,
    mutation: 'rotateDeployHook',
    target: { deployHook: { id: hook.id }, expectedRevision: hook.revision },
    result: urlOf,
  }),
  itemOf(`delete ${hook.id}`, {
    ...wordsOf(text, 'delete', hook.name),
    mutation: 'deleteDeployHook',
    target: { deployHook: { id: hook.id }, expectedRevision: hook.revision },
  }),
];
