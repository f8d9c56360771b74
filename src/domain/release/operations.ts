import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { findByKeys } from '../../db/write/bulk.ts';
import { locked } from '../../db/write/locked.ts';
import type { Reading } from '../../db/write/reading.ts';
import { requireRevisionOf } from '../../db/write/revision.ts';
import { ConflictError, NotFoundError } from '../../kernel/errors.ts';
import { invalid } from '../../kernel/validate.ts';
import { requireApplication, requireApplicationFor } from '../application/reads.ts';
import type { DeployOrigin } from '../component/hooks.ts';
import {
  loadComponent,
  requireComponent,
  requireComponentFor,
  visibleComponent,
} from '../component/reads.ts';
import { lockComponents } from '../component/rows.ts';
import type { OmittedObject } from '../manifest/entry-reads.ts';
import { requireEnabled } from '../region/reads.ts';
import { promoted, restored } from './entry-model.ts';
import type { PromoteRelease, RollbackApplication, RollbackComponent } from './model.ts';
import { requireRelease, specOf } from './reads.ts';
import { type RestoreOutcome, restoreWith } from './restore-operations.ts';
import { planRestore, type Target } from './restore-rows.ts';
import { releasesAt, releasesToDeploy } from './rows.ts';

type Component = Row<'Component'>;

/** A rollback runs the image of then, wherever its tag leads now. */
const restoring = ({ number, digest, resolvedAt }: Row<'Release'>): DeployOrigin => ({
  restoredNumber: number,
  digest,
  resolvedAt,
});

/** The release of a locked component. */
async function releaseWithin(
  reading: Reading<Context>,
  { id: componentId, name }: Component,
  number: number,
): Promise<Row<'Release'>> {
  const [found] = await findByKeys(reading, 'Release', 'componentId', [componentId], ['id'], {
    fields: ['id'],
    where: { field: 'number', is: number },
  });
  const [release] = found ? await releasesToDeploy(reading, [found.id]) : [];
  if (!release) throw new ConflictError(`The component ${name} has no release ${number}.`);
  return release;
}

/** Deploys a component as a release of it was deployed. */
export async function rollbackComponent(
  context: Context,
  input: RollbackComponent,
): Promise<RestoreOutcome & { componentId: string }> {
  const { component, team, region } = await requireComponentFor(
    context,
    input.component,
    'rollbackComponent',
  );
  return restoreWith(context, {
    place: { team, region },
    action: 'component.rollback',
    isDryRun: input.dryRun ?? false,
    async plan(reading) {
      const row = await locked(reading, 'Component', component.id, input);
      const release = await releaseWithin(reading, row, input.release);
      const target: Target = { row, release, origin: restoring(release) };
      const restore = await planRestore({ ...reading, team, region }, [target], {
        deploy: 'all',
        startStopped: input.startStopped,
        restoredOf: (current) => restored(specOf(context, release), current, { keepsData: true }),
      });
      return { restore, row, number: release.number };
    },
    record({ recordEvent }, { row: { id, name, teamId, applicationId }, number }) {
      recordEvent({
        subject: { type: 'Component', id },
        teamId,
        applicationId,
        before: { name },
        after: { name, release: number },
      });
      return { componentId: id };
    },
  });
}

/** Deploys the components of an application as they were deployed at a time. Those that have not changed since stay as they are. */
export async function rollbackApplication(
  context: Context,
  input: RollbackApplication,
): Promise<RestoreOutcome & { applicationId: number; omitted: OmittedObject[] }> {
  const { application, team, region } = await requireApplicationFor(
    context,
    input.application,
    'rollbackApplication',
  );
  return restoreWith(context, {
    place: { team, region },
    action: 'application.rollback_components',
    isDryRun: input.dryRun ?? false,
    async plan(reading) {
      const keys = [application.id];
      const found = await findByKeys(reading, 'Component', 'applicationId', keys, ['name', 'id'], {
        fields: ['id'],
      });
      const rows = await lockComponents(
        reading,
        found.map(({ id }) => id),
      );
      const { targets, omitted } = await targetsAt(reading, rows, input.at);
      if (targets.length === 0) {
        throw new ConflictError(
          `The components of the application ${application.name} have no stored releases from ${input.at.toISOString()} or earlier.`,
        );
      }
      const byId = new Map(targets.map((target) => [target.row.id, target]));
      const restore = await planRestore({ ...reading, team, region }, targets, {
        deploy: 'changed',
        startStopped: input.startStopped,
        restoredOf: (current) =>
          restored(specOf(context, byId.get(current.row.id)!.release), current, { keepsData: true }),
      });
      return { restore, omitted };
    },
    async record(write, { omitted }) {
      const { id, name } = application;
      write.recordEvent({
        subject: { type: 'Application', id },
        teamId: team.id,
        applicationId: id,
        before: { name },
        after: { name, at: input.at.toISOString() },
      });
      await requireRevisionOf(write, 'Application', id, input);
      return { applicationId: id, omitted };
    },
  });
}

