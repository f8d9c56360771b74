import { builder } from '../../graphql/schema/builder.ts';
import { property } from '../../graphql/schema/exposed.ts';
import { enumOf, referenceOf } from '../../graphql/schema/input.ts';
import { addList, addListQuery } from '../../graphql/schema/list.ts';
import { lookup } from '../../graphql/schema/lookup.ts';
import { mutation } from '../../graphql/schema/mutation.ts';
import { entity } from '../../graphql/schema/node.ts';
import { nullOnError } from '../../graphql/schema/null-on-error.ts';
import { orderInput } from '../../graphql/schema/order.ts';
import { related } from '../../graphql/schema/related.ts';
import { validatedBy } from '../../graphql/schema/validation.ts';
import { viewerCan } from '../../graphql/schema/viewer-can.ts';
import { administers, allows } from '../../kernel/access.ts';
import { ForbiddenError } from '../../kernel/errors.ts';
import { onlyStored, search } from '../../kernel/validate.ts';
import { Enterprise } from '../enterprise/graphql.ts';
import { Team } from '../team/graphql.ts';
import {
  clusterColumns,
  RegionCluster,
  RegionCredentials,
  RegionHealth,
  RegionUsage,
  shownCluster,
} from './cluster-graphql.ts';
import { mayReadCredentials } from './credential-operations.ts';
import { regionsOfEnterprise, regionsOfTeam } from './list-reads.ts';
import {
  closeTeamRegion,
  createRegion,
  deleteRegion,
  openTeamRegion,
  regionDriver,
  regionDrivers,
  regionRef,
  regionScope,
  regionStatus,
  updateRegion,
} from './model.ts';
import * as operations from './operations.ts';
import { loadRegion, requireRegion, visibleRegion } from './reads.ts';
import { figuresOf, healthOf } from './usage-reads.ts';

export const RegionRef = referenceOf('RegionRef', regionRef, 'Identifies a region. Set exactly one field.');

const RegionStatusEnum = enumOf(
  'RegionStatus',
  regionStatus,
  'The status of a region. Changes in a region are only allowed while it is enabled. REST uses digits.',
  {
    editing: 'Being set up. REST: `0`.',
    enabled: 'In operation. REST: `1`.',
    disabled: 'Disabled. REST: `2`.',
    maintenance: 'Under maintenance. REST: `3`.',
  },
);

const RegionScopeEnum = enumOf('RegionScope', regionScope, 'Who can view a region and open it for a team.', {
  private:
    'Members of the teams that the region is open for can view it. Only enterprise administrators can open it for a team. REST: `private`.',
  public:
    'Every user of the enterprise can view it. Admins of a team can open it for their team. REST: `public`.',
});

const RegionDriverEnum = enumOf(
  'RegionDriver',
  regionDriver,
  'The driver that carries out the jobs of a region.',
  regionDrivers,
);

