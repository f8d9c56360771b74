import { isDeployedBy, leftStopped } from '../component/deploy/scope-model.ts';
import type { Deploying, DeployMode } from './model.ts';
import type { ComponentWork } from './work.ts';

/** Which of the components that are there an apply deploys. New ones are deployed unless the mode is `none`. */
const scopes = { all: 'every', changed: 'running' } as const satisfies {
  [mode in Exclude<DeployMode, 'none'>]: string;
};

/** Whether an apply deploys a component that is there, if its state allows it. */
const isMeant = ({ current, isWritten, needsDeploy, isOutdated }: ComponentWork, deploy: DeployMode) =>
  current !== null &&
  isWritten &&
  (deploy === 'all' || (deploy === 'changed' && (needsDeploy || isOutdated === true)));

/** Whether an apply deploys a component that is there. */
export const deploysWork = (work: ComponentWork, { deploy, startStopped }: Deploying): boolean =>
  deploy !== 'none' && isMeant(work, deploy) && isDeployedBy(scopes[deploy], work.row, { startStopped });

/** The names of the components that an apply would deploy if they were not stopped. */
export const leftStoppedBy = (
  works: readonly ComponentWork[],
  { deploy, startStopped }: Deploying,
): string[] =>
  deploy === 'none'
    ? []
    : leftStopped(
        scopes[deploy],
        works.filter((work) => isMeant(work, deploy)).map(({ row }) => row),
        { startStopped },
      );
