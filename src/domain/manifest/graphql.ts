import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { builder } from '../../graphql/schema/builder.ts';
import { property, propertyOrNull } from '../../graphql/schema/exposed.ts';
import { enumOf } from '../../graphql/schema/input.ts';
import { mutation } from '../../graphql/schema/mutation.ts';
import { objectType } from '../../graphql/schema/object-type.ts';
import { validatedBy } from '../../graphql/schema/validation.ts';
import { batched } from '../../kernel/batch.ts';
import { QuotaExceededError } from '../../kernel/errors.ts';
import { Application } from '../application/graphql.ts';
import { loadApplication, wholeApplication } from '../application/reads.ts';
import type { PlannedImage } from '../component/deploy/image-model.ts';
import { leftStoppedDescription } from '../component/deploy/scope-model.ts';
import { Component } from '../component/graphql.ts';
import { EnvironmentVariable } from '../component/variables/graphql.ts';
import { Volume } from '../component/volumes/graphql.ts';
import { HttpRule } from '../gateway-rule/http/graphql.ts';
import { TcpRule } from '../gateway-rule/tcp/graphql.ts';
import { Job } from '../job/graphql.ts';
import {
  changeActions,
  deployMode,
  deployModes,
  effects,
  type FieldChange,
  type ManifestChange,
  type ManifestPlan,
  objectKinds,
  type PlannedObject,
  pruneMode,
  pruneModes,
} from '../plan/model.ts';
import { summaryOf } from '../plan/summary-model.ts';
import { Port } from '../port/graphql.ts';
import { RegionRef } from '../region/graphql.ts';
import { regionRef } from '../region/model.ts';
import { Schedule } from '../run/schedules/graphql.ts';
import { TeamRef } from '../team/graphql.ts';
import { teamRef } from '../team/model.ts';
import { User } from '../user/graphql.ts';
import { visibleUserById } from '../user/reads.ts';
import { located } from './document-reads.ts';
import type { OmittedObject } from './entry-reads.ts';
import { type Export, exportOf } from './export-reads.ts';
import { applyManifest, documentFormat, documentFormats, planFields } from './model.ts';
import * as operations from './operations.ts';

const PruneMode = enumOf(
  'ManifestPruneMode',
  pruneMode,
  'The handling of objects that belong to a manifest and are no longer in the document.',
  pruneModes,
);
const DeployModeEnum = enumOf(
  'ManifestDeployMode',
  deployMode,
  'The components that an apply deploys.',
  deployModes,
);
export const ManifestFormat = enumOf(
  'ManifestFormat',
  documentFormat,
  'The format of a manifest.',
  documentFormats,
);

const listOf = <K extends string>(name: string, description: string, values: { [value in K]: string }) =>
  builder.enumType(name, {
    description,
    values: Object.fromEntries(
      Object.entries(values).map(([value, text]) => [value, { value, description: text as string }]),
    ) as { [value in K]: { value: value; description: string } },
  });

const ObjectKindEnum = listOf('ManifestObjectKind', 'The kind of an object in a manifest.', objectKinds);
const ActionEnum = listOf('ManifestChangeAction', 'The action of a plan on an object.', changeActions);
const EffectEnum = listOf('ManifestEffect', 'The time at which a change takes effect.', effects);

const FieldChangeObject = objectType<FieldChange>('ManifestFieldChange', {
  description: 'A field that a plan changes.',
  exposes: {
    'field: String!': 'The name of the field in the manifest.',
    'before: String': 'The value before the change. Null if there is no value, `[redacted]` for a secret.',
    'after: String': 'The value after the change. Null if there is no value, `[redacted]` for a secret.',
    'isSecret: Boolean!': 'Whether the values are secrets. They differ, although both are redacted.',
  },
});

const PlannedObjectType = objectType<PlannedObject>('ManifestObject', {
  description: 'An object of a manifest.',
  exposes: {
    'component: String':
      'The name of the component that the object belongs to. Null for an application or a component.',
    'name: String!': 'The name, number or address of the object.',
    object: property(ObjectKindEnum, 'The kind of the object.'),
  },
});

