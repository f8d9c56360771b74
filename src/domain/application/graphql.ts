import { property } from '../../graphql/schema/exposed.ts';
import { enumOf, referenceOf } from '../../graphql/schema/input.ts';
import { lookup } from '../../graphql/schema/lookup.ts';
import { mutation } from '../../graphql/schema/mutation.ts';
import { entity } from '../../graphql/schema/node.ts';
import { related } from '../../graphql/schema/related.ts';
import { viewerCan } from '../../graphql/schema/viewer-can.ts';
import { onlyStored } from '../../kernel/validate.ts';
import { Region } from '../region/graphql.ts';
import { isAllowedAt } from '../region/reads.ts';
import { Team } from '../team/graphql.ts';
import { applicationActions } from './action-model.ts';
import { applicationRef, createApplication, type Isolation, isolation, updateApplication } from './model.ts';
import * as operations from './operations.ts';
import {
  componentCountOf,
  loadApplication,
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
  'The state of an application as a whole, derived from the health and the desired states of its components.',
  applicationStatuses,
  (status) => stateNames[status as ApplicationStatus],
);

const IsolationEnum = enumOf(
  'ApplicationIsolation',
  isolation,
  'The namespace of an application in a cluster.',
  {
    own: 'The application has its own namespace.',
    team: 'The application shares a namespace with others of the team in the region.',
  },
);

export const Application = entity('Application', 'Application', {
  description: 'An application, also called a group: related components of a team, in one region.',
  read: visibleApplication,
  load: loadApplication,
  revision: 'Changes of its components are not counted.',
  uid: 'The numeric id of the application. Use it as `appId` in references. REST: `ID`.',
  exposes: {
    'name: String!': 'The unique name in the team and region. REST: `group_name`.',
    'isDefault: Boolean!':
      'Whether this is the default application of the team in the region. REST: `is_default`.',
    'orderIndex: Int!': 'The position in lists, lowest first. REST: `order_index`.',
    'note: String': 'A note about the application.',
    'principal: String': 'The name of the person in charge. REST: `username`.',
    'governanceMode: String': `The service governance mode. ${onlyStored} REST: \`governance_mode\`.`,
    'createdAt: DateTime!': 'The creation time. REST: `create_time`.',
    'updatedAt: DateTime!': 'The time of the last change. REST: `update_time`.',
    'appType: String!':
      'The type of the application. Always `platform`, because only templates can be installed. REST: `app_type`.',
    'storeName: String':
      'The name of the store that the application was installed from. REST: `app_store_name`.',
    'storeUrl: URL': 'The URL of that store. REST: `app_store_url`.',
    'templateName: String':
      'The name of the template that the application was installed from. REST: `app_template_name`.',
    'version: String': 'The version of a package-managed application.',
    'logo: String': 'The URL of the logo.',
    'clusterName: String!': 'The name in the cluster. REST: `cluster_app`.',
  },
  fields: (t) => ({
    isolation: t.using('isolation').field({
      type: IsolationEnum,
      description:
        'Whether the application has its own namespace in the cluster, or shares that of the team. Service names are unique in a namespace.',
      resolve: (application) => application.isolation as Isolation,
    }),
    state: t.using('id', 'regionId').field({
      type: ApplicationStateEnum,
      description:
        'The state of the application as a whole, derived from its components: from their health first, then from their desired states. If the cluster does not respond, components whose last job failed count as unhealthy.',
      resolve: (application, _, context) => statusOf(context, application),
    }),
    componentCount: t.using('id').int({
      description: 'The number of components.',
      resolve: (application, _, context) => componentCountOf(context, application.id),
    }),
    team: related(t, 'teamId', Team, 'The team that the application belongs to. REST: `tenant_id`.'),
    region: related(t, 'regionId', Region, 'The region that the application runs in. REST: `region_name`.'),
  }),
});

lookup('application', Application, { ref: applicationRef, read: namedApplication });

mutation('createApplication', createApplication, operations.createApplication, {
  description: 'Creates an empty application.',
  returns: { application: property(Application, 'The new application.') },
});

mutation('updateApplication', updateApplication, operations.updateApplication, {
  description: 'Updates an application. Omitted fields are unchanged.',
  returns: { application: property(Application, 'The updated application.') },
});

viewerCan(Application, {
  noun: 'an application',
  type: 'Application',
  columns: ['id', 'teamId', 'regionId'],
  unless: 'the region is not enabled',
  decide: (context, application, action) =>
    isAllowedAt(
      context,
      application,
      applicationActions[action],
      // A copy is another application of the team.
      action === 'copyApplication' ? { teamId: application.teamId } : placeOfApplication(application),
    ),
});
