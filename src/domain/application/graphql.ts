import { builder, restName } from '../../graphql/schema/builder.ts';
import { connectionField, orderInput } from '../../graphql/schema/connection.ts';
import { referenceOf } from '../../graphql/schema/input.ts';
import { mutation } from '../../graphql/schema/mutation.ts';
import { entity } from '../../graphql/schema/node.ts';
import { search } from '../../kernel/validate.ts';
import { Region, RegionRef } from '../region/graphql.ts';
import { regionRef } from '../region/model.ts';
import { regionById, requireTeamRegion } from '../region/reads.ts';
import { Team } from '../team/graphql.ts';
import { teamById } from '../team/reads.ts';
import { applicationRef, createApplication } from './model.ts';
import * as operations from './operations.ts';
import {
  applicationsInRegion,
  applicationsOf,
  componentCountOf,
  namedApplication,
  visibleApplication,
} from './reads.ts';

export const ApplicationRef = referenceOf(
  'ApplicationRef',
  applicationRef,
  'Names an application: exactly one field.',
);

export const Application = entity('Application', 'Application', {
  description: 'An application, also called group: components of a team that belong together, in one region.',
  read: visibleApplication,
  id: (row) => row.id,
  fields: (t) => ({
    appId: t.exposeInt('id', { description: restName('Number of the application.', 'ID') }),
    name: t.exposeString('name', {
      description: restName('Unique name in the team and region.', 'group_name'),
    }),
    isDefault: t.exposeBoolean('isDefault', {
      description: restName('Whether it is the default application.', 'is_default'),
    }),
    orderIndex: t.exposeInt('orderIndex', {
      description: restName('Place in lists, smaller first.', 'order_index'),
    }),
    note: t.exposeString('note', { nullable: true, description: 'Remark.' }),
    principal: t.exposeString('principal', {
      nullable: true,
      description: restName('The person in charge.', 'username'),
    }),
    governanceMode: t.exposeString('governanceMode', {
      nullable: true,
      description: restName('Governance mode.', 'governance_mode'),
    }),
    createdAt: t.expose('createdAt', {
      type: 'DateTime',
      description: restName('When it was made.', 'create_time'),
    }),
    updatedAt: t.expose('updatedAt', {
      type: 'DateTime',
      description: restName('When it was last changed.', 'update_time'),
    }),
    appType: t.exposeString('appType', {
      description: restName(
        'Type of the application. Always `platform`: other packages than templates are not installed.',
        'app_type',
      ),
    }),
    storeName: t.exposeString('storeName', {
      nullable: true,
      description: restName('The store that it came from.', 'app_store_name'),
    }),
    storeUrl: t.exposeString('storeUrl', {
      nullable: true,
      description: restName('Address of that store.', 'app_store_url'),
    }),
    templateName: t.exposeString('templateName', {
      nullable: true,
      description: restName('The template that it came from.', 'app_template_name'),
    }),
    version: t.exposeString('version', {
      nullable: true,
      description: 'Version of a package-managed application.',
    }),
    logo: t.exposeString('logo', { nullable: true, description: 'Address of the logo.' }),
    clusterName: t.exposeString('clusterName', {
      description: restName('Name inside the cluster.', 'cluster_app'),
    }),
    componentCount: t.int({
      description: 'How many components it has.',
      columns: ['id'],
      resolve: (application, _, context) => componentCountOf(context, application.id),
    }),
    team: t.field({
      type: Team,
      description: restName('Whose application it is.', 'tenant_id'),
      columns: ['teamId'],
      resolve: async (application, _, context) => (await teamById(context, application.teamId))!,
    }),
    region: t.field({
      type: Region,
      description: restName('Where it runs.', 'region_name'),
      columns: ['regionId'],
      resolve: async (application, _, context) => (await regionById(context, application.regionId))!,
    }),
  }),
});

const ApplicationOrder = orderInput('Application', {
  INDEX: 'Its place (`orderIndex`), then its name.',
  NAME: 'Name.',
  CREATED_AT: 'Time of creation.',
});

builder.queryField('application', (t) =>
  t.field({
    type: Application,
    nullable: true,
    description: 'An application that the caller may see.',
    args: {
      by: t.arg({
        type: ApplicationRef,
        required: true,
        description: 'Which application.',
        validate: { schema: applicationRef } as never,
      }),
    },
    resolve: (_, { by }, context) => namedApplication(context, by),
  }),
);

const listArgs = builder.args((t) => ({
  search: t.string({
    description: restName('Part of the name, or of the name of the team, in any case.', 'query'),
    validate: { schema: search() } as never,
  }),
  orderBy: t.field({ type: ApplicationOrder, description: 'The order; by place and name when left out.' }),
}));

builder.objectField(Team, 'applications', (t) =>
  connectionField(t, {
    node: Application,
    plural: 'applications',
    description: 'The applications of the team. REST: `GET …/apps`.',
    args: {
      ...listArgs,
      ...builder.args((arg) => ({
        region: arg.field({
          type: RegionRef,
          description: 'Only those in this region; NOT_FOUND when it is not opened for the team.',
          validate: { schema: regionRef } as never,
        }),
      })),
    },
    columns: ['id'],
    list: (team, args, context) =>
      args.region
        ? requireTeamRegion(context, team, args.region).then(({ id: regionId }) =>
            applicationsOf(team.id, { ...args, regionId }),
          )
        : applicationsOf(team.id, args),
  }),
);

builder.objectField(Region, 'applications', (t) =>
  connectionField(t, {
    node: Application,
    plural: 'applications',
    description: 'The applications in the region, as far as the caller may see them.',
    args: listArgs,
    columns: ['id'],
    list: (region, args, context) => applicationsInRegion(context, region.id, args),
  }),
);

mutation('createApplication', {
  description: 'Creates an empty application. Takes the role developer in the team.',
  input: createApplication,
  run: async (context, input) => ({ application: await operations.createApplication(context, input) }),
  payload: (t) => ({
    application: t.expose('application', { type: Application, description: 'The new application.' }),
  }),
});
