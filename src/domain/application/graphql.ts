import { restName } from '../../graphql/schema/builder.ts';
import { enumOf, referenceOf } from '../../graphql/schema/input.ts';
import { lookup } from '../../graphql/schema/lookup.ts';
import { mutation } from '../../graphql/schema/mutation.ts';
import { entity } from '../../graphql/schema/node.ts';
import { related } from '../../graphql/schema/related.ts';
import { viewerCan } from '../../graphql/schema/viewer-can.ts';
import { onlyStored } from '../../kernel/validate.ts';
import { Region } from '../region/graphql.ts';
import { isAllowedAt, loadRegion } from '../region/reads.ts';
import { Team } from '../team/graphql.ts';
import { loadTeam } from '../team/reads.ts';
import { applicationActions } from './action-model.ts';
import { applicationRef, createApplication, updateApplication } from './model.ts';
import * as operations from './operations.ts';
import {
  componentCountOf,
  namedApplication,
  placeOfApplication,
  statusOf,
  visibleApplication,
} from './reads.ts';
import {
  type ApplicationStatus,
  applicationStatus,
  applicationStatuses,
  stateNames,
} from './status-model.ts';

export const ApplicationRef = referenceOf(
  'ApplicationRef',
  applicationRef,
  'Identifies an application. Set exactly one field.',
);

/** The statuses, with the words that people use. */
export const ApplicationStateEnum = enumOf(
  'ApplicationState',
  applicationStatus,
  'What an application is as a whole, by the health and the desired states of its components.',
  applicationStatuses,
  (status) => stateNames[status as ApplicationStatus],
);

export const Application = entity('Application', 'Application', {
  description: 'An application, also called a group: related components of a team, in one region.',
  read: visibleApplication,
  id: (row) => row.id,
  revision: 'Changes of its components are not counted.',
  fields: (t) => ({
    uid: t.exposeInt('id', {
      description: restName('The numeric id of the application. Use it as `appId` in references.', 'ID'),
    }),
    name: t.exposeString('name', {
      description: restName('The unique name in the team and region.', 'group_name'),
    }),
    isDefault: t.exposeBoolean('isDefault', {
      description: restName(
        'Whether this is the default application of the team in the region.',
        'is_default',
      ),
    }),
    orderIndex: t.exposeInt('orderIndex', {
      description: restName('The position in lists, lowest first.', 'order_index'),
    }),
    note: t.exposeString('note', { nullable: true, description: 'A note about the application.' }),
    principal: t.exposeString('principal', {
      nullable: true,
      description: restName('The name of the person in charge.', 'username'),
    }),
    governanceMode: t.exposeString('governanceMode', {
      nullable: true,
      description: restName(`The service governance mode. ${onlyStored}`, 'governance_mode'),
    }),
    createdAt: t.expose('createdAt', {
      type: 'DateTime',
      description: restName('The creation time.', 'create_time'),
    }),
    updatedAt: t.expose('updatedAt', {
      type: 'DateTime',
      description: restName('The time of the last change.', 'update_time'),
    }),
    appType: t.exposeString('appType', {
      description: restName(
        'The type of the application. Always `platform`, because only templates can be installed.',
        'app_type',
      ),
    }),
    storeName: t.exposeString('storeName', {
      nullable: true,
      description: restName(
        'The name of the store that the application was installed from.',
        'app_store_name',
      ),
    }),
    storeUrl: t.expose('storeUrl', {
      type: 'URL',
      nullable: true,
      description: restName('The URL of that store.', 'app_store_url'),
    }),
    templateName: t.exposeString('templateName', {
      nullable: true,
      description: restName(
        'The name of the template that the application was installed from.',
        'app_template_name',
      ),
    }),
    version: t.exposeString('version', {
      nullable: true,
      description: 'The version of a package-managed application.',
    }),
    logo: t.exposeString('logo', { nullable: true, description: 'The URL of the logo.' }),
    clusterName: t.exposeString('clusterName', {
      description: restName('The name in the cluster.', 'cluster_app'),
    }),
    state: t.using('id', 'regionId').field({
      type: ApplicationStateEnum,
      description:
        'What the application is as a whole. It follows from the states of its components: those that are not healthy count first, then the desired states. Of a cluster that does not respond, components whose last work failed count as not healthy.',
      resolve: (application, _, context) => statusOf(context, application),
    }),
    componentCount: t.using('id').int({
      description: 'The number of components.',
      resolve: (application, _, context) => componentCountOf(context, application.id),
    }),
    team: related(t, 'teamId', Team, {
      read: loadTeam,
      description: restName('The team that the application belongs to.', 'tenant_id'),
    }),
    region: related(t, 'regionId', Region, {
      read: loadRegion,
      description: restName('The region that the application runs in.', 'region_name'),
    }),
  }),
});

lookup('application', Application, {
  description:
    'Looks up an application. Fails with NOT_FOUND if it does not exist or is not visible to the caller.',
  ref: ApplicationRef,
  schema: applicationRef,
  read: namedApplication,
});

mutation('createApplication', {
  description: 'Creates an empty application.',
  input: createApplication,
  run: async (context, input) => ({ application: await operations.createApplication(context, input) }),
  payload: (t) => ({
    application: t.expose('application', { type: Application, description: 'The new application.' }),
  }),
});

mutation('updateApplication', {
  description: 'Updates an application. Omitted fields are unchanged.',
  input: updateApplication,
  run: async (context, input) => ({ application: await operations.updateApplication(context, input) }),
  payload: (t) => ({
    application: t.expose('application', { type: Application, description: 'The updated application.' }),
  }),
});

viewerCan(Application, {
  noun: 'an application',
  actions: applicationActions,
  columns: ['id', 'teamId', 'regionId'],
  unless: 'the region is not enabled',
  decide: (context, application, action) =>
    isAllowedAt(context, application, applicationActions[action], placeOfApplication(application)),
});