export const Region = entity('Region', 'Region', {
  description: 'A region: one cluster that runs the applications of teams.',
  read: visibleRegion,
  load: loadRegion,
  uid: 'The id of the region. Use it as `regionId` in references. REST: `region_id`.',
  exposes: {
    'name: String!': 'The unique name. REST: `region_name`.',
    'alias: String!': 'The display name. REST: `region_alias`.',
    'url: URL!': 'The URL of the cluster API.',
    'websocketUrl: URL!': `The URL of the cluster's WebSocket endpoint. ${onlyStored} REST: \`wsurl\`.`,
    'httpDomain: String!': 'The root domain for HTTP access to applications. REST: `httpdomain`.',
    'tcpDomain: String!': 'The root domain for TCP access to applications. REST: `tcpdomain`.',
    'description: String!': 'A description of the region. REST: `desc`.',
    'allowsRoot: Boolean!': 'Whether components that need root can be deployed. See `Component.needsRoot`.',
    'createdAt: DateTime!': 'The creation time.',
    status: property(RegionStatusEnum, 'The status of the region.'),
    scope: property(RegionScopeEnum, 'Who can view the region and open it for a team.'),
  },
  fields: (t) => ({
    driver: t.using('driver').field({
      type: RegionDriverEnum,
      nullable: true,
      description:
        'The driver that carries out the jobs of the region. Null if this version of Trellis does not know it.',
      resolve: ({ driver }) => (driver in regionDrivers ? (driver as keyof typeof regionDrivers) : null),
    }),
    servesAddresses: t.using('driver').boolean({
      description:
        'Whether requests to the addresses of rules reach instances. False if the driver has no cluster: DECLARED and SIMULATED.',
      resolve: ({ driver }, _, context) => Boolean(context.drivers.region.get(driver)?.routes),
    }),
    cluster: t.using(...clusterColumns).field({
      type: RegionCluster,
      nullable: true,
      description:
        'The settings of the driver KUBERNETES for the cluster. Null for other drivers, and with a FORBIDDEN error for callers other than enterprise administrators.',
      resolve: (region, _, context) => {
        if (region.driver !== 'kubernetes') return null;
        if (administers(context.actor, region)) return shownCluster(region);
        throw new ForbiddenError('Only enterprise administrators can read the usage of a cluster.');
      },
    }),
    credentials: t.field({
      type: RegionCredentials,
      nullable: true,
      description:
        'The credentials of the platform for the cluster API. Null for callers other than enterprise administrators, and for read-only tokens. Reading them is recorded as an event, at most once in ten minutes for each token.',
      resolve: (region, _, context) => (mayReadCredentials(context, region) ? region : null),
    }),
    usage: t.field({
      type: RegionUsage,
      ...nullOnError,
      description:
        'The live usage and capacity. Null with a REGION_UNAVAILABLE error if the cluster does not respond.',
      resolve: (region, _, context) => figuresOf(context, region),
    }),
    health: t.field({
      type: RegionHealth,
      description: 'Whether the cluster responds. REST: `health_status`.',
      resolve: (region, _, context) => healthOf(context, region),
    }),
    enterprise: related(t, 'enterpriseId', Enterprise, 'The enterprise of the region.'),
  }),
});

const RegionOrder = orderInput('Region', { NAME: 'Name.', CREATED_AT: 'Creation time.' });

const listArgs = builder.args((t) => ({
  search: t.string({
    description: 'A case-insensitive substring of the name or alias. REST: `query`.',
    validate: validatedBy(search()),
  }),
  status: t.field({ type: RegionStatusEnum, description: 'Returns only regions in this status.' }),
  orderBy: t.field({ type: RegionOrder, description: 'The sort order. Defaults to name.' }),
}));

lookup('region', Region, {
  description:
    'Looks up a region. Fails with NOT_FOUND if it does not exist or is not visible to the caller. REST: `GET /regions/{region_id}`.',
  ref: regionRef,
  by: 'The region.',
  read: requireRegion,
});

addList(Team, 'regions', Region, {
  description: 'The regions that are open for the team, in any status.',
  args: listArgs,
  list: (team, args) => regionsOfTeam(team.id, args),
});

addListQuery('regions', Region, {
  description: 'The regions of the enterprise that are visible to the caller.',
  args: listArgs,
  list: (_, args, context) => regionsOfEnterprise(context, context.actor.enterpriseId, args),
});

addList(Enterprise, 'regions', Region, {
  description: 'The regions of the enterprise that are visible to the caller.',
  args: listArgs,
  list: (enterprise, args, context) => regionsOfEnterprise(context, enterprise.id, args),
});

mutation('createRegion', createRegion, operations.createRegion, {
  description: 'Creates a region.',
  returns: { region: property(Region, 'The new region.') },
});

mutation('updateRegion', updateRegion, operations.updateRegion, {
  description:
    'Changes a region. Its name cannot change, and its domains only while no rule uses them (CONFLICT).',
  returns: { region: property(Region, 'The changed region.') },
});

mutation('deleteRegion', deleteRegion, operations.deleteRegion, {
  description: 'Deletes a region. Fails with CONFLICT while it is open for a team.',
  payload: { region: property(Region, 'The deleted region.') },
});

mutation('openTeamRegion', openTeamRegion, operations.openTeamRegion, {
  description: 'Opens a region for a team.',
  orElse: 'an enterprise administrator if the region is private',
  payload: {
    team: property(Team, 'The team.'),
    region: property(Region, 'The region.'),
  },
});

mutation('closeTeamRegion', closeTeamRegion, operations.closeTeamRegion, {
  description:
    'Closes a region for a team. Fails with CONFLICT while the team has applications or unfinished jobs in it.',
  payload: {
    team: property(Team, 'The team.'),
    region: property(Region, 'The region.'),
  },
});

viewerCan(Region, {
  noun: 'a region',
  type: 'Region',
  columns: ['enterpriseId'],
  decide: ({ actor }, { enterpriseId }, action) => allows(actor, action, { enterpriseId }),
});
