import { useQuery } from 'urql';
import { ActionBar } from '../../act/action-bar.tsx';
import { deleteVolumesForm, itemOf, moveItems, present, startStoppedForm } from '../../act/items.tsx';
import { lazyItem } from '../../act/lazy-item.tsx';
import { text as texts } from '../../application/strings.ts';
import { ApplicationActionsQuery } from '../../documents/act-application.ts';
import { pipelineTokenItem } from '../../people/tokens/pipeline-item.tsx';
import { text as releaseTexts } from '../../releases/strings.ts';
import { text as storeTexts } from '../../store/strings.ts';
import { strings } from '../../strings.ts';

const text = strings.act;

const installItem = lazyItem(
  text.install,
  async () => (await import('../../store/install.tsx')).InstallDialog,
);
const newComponentItem = lazyItem(
  texts.newComponent,
  async () => (await import('../../application/component/new/new-component.tsx')).NewComponentDialog,
);
const editItem = lazyItem(
  texts.edit,
  async () => (await import('../../application/edit-application.tsx')).EditApplicationDialog,
);
const rollBackItem = lazyItem(
  releaseTexts.rollBackAll,
  async () => (await import('../../releases/roll-back-all.tsx')).RollBackAllDialog,
);
const publishItem = lazyItem(
  storeTexts.publish,
  async () => (await import('../../store/publish-application.tsx')).PublishDialog,
);
const copyItem = lazyItem(
  texts.copy,
  async () => (await import('../../application/copy-application.tsx')).CopyApplicationDialog,
);
export const upgradeItem = lazyItem(
  text.upgrade,
  async () => (await import('../../store/upgrade.tsx')).UpgradeDialog,
);

const intros = { start: text.intros.startAll, restart: text.intros.restartAll };

export function ApplicationActions({ appId }: { appId: number }) {
  const [{ data }] = useQuery({ query: ApplicationActionsQuery, variables: { by: { appId } } });
  const application = data?.application;
  if (!application) return null;
  const { name, team, revision: expectedRevision } = application;
  const input = { application: { appId }, expectedRevision };
  const isEmpty = application.componentCount === 0;
  const moves = isEmpty
    ? {}
    : moveItems({ name, of: 'Application', intros, may: application, target: input });
  const stopped = application.stopped.totalCount;
  const items = present(
    moves.deploy && stopped > 0
      ? itemOf('deploy', {
          label: text.deploy,
          title: text.titles.deploy(name),
          mutation: 'deployApplication',
          plan: 'live',
          form: startStoppedForm(text.fields.startStopped(stopped)),
          target: input,
        })
      : moves.deploy,
    application.mayCreate && newComponentItem('new-component', { application }),
    application.mayInstall && installItem('install', { application, team }),
    application.mayUpgrade && !isEmpty && upgradeItem('upgrade', { application }),
    moves.start,
    moves.stop,
    moves.restart,
    application.mayRollBack && !isEmpty && rollBackItem('roll-back', { appId, name }),
    application.mayDeploy &&
      pipelineTokenItem(team.id, {
        preset: 'application',
        place: { kind: 'application', id: application.id, name, where: team.alias },
      }),
    application.mayUpdate && editItem('edit', { appId }),
    application.mayPublish && !isEmpty && publishItem('publish', { application }),
    application.mayCopy && copyItem('copy', { application }),
    application.mayDelete &&
      itemOf('delete', {
        label: text.delete,
        title: text.titles.delete(name),
        intro: text.intros.deleteApplication,
        mutation: 'deleteApplication',
        form: deleteVolumesForm,
        target: { ...input, force: true },
        leadsTo: () => `/teams/${encodeURIComponent(team.name)}`,
      }),
  );
  return <ActionBar items={items} shown={4} />;
}
