import { ActionBar, ActionCell, type Item } from '../act/action-bar.tsx';
import { itemOf } from '../act/items.tsx';
import { lazyDialog } from '../act/lazy-dialog.tsx';
import type { FragmentOf } from '../api/graphql.ts';
import { DeleteDeployHook, type DeployHooksOf, UpdateDeployHook } from '../documents/deploy-hooks.ts';
import { Section, Table } from '../ui/blocks.tsx';
import { Time } from '../ui/time.tsx';
import { text } from './strings.ts';

const { labels, hints } = text;

const CreateDialog = lazyDialog(async () => (await import('./dialogs.tsx')).CreateDeployHookDialog);
const RotateDialog = lazyDialog(async () => (await import('./dialogs.tsx')).RotateDeployHookDialog);

type Component = FragmentOf<typeof DeployHooksOf> & { uid: string; name: string };
type Hook = Component['deployHooks']['nodes'][number];

/** The URLs with which pipelines deploy a component. */
export function DeployHooks({ component }: { component: Component }) {
  const { uid, name, deployHooks, opensWebhooks, mayManageHooks } = component;
  const { actions, ...columns } = text.columns;
  const create: Item = {
    key: `create-hook ${uid}`,
    label: text.create,
    open: (close) => <CreateDialog uid={uid} name={name} close={close} />,
  };
  return (
    <Section
      title={text.title}
      count={deployHooks.totalCount}
      actions={mayManageHooks && opensWebhooks && <ActionBar isSmall items={[create]} />}
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

const itemsOf = (hook: Hook): Item[] => [
  itemOf(`update-hook ${hook.id}`, {
    label: text.update,
    title: text.updateTitle(hook.name),
    document: UpdateDeployHook,
    form: {
      first: ['name', 'tagPattern'],
      labels,
      hints,
      fields: { name: { required: true }, tagPattern: { isNullable: true } },
      current: hook,
    },
    target: { deployHook: { id: hook.id }, expectedRevision: hook.revision },
  }),
  {
    key: `rotate ${hook.id}`,
    label: text.rotate,
    open: (close) => <RotateDialog hook={hook} close={close} />,
  },
  itemOf(`delete ${hook.id}`, {
    label: text.delete,
    title: text.deleteTitle(hook.name),
    intro: text.deleteIntro,
    isDestructive: true,
    document: DeleteDeployHook,
    plan: 'step',
    input: () => ({ deployHook: { id: hook.id }, expectedRevision: hook.revision }),
  }),
];