export const ManifestChangeObject = objectType<ManifestChange>('ManifestChange', {
  description: 'A change that a manifest makes or would make.',
  exposes: {
    'component: String':
      'The name of the component that the object belongs to. Null for an application or a component.',
    'name: String!': 'The name, number or address of the object.',
    'isDestructive: Boolean!':
      'Whether the change destroys data or an address, which requires `allowsDestruction`.',
    action: property(ActionEnum, 'The action on the object.'),
    object: property(ObjectKindEnum, 'The kind of the object.'),
    fields: property([FieldChangeObject], 'The fields that change.'),
    takesEffect: property(EffectEnum, 'The time at which the change takes effect.'),
  },
  fields: (t) => ({
    summary: t.string({
      description:
        'The change in one sentence with names, such as `frontend: image 1.28 → 1.29`. Intended for people: the wording can change.',
      resolve: summaryOf,
    }),
  }),
});

const PlannedImageType = objectType<PlannedImage>('ManifestImage', {
  description: 'An image that the change of an application deploys.',
  exposes: {
    'component: String!': 'The name of the component.',
    'reference: String!': 'The image reference, as written in the component.',
    'digest: String': 'The digest of the image that instances run: `sha256:…`. Null if unknown.',
    'resolvedAt: DateTime':
      'The time at which the registry was asked for the digest of the tag. Null if the digest is unknown or part of the reference.',
    'note: String':
      'Why there is nothing to change for the component, or why the digest is unknown. Null if neither applies.',
  },
});

export const ManifestPlanObject = objectType<ManifestPlan>('ManifestPlan', {
  description: 'The changes that a manifest makes or would make.',
  exposes: {
    'digest: String!':
      'A digest of the document or releases, and of the revisions of everything that was read. Pass it as `expectedPlan` of `applyManifest` to apply exactly the reviewed plan.',
    'leftStopped: [String!]!': `${leftStoppedDescription} Their changes take effect with their next deploy.`,
    changes: property(
      [ManifestChangeObject],
      'The changes, in the order in which they are made. Empty if there is nothing to do.',
    ),
    leftOver: property(
      [PlannedObjectType],
      'The objects that belong to the manifest and are no longer in the document. `prune: OWNED` deletes them.',
    ),
    adopted: property(
      [PlannedObjectType],
      'The objects that belong to no manifest and are already as the document describes them. They become part of the manifest when it is applied.',
    ),
    images: property(
      [PlannedImageType],
      'The images that are deployed, with their digests. Empty if nothing is deployed, or the region runs no images.',
    ),
  },
});

builder.queryField('planManifest', (t) =>
  t.field({
    type: ManifestPlanObject,
    description:
      'The changes that `applyManifest` would make. They are made and rolled back, so that a plan fails where the apply would fail. Allowed for read-only tokens.',
    args: {
      team: t.arg({
        type: TeamRef,
        required: true,
        description: planFields.team.description!,
        validate: validatedBy(teamRef),
      }),
      region: t.arg({
        type: RegionRef,
        required: true,
        description: planFields.region.description!,
        validate: validatedBy(regionRef),
      }),
      document: t.arg.string({ required: true, description: planFields.document.description! }),
      prune: t.arg({ type: PruneMode, required: false, description: planFields.prune.description! }),
      deploy: t.arg({ type: DeployModeEnum, required: false, description: planFields.deploy.description! }),
      startStopped: t.arg.boolean({ required: false, description: planFields.startStopped.description! }),
    },
    resolve: (_, args, context) => located(operations.planManifest(context, args)),
  }),
);

mutation(
  'applyManifest',
  applyManifest,
  (context, input) => located(operations.applyManifest(context, input)),
  {
    description:
      'Applies a manifest: creates or changes its application, in one transaction and with one job. Objects that are not in the manifest are unchanged, unless `prune` is OWNED. Fails with REGION_UNAVAILABLE if a snapshot schedule is set or changed and the cluster does not respond.',
    operation: { advice: 'Call plan_manifest first, and pass the `digest` of its result as `expectedPlan`.' },
    errors: [QuotaExceededError],
    load: async (context, { applicationId, ...outcome }) => ({
      ...outcome,
      application: applicationId === null ? null : await loadApplication(context, applicationId),
    }),
    payload: {
      application: propertyOrNull(Application, 'The application. Null for a dry run that would create it.'),
      plan: property(ManifestPlanObject, 'The changes that were made or, with `dryRun`, would be made.'),
      job: propertyOrNull(
        Job,
        'The job that carries out the changes. Null if there is nothing to carry out, and for a dry run.',
      ),
    },
  },
);

