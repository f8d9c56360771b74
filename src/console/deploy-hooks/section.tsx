import { ActionBar, type Item } from '../act/action-bar.tsx';
import { ActionTable } from '../act/action-table.tsx';
import { itemOf } from '../act/items.tsx';
import { wordsOf } from '../act/words.ts';
import type { FragmentOf } from '../api/graphql.ts';
import type { DeployHooksOf } from '../documents/deploy-hooks.ts';
import { Section } from '../ui/blocks.tsx';
import { Time } from '../ui/time.tsx';
import { text } from './strings.ts';
import { urlOf } from './url.tsx';

const { labels, hints } = text;

type Component = FragmentOf<typeof DeployHooksOf> & { uid: string; name: string };
type Hook = Component['deployHooks']['nodes'][number];

/** The URLs with which pipelines deploy a component. */
export function DeployHooks({ component }: { component: Component }) {
  const { uid, name, deployHooks, opensWebhooks, mayManageHooks, mayUpdate } = component;
  const isEmpty = deployHooks.nodes.length === 0;
  const items = opensWebhooks
    ? mayManageHooks && [createItem(uid, name)]
    : mayUpdate && [switchOnItem(uid, name)];
  return (
    <Section
      title={text.title}
      count={deployHooks.totalCount}
      empty={isEmpty && (opensWebhooks ? text.none : text.off)}
      actions={items && <ActionBar isSmall items={items} />}
    >
      {!opensWebhooks && !isEmpty && <p className="soft small section-note">{text.off}</p>}
      {!isEmpty && (
        <ActionTable
          label={text.title}
          columns={text.columns}
          empty={text.none}
          rows={deployHooks.nodes}
          classes={{ created: 'soft', used: 'soft' }}
          cells={(hook) => ({
            name: (
              <>
                {hook.name}{' '}
                {hook.tagPattern && <span className="soft small">{text.tags(hook.tagPattern)}</span>}
              </>
            ),
            created: <Time at={hook.createdAt} />,
            used: hook.lastUsedAt ? <Time at={hook.lastUsedAt} /> : text.never,
          })}
          itemsOf={mayManageHooks && itemsOf}
        />
      )}
    </Section>
  );
}

const switchOnItem = (uid: string, name: string) =>
  itemOf(`switch-hooks-on ${uid}`, {
    ...wordsOf(text, 'switchOn', name),
    mutation: 'updateComponent',
    target: { component: { componentId: uid }, opensWebhooks: true },
  });

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
