import type { ObjectRef } from '@pothos/core';
import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import type { ObjectChange } from '../../db/write/plan.ts';
import type { RuleLimitations as Limitations } from '../../drivers/region/clusters.ts';
import { builder, restName, type Types } from '../../graphql/schema/builder.ts';
import { planField } from '../../graphql/schema/plan.ts';
import { related } from '../../graphql/schema/related.ts';
import { lengthOf } from '../../kernel/derived.ts';
import { Application } from '../application/graphql.ts';
import { loadApplication } from '../application/reads.ts';
import { Component } from '../component/graphql.ts';
import { loadComponent } from '../component/reads.ts';
import { Event } from '../event/graphql.ts';
import { type EventsAbout, lastEventOf } from '../event/reads.ts';
import { Port } from '../port/graphql.ts';
import { loadPort } from '../port/reads.ts';
import { Region } from '../region/graphql.ts';
import { loadRegion } from '../region/reads.ts';
import { maxProblemTeams } from './problem-reads.ts';

export const RuleLimitations = builder.objectRef<Limitations>('RuleLimitations').implement({
  description:
    'What the cluster of a region cannot express of a rule. In regions without a cluster, both lists are empty, except that `ignored` has `autoSsl` if the region has no `certificateIssuer`.',
  fields: (t) => ({
    refused: t.exposeStringList('refused', {
      description:
        'What would give the rule another meaning. The component is not applied as long as the rule is published: its job fails.',
    }),
    ignored: t.exposeStringList('ignored', { description: 'The settings that are left out.' }),
  }),
});

export const problemsDescription = (traffic: string, unless: string) =>
  `What keeps ${traffic} from arriving, as the cluster says it: the conditions \`Accepted\`, \`Programmed\` and \`ResolvedRefs\` of the gateway and the route that are not met, for example because no controller has the \`gatewayClass\`. Empty if there are none, if the rule is not served, and ${unless}. A request can read those of ${maxProblemTeams} teams. Null with a REGION_UNAVAILABLE error if the cluster does not respond.`;

export const sizeOfLimitations = (_: object, { refused, ignored }: Limitations) =>
  lengthOf(refused) + lengthOf(ignored);
export const ofExtensions = ({ extensions }: { extensions: string }) => extensions.length;

export const limitationsDescription = 'What the cluster of the region cannot express of the rule.';

/** The actions that publish rules. A rule that is created unpublished is published by another event later. */
const publications = {
  HttpRule: { type: 'HttpRule', actions: ['http_rule.create', 'http_rule.publish'] },
  TcpRule: { type: 'TcpRule', actions: ['tcp_rule.create', 'tcp_rule.publish'] },
} as const satisfies Record<string, EventsAbout>;

/** The columns that rules of both kinds have. */
type SharedRow = Pick<
  Row<'HttpRule'> & Row<'TcpRule'>,
  'id' | 'isDefault' | 'isPublished' | 'createdAt' | 'portId' | 'componentId' | 'applicationId' | 'regionId'
>;

/** Adds the fields that rules of both kinds have. `traffic` is what a rule routes. */
export function addRuleFields(
  rule: ObjectRef<Types, Row<'HttpRule'>> | ObjectRef<Types, Row<'TcpRule'>>,
  kind: keyof typeof publications,
  traffic: string,
): void {
  const type = rule as unknown as ObjectRef<Types, SharedRow>;
  builder.objectFields(type, (t) => ({
    isDefault: t.exposeBoolean('isDefault', {
      description: restName(
        'Whether this is a default rule, created when the port was opened. In REST, 0 for default rules and 1 for custom rules.',
        'type',
      ),
    }),
    isPublished: t.exposeBoolean('isPublished', {
      description: restName(
        'Whether the rule is published. A rule is published while its port is open to the outside.',
        'is_outer_service',
      ),
    }),
    publication: t.using('id', 'isPublished').field({
      type: Event,
      nullable: true,
      description:
        'The event that published the rule last: who opened the address, and when. Null while the rule is not published.',
      resolve: ({ id, isPublished }, _, context) =>
        isPublished ? lastEventOf(context, String(id), publications[kind], kind) : null,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'The creation time.' }),
    port: related(t, 'portId', Port, {
      read: loadPort,
      description: restName(`The port that ${traffic} are routed to.`, 'container_port'),
    }),
    component: related(t, 'componentId', Component, {
      read: loadComponent,
      description: restName('The component of the port.', 'service_id'),
    }),
    application: related(t, 'applicationId', Application, {
      read: loadApplication,
      description: 'The application of the component.',
    }),
    region: related(t, 'regionId', Region, {
      read: loadRegion,
      description: restName('The region of the rule.', 'region_id'),
    }),
  }));
}

interface NewRule<R> {
  rule: R;
  application: Row<'Application'>;
  plan: ObjectChange[];
}

/** The result of a mutation that adds a rule, with the application of the rule. */
export const withApplication = async <R extends { applicationId: number }>(
  context: Context,
  { rule, plan }: Omit<NewRule<R>, 'application'>,
): Promise<NewRule<R>> => ({
  rule,
  plan,
  application: await loadApplication(context, rule.applicationId),
});

/** The payload of a mutation that adds a rule. */
export const newRulePayload =
  <R>(type: ObjectRef<Types, R>) =>
  (t: PothosSchemaTypes.ObjectFieldBuilder<Types, NewRule<R>>) => ({
    rule: t.expose('rule', { type, description: 'The new rule.' } as never),
    application: t.expose('application', {
      type: Application,
      description: 'The application, with all its gateway rules.',
    }),
    plan: planField(t),
  });
