import { useQuery } from 'urql';
import { useLocation } from 'wouter';
import {
  ApplicationActionsQuery,
  DeleteApplication,
  DeployApplication,
  RestartApplication,
  StartApplication,
  StopApplication,
} from '../documents/act-application.ts';
import { strings } from '../strings.ts';
import { ActionBar, type Item } from './action-bar.tsx';
import { type Action, ActionDialog } from './dialog.tsx';
import { InstallDialog } from './install.tsx';
import { UpgradeDialog } from './upgrade.tsx';

const text = strings.act;

/** What the caller may do with an application. */
export function ApplicationActions({ appId }: { appId: number }) {
  const [{ data }] = useQuery({ query: ApplicationActionsQuery, variables: { by: { appId } } });
  const [, navigate] = useLocation();
  const found = data?.application;
  if (!found) return null;
  const application = { appId };
  const { name } = found;
  const item = <Input extends object>(key: string, action: Action<Input>): Item => ({
    key,
    label: action.label,
    isDestructive: action.isDestructive,
    open: (close) => <ActionDialog action={action} close={close} />,
  });
  const items: Item[] = [];
  if (found.mayDeploy && found.componentCount > 0) {
    items.push(
      item('deploy', {
        label: text.deploy,
        title: text.titles.deploy(name),
        document: DeployApplication,
        hasPlan: true,
        input: () => ({ application }),
      }),
    );
  }
  if (found.mayInstall) {
    const team = found.team;
    items.push({
      key: 'install',
      label: text.install,
      open: (close) => <InstallDialog application={found} team={team} close={close} />,
    });
  }
  if (found.mayUpgrade && found.componentCount > 0) {
    items.push({
      key: 'upgrade',
      label: text.upgrade,
      open: (close) => <UpgradeDialog application={found} close={close} />,
    });
  }
  if (found.componentCount > 0) {
    if (found.mayStart) {
      items.push(
        item('start', {
          label: text.start,
          title: text.titles.start(name),
          intro: text.intros.startAll,
          document: StartApplication,
          input: () => ({ application }),
        }),
      );
    }
    if (found.mayStop) {
      items.push(
        item('stop', {
          label: text.stop,
          title: text.titles.stop(name),
          isDestructive: true,
          document: StopApplication,
          hasPlan: true,
          input: () => ({ application }),
        }),
      );
    }
    if (found.mayRestart) {
      items.push(
        item('restart', {
          label: text.restart,
          title: text.titles.restart(name),
          intro: text.intros.restartAll,
          document: RestartApplication,
          input: () => ({ application }),
        }),
      );
    }
  }
  if (found.mayDelete) {
    items.push(
      item('delete', {
        label: text.delete,
        title: text.titles.delete(name),
        intro: text.intros.deleteApplication,
        isDestructive: true,
        document: DeleteApplication,
        hasPlan: true,
        input: () => ({ application, force: true, expectedRevision: found.revision }),
        done: () => navigate(`/teams/${encodeURIComponent(found.team.name)}`),
      }),
    );
  }
  return <ActionBar items={items} shown={3} />;
}
