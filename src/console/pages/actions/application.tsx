import { useQuery } from 'urql';
import { useLocation } from 'wouter';
import { ActionBar } from '../../act/action-bar.tsx';
import { deleteVolumesForm, itemOf, moveItems, present, startStoppedForm } from '../../act/items.tsx';
import { lazyDialog } from '../../act/lazy-dialog.tsx';
import { text as texts } from '../../application/strings.ts';
import { ApplicationActionsQuery } from '../../documents/act-application.ts';
import { pipelineTokenItem } from '../../people/tokens/pipeline-item.tsx';
import { text as releaseTexts } from '../../releases/strings.ts';
import { text as storeTexts } from '../../store/strings.ts';
import { strings } from '../../strings.ts';

const text = strings.act;

const InstallDialog = lazyDialog(async () => (await import('../../store/install.tsx')).InstallDialog);
const NewComponentDialog = lazyDialog(
  async () => (await import('../../application/component/new/new-component.tsx')).NewComponentDialog,
);
const EditApplicationDialog = lazyDialog(
  async () => (await import('../../application/edit-application.tsx')).EditApplicationDialog,
);
const RollBackAllDialog = lazyDialog(
  async () => (await import('../../releases/roll-back-all.tsx')).RollBackAllDialog,
);
const PublishDialog = lazyDialog(
  async () => (await import('../../store/publish-application.tsx')).PublishDialog,
);

const UpgradeDialog = lazyDialog(async () => (await import('../../store/upgrade.tsx')).UpgradeDialog);

const intros = { start: text.intros.startAll, restart: text.intros.restartAll };

/** The actions of the caller on an application. */
export function ApplicationActions({ appId }: { appId: number }) {
  const [{ data }] = useQuery({ query: ApplicationActionsQuery, variables: { by: { appId } } });
  const [, navigate] = useLocation();
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
    application.mayCreate && {
      key: 'new-component',
      label: texts.newComponent,
      open: (close) => <NewComponentDialog application={application} draft="new-component" close={close} />,
    },
    application.mayInstall && {
      key: 'install',
      label: text.install,
      open: (close) => <InstallDialog application={application} team={team} close={close} />,
    },
    application.mayUpgrade &&
      !isEmpty && {
        key: 'upgrade',
        label: text.upgrade,
        open: (close) => <UpgradeDialog application={application} close={close} />,
      },
    moves.start,
    moves.stop,
    moves.restart,
    application.mayRollBack &&
      !isEmpty && {
        key: 'roll-back',
        label: releaseTexts.rollBackAll,
        open: (close) => <RollBackAllDialog appId={appId} name={name} close={close} />,
      },
    application.mayDeploy &&
      pipelineTokenItem(team.id, {
        preset: 'application',
        place: { kind: 'application', id: application.id, name, where: team.alias },
      }),
    application.mayUpdate && {
      key: 'edit',
      label: texts.edit,
      open: (close) => <EditApplicationDialog appId={appId} draft="edit" close={close} />,
    },
    application.mayPublish &&
      !isEmpty && {
        key: 'publish',
        label: storeTexts.publish,
        open: (close) => <PublishDialog application={application} draft="publish" close={close} />,
      },
    application.mayDelete &&
      itemOf('delete', {
        label: text.delete,
        title: text.titles.delete(name),
        intro: text.intros.deleteApplication,
        mutation: 'deleteApplication',
        form: deleteVolumesForm,
        target: { ...input, force: true },
        done: () => navigate(`/teams/${encodeURIComponent(team.name)}`),
      }),
  );
  return <ActionBar items={items} shown={4} />;
}