/** The releases that components had at a time, and the components without one. */
async function targetsAt(
  reading: Reading<Context>,
  rows: readonly Component[],
  at: Date,
): Promise<{ targets: Target[]; omitted: OmittedObject[] }> {
  const found = await releasesAt(
    reading,
    rows.map(({ id }) => id),
    at,
  );
  const ids = [...found.values()].flatMap(({ id }) => id ?? []);
  const releases = new Map((await releasesToDeploy(reading, ids)).map((row) => [row.id, row]));
  const targets: Target[] = [];
  const omitted: OmittedObject[] = [];
  for (const row of rows) {
    const { id = null, firstNumber = 1 } = found.get(row.id) ?? {};
    const release = id === null ? undefined : releases.get(id);
    if (release) targets.push({ row, release, origin: restoring(release) });
    else {
      const reason =
        firstNumber > 1
          ? 'Its releases of that time are no longer stored.'
          : 'No release of it at that time is stored.';
      omitted.push({ object: 'COMPONENT', component: row.name, name: row.alias, reason });
    }
  }
  return { targets, omitted };
}

/** Deploys the image and the configuration of a release to the component of the same name in another application. */
export async function promoteRelease(
  context: Context,
  input: PromoteRelease,
): Promise<RestoreOutcome & { componentId: string }> {
  const shown = await requireRelease(context, input.release);
  const source = await loadComponent(context, shown.componentId);
  const { application } = await requireApplication(context, input.to);
  if (application.id === source.applicationId) {
    throw invalid(['input', 'to'], 'Must be another application than that of the release');
  }
  const componentId = await targetOf(context, application, source.name);
  const { component, team, region } = await requireComponent(context, { componentId }, 'promoteRelease');
  requireEnabled(region);
  return restoreWith(context, {
    place: { team, region },
    action: 'component.promote',
    isDryRun: input.dryRun ?? false,
    async plan(reading) {
      const row = await locked(reading, 'Component', component.id, input);
      const [release] = await releasesToDeploy(reading, [shown.id]);
      if (!release) throw new NotFoundError('release');
      const { digest, resolvedAt } = release;
      const target: Target = { row, release, origin: { promotedId: release.id, digest, resolvedAt } };
      const includesResources = input.includesResources ?? false;
      const restore = await planRestore({ ...reading, team, region }, [target], {
        deploy: 'all',
        startStopped: input.startStopped,
        restoredOf: (current) => promoted(specOf(context, release), current, { includesResources }),
      });
      return { restore, row, release };
    },
    record({ recordEvent }, { row: { id, name, teamId, applicationId }, release: { number, image } }) {
      recordEvent({
        subject: { type: 'Component', id },
        teamId,
        applicationId,
        before: { name },
        after: { name, release: number, image },
      });
      return { componentId: id };
    },
  });
}

/** The component that a release is promoted to, among those that the caller may see. */
async function targetOf(context: Context, application: Row<'Application'>, name: string): Promise<string> {
  const named = await context.db.component.findManyByKeys({
    by: 'applicationId',
    keys: [application.id],
    where: [{ field: 'name', is: name }],
    fields: ['id'],
  });
  const visible = await Promise.all(named.map(({ id }) => visibleComponent(context, id)));
  const [component, other] = visible.flatMap((each) => each ?? []);
  const called = `named ${name}`;
  if (!component) throw new ConflictError(`The application ${application.name} has no component ${called}.`);
  if (other) {
    throw new ConflictError(
      `The application ${application.name} has more than one component ${called}. Rename the others first.`,
    );
  }
  return component.id;
}
