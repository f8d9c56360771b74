import { builder } from '../../graphql/schema/builder.ts';
import { property, propertyOrNull } from '../../graphql/schema/exposed.ts';
import { inputOf, referenceOf } from '../../graphql/schema/input.ts';
import { addList } from '../../graphql/schema/list.ts';
import { lookup } from '../../graphql/schema/lookup.ts';
import { mutation } from '../../graphql/schema/mutation.ts';
import { entity } from '../../graphql/schema/node.ts';
import { related, relatedOrNull } from '../../graphql/schema/related.ts';
import { validatedBy } from '../../graphql/schema/validation.ts';
import { QuotaExceededError } from '../../kernel/errors.ts';
import { Application } from '../application/graphql.ts';
import { loadApplication } from '../application/reads.ts';
import { Component } from '../component/graphql.ts';
import { loadComponent } from '../component/reads.ts';
import { DeployHook } from '../deploy-hook/graphql.ts';
import { Job, jobResult } from '../job/graphql.ts';
import { ManifestChangeObject, ManifestFormat, ManifestPlanObject, Omitted } from '../manifest/graphql.ts';
import { callerField } from '../service-account/graphql.ts';
import { diffOf, manifestOfRelease } from './diff-reads.ts';
import {
  promoteRelease,
  releaseAddress,
  releaseNumber,
  releaseRef,
  rollbackApplication,
  rollbackComponent,
} from './model.ts';
import * as operations from './operations.ts';
import { type ReleaseRow, releaseOfJob, releasesOf, requireRelease, visibleRelease } from './reads.ts';

inputOf('ReleaseAddress', releaseAddress, 'Identifies a release by its component and number.');
referenceOf('ReleaseRef', releaseRef, 'Identifies a release. Set exactly one field.');

const Release = entity<'Release', ReleaseRow>('Release', 'Release', {
  description:
    'A deploy of a component, with the deployed configuration. The last 50 of each component are stored. Ports and gateway rules take effect immediately, so they are not part of a release.',
  read: visibleRelease,
  uid: 'The numeric id of the release. Use it as `releaseId` in references.',
  exposes: {
    'number: Int!': 'The number of the release, from 1 for each component.',
    'createdAt: DateTime!': 'The time of the deploy.',
    'image: String!': 'The image that was deployed.',
    'version: String!': 'The version that was deployed.',
    'digest: String':
      'The digest of the image tag at the time of the deploy, which a rollback runs again: `sha256:…`. Null if unknown or part of the image reference.',
    'resolvedAt: DateTime': 'The time at which the registry was asked for the digest. Null if unknown.',
    'restoredNumber: Int':
      'The number of the release that this rollback restored. Null if this release is not a rollback.',
  },
  fields: (t) => ({
    manifest: t.using('id', 'componentId').string({
      nullable: true,
      description:
        'The deployed configuration, as a manifest of the application with only this component. Secrets are `{ secret: preserve }`. Null if the release was just deleted.',
      args: {
        format: t.arg({
          type: ManifestFormat,
          required: false,
          description: 'The format. Defaults to YAML.',
        }),
      },
      resolve: (release, { format }, context) => manifestOfRelease(context, release, format ?? 'yaml'),
    }),
    diff: t.using('id', 'componentId').field({
      type: [ManifestChangeObject],
      nullable: true,
      description:
        'The changes from this release to another release of the component. The values of secrets are redacted. Null if the other release does not exist.',
      args: {
        to: t.arg.int({
          required: false,
          description: 'The number of the other release. Defaults to the last one.',
          validate: validatedBy(releaseNumber.nullish()),
        }),
      },
      resolve: (release, { to }, context) => diffOf(context, release, to),
    }),
    job: relatedOrNull(
      t,
      'jobId',
      Job,
      'The job that carried out the deploy. Null if it was deleted or is not visible to the caller.',
    ),
    actor: callerField(
      t,
      'The user or service account that made the deploy. Null if a deploy hook made it, and if the account no longer exists or is not visible to the caller.',
    ),
    deployHook: relatedOrNull(
      t,
      'deployHookId',
      DeployHook,
      'The deploy hook that made the deploy. Null if no deploy hook made it, and if the deploy hook was deleted.',
    ),
    component: related(t, 'componentId', Component, 'The component that was deployed.'),
  }),
});

builder.objectField(Release, 'promotedFrom', (t) =>
  relatedOrNull(
    t,
    'promotedId',
    Release,
    'The release of another application that this one was promoted from. Null if this release was not promoted, and if the other one was deleted or is not visible to the caller.',
  ),
);

lookup('release', Release, { ref: releaseRef, read: requireRelease });

addList(Component, 'releases', Release, {
  description:
    'The releases of the component, newest first: one for each deploy that changed something. The last 50 are stored.',
  list: (component) => releasesOf(component.id),
});

const errors = [QuotaExceededError];

const plan = property(
  ManifestPlanObject,
  'The changes that were made or, with `dryRun`, would be made. `leftOver` and `adopted` are empty, because no manifest is applied.',
);

const newRelease = propertyOrNull(
  Release,
  'The new release. Null for a dry run, if there was nothing to change, and if the component stays stopped.',
);

mutation('rollbackComponent', rollbackComponent, operations.rollbackComponent, {
  description:
    'Rolls a component back to one of its releases: deploys its image, command, resources, placement, probes, variables with their secrets, volumes and dependencies as a new release. Volumes keep their data, and a volume that was added since stays mounted. Ports, gateway rules and dependencies on deleted components are unchanged. A stopped component stays stopped, unless `startStopped` is true.',
  operation: { advice: 'list_releases has the releases. Call it with `dryRun` first.' },
  errors,
  load: async (context, { componentId, ...outcome }) => ({
    ...outcome,
    component: await loadComponent(context, componentId),
    release: outcome.job && (await releaseOfJob(context, componentId, outcome.job.id)),
  }),
  payload: {
    component: property(Component, 'The component.'),
    release: newRelease,
    job: jobResult,
    plan,
  },
});

mutation('rollbackApplication', rollbackApplication, operations.rollbackApplication, {
  description:
    'Rolls all components of an application back to their releases at a time, as `rollbackComponent` does. Running components that have changed since are deployed, dependencies first; stopped components change and stay stopped, unless `startStopped` is true. Components that were created since are unchanged, and deleted ones are not created again.',
  operation: {
    advice: 'Call it with `dryRun` first.',
    selection: { omitted: 'object component name reason' },
  },
  errors,
  load: async (context, { applicationId, ...outcome }) => ({
    ...outcome,
    application: await loadApplication(context, applicationId),
  }),
  payload: {
    application: property(Application, 'The application.'),
    job: jobResult,
    plan,
    omitted: property(
      [Omitted],
      'The components without a stored release from that time. They are unchanged.',
    ),
  },
});

mutation('promoteRelease', promoteRelease, operations.promoteRelease, {
  description:
    'Deploys the image and the configuration of a release to the component of the same name in another application: command, probes, shutdown times and files of `config-file` volumes. Variables, secrets, dependencies, ports and volumes with data of that component stay as they are. A stopped component stays stopped, unless `startStopped` is true.',
  operation: { advice: 'list_releases has the releases. Call it with `dryRun` first.' },
  errors,
  load: async (context, { componentId, ...outcome }) => ({
    ...outcome,
    component: await loadComponent(context, componentId),
    release: outcome.job && (await releaseOfJob(context, componentId, outcome.job.id)),
  }),
  payload: {
    component: property(Component, 'The component that the release was deployed to.'),
    release: newRelease,
    job: jobResult,
    plan,
  },
});