export const Omitted = objectType<OmittedObject>('ManifestOmission', {
  description: 'An object that a manifest cannot express.',
  exposes: {
    'component: String!': 'The name of the component that the object belongs to.',
    'name: String!': 'The name, alias or address of the object.',
    'reason: String!': 'Why the object is left out.',
    object: property(ObjectKindEnum, 'The kind of the object.'),
  },
});

const ExportObject = objectType<Export>('ManifestExport', {
  description: 'An application as a manifest.',
  exposes: {
    'document: String!':
      'The manifest. Secrets are `{ secret: preserve }`. Names and addresses that Trellis generated are left out, so that the manifest can be applied elsewhere.',
    omitted: property([Omitted], 'The objects that the manifest leaves out, with the reasons.'),
  },
});

const manifestOf = batched(
  async (context: Context, applicationIds: number[]) => {
    const rows = await context.db.manifest.findManyByKeys({ by: 'applicationId', keys: applicationIds });
    return new Map(rows.map((row) => [row.applicationId, row]));
  },
  null as Row<'Manifest'> | null,
  'manifest state',
);

const State = objectType<Row<'Manifest'>>('ManifestState', {
  description: 'The last manifest applied to an application.',
  exposes: {
    'digest: String!': 'A digest of the document, without the values of secrets.',
    'appliedAt: DateTime!': 'The time of the last apply.',
  },
  fields: (t) => ({
    uid: t.exposeInt('id', {
      description: 'The id of the manifest. Objects that belong to it have this id as `manifestId`.',
    }),
    appliedBy: t.field({
      type: User,
      nullable: true,
      description:
        'The user who applied the manifest. Null if the account no longer exists or is not visible to the caller.',
      resolve: ({ userId }, _, context) => (userId === null ? null : visibleUserById(context, userId)),
    }),
  }),
});

builder.objectFields(Application, (t) => ({
  manifest: t.using('id').field({
    type: ExportObject,
    nullable: true,
    description:
      'The application as a manifest. Applying it changes nothing. Null for an application that was just deleted, and for callers who can see only some of its components.',
    args: {
      format: t.arg({ type: ManifestFormat, required: false, description: 'The format. Defaults to YAML.' }),
    },
    resolve: ({ id }, { format }, context) => exportOf(context, id, format ?? 'yaml'),
  }),
  manifestState: t.using('id').field({
    type: State,
    nullable: true,
    description:
      'The last applied manifest. Null if no manifest was applied, and for callers who can see only some of the components.',
    resolve: async ({ id }, _, context) =>
      (await wholeApplication(context, id)) ? manifestOf(context, id) : null,
  }),
}));

const manifestId = {
  nullable: true,
  description: 'The `uid` of the manifest that the object belongs to. Null if it belongs to no manifest.',
} as const;
builder.objectFields(Component, (t) => ({ manifestId: t.exposeInt('manifestId', manifestId) }));
builder.objectFields(EnvironmentVariable, (t) => ({ manifestId: t.exposeInt('manifestId', manifestId) }));
builder.objectFields(Volume, (t) => ({ manifestId: t.exposeInt('manifestId', manifestId) }));
builder.objectFields(Port, (t) => ({ manifestId: t.exposeInt('manifestId', manifestId) }));
builder.objectFields(Schedule, (t) => ({ manifestId: t.exposeInt('manifestId', manifestId) }));
builder.objectFields(HttpRule, (t) => ({ manifestId: t.exposeInt('manifestId', manifestId) }));
builder.objectFields(TcpRule, (t) => ({ manifestId: t.exposeInt('manifestId', manifestId) }));
