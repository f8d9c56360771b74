import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { change, requireRightsStill, type Write } from '../../db/write/change.ts';
import { locked } from '../../db/write/locked.ts';
import { NotFoundError } from '../../kernel/errors.ts';
import { beforeDeploy } from '../component/deploy/prepared-reads.ts';
import { carryOut } from '../component/deploy/rows.ts';
import { isDeployedBy } from '../component/deploy/scope-model.ts';
import { imageTag } from '../component/model.ts';
import { requireComponentFor } from '../component/reads.ts';
import { setConfiguration } from '../component/rows.ts';
import { imageAfter, staysStopped } from './model.ts';
import { requireOpen, visibleDeployHook } from './reads.ts';
import { type HookRequest, requestAfter } from './registry-model.ts';

export interface HookOutcome {
  component: Row<'Component'>;
  job: Row<'Job'> | null;
  /** Why nothing was deployed. Null if something was. */
  reason: string | null;
}

const noWork = { deployed: [], restarted: [] };

/**
 * Deploys the component of the deploy hook that makes the request, with another image of the same repository if the request names
 * one or a registry says that it was pushed. A stopped component gets the image, and stays stopped unless the request asks to start it.
 */
export async function deployByHook(context: Context, request: HookRequest): Promise<HookOutcome> {
  const hook = await visibleDeployHook(context, context.actor.deployHookId!);
  if (!hook) throw new NotFoundError('deploy hook');
  const { componentId } = hook;
  const target = await requireComponentFor(context, { componentId }, 'deployComponent');
  const { team, region } = target;
  const wantedOf = ({ image }: Row<'Component'>) => {
    const wanted = 'pushes' in request ? requestAfter(image, hook.tagPattern, request) : request;
    return 'reason' in wanted ? wanted : { ...wanted, image: imageAfter(image, wanted) };
  };
  const deployedNow = () => {
    const { component } = target;
    const wanted = component.openWebhooks ? wantedOf(component) : { reason: '' };
    if ('reason' in wanted || !isDeployedBy('every', component, wanted)) return noWork;
    return { ...noWork, deployed: [{ ...component, image: wanted.image }] };
  };
  const deploy = async (write: Write<Context>): Promise<HookOutcome> => {
    const before = await locked(write, 'Component', target.component.id);
    // A deploy hook is changed and deleted under the same lock.
    await requireRightsStill(context, write.tx);
    requireOpen(before);
    const wanted = wantedOf(before);
    if ('reason' in wanted) return { component: before, job: null, reason: wanted.reason };
    const { image } = wanted;
    const changes = image === before.image ? {} : { image, version: imageTag(image) ?? 'latest' };
    const row = await setConfiguration(write, 'component.update', before, changes, true);
    if (!isDeployedBy('every', row, wanted)) {
      return { component: row, job: null, reason: staysStopped(row) };
    }
    const scene = { kind: 'deploy', team, region, applicationId: row.applicationId } as const;
    const { components, job } = await carryOut(write, scene, [{ row, action: 'deploy' }]);
    return { component: components[0]!, job, reason: null };
  };
  const prepare = beforeDeploy(context, { team, region }, deployedNow, false);
  return change(context, 'component.deploy', deploy, undefined, prepare);
}
