import type { ObjectRef } from '@pothos/core';
import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import type { ObjectChange } from '../../db/write/plan.ts';
import type { RuleLimitations as Limitations } from '../../drivers/region/clusters.ts';
import { builder, type Types } from '../../graphql/schema/builder.ts';
import { property } from '../../graphql/schema/exposed.ts';
import { nullOnError } from '../../graphql/schema/null-on-error.ts';
import { objectType } from '../../graphql/schema/object-type.ts';
import { related } from '../../graphql/schema/related.ts';
import { derived, lengthOf } from '../../kernel/derived.ts';
import { Application } from '../application/graphql.ts';
import { loadApplication } from '../application/reads.ts';
import { Component } from '../component/graphql.ts';
import { Event } from '../event/graphql.ts';
import { type EventsAbout, lastEventOf } from '../event/reads.ts';
import { Port } from '../port/graphql.ts';
import { Region } from '../region/graphql.ts';
import type { RuleModel } from './list-reads.ts';
import { maxProblemTeams } from './problem-reads.ts';

const RuleLimitations = objectType<Limitations>('RuleLimitations', {
  description:
    'The settings of a rule that the cluster of a region does not support. In regions without a cluster, both lists are empty, except that `ignored` has `autoSsl` if the region has no `certificateIssuer`.',
  exposes: {
    'refused: [String!]!':
      'The settings without which the rule would have another meaning. While the rule is published, jobs of the component fail.',
    'ignored: [String!]!': 'The settings that the cluster ignores.',
  },
});

/** The stored extensions of a rule. */
export const extensionsOf = <E>() =>
  derived(
    (rule: { extensions: string }) => JSON.parse(rule.extensions) as E[],
    ({ extensions }) => extensions.length,
  );

interface RuleKind<M extends RuleModel, L extends keyof Row<M> & string, P extends keyof Row<M> & string> {
  restKey: string;
  /** The actions that publish rules. A rule that is created unpublished is published by another event later. */
  publication: EventsAbout;
  /** The routed traffic: `requests` or `connections`. */
  traffic: string;
  /** The regions that report no problems. */
  unless: string;
  limitations: { columns: readonly L[]; of(context: Context, rule: Pick<Row<M>, L>): Promise<Limitations> };
  problems: { columns: readonly P[]; of(context: Context, rule: Pick<Row<M>, P>): Promise<string[]> };
}

/** The columns that rules of both kinds have. */
type SharedRow = Pick<Row<'HttpRule'>, keyof Row<'HttpRule'> & keyof Row<'TcpRule'>>;

/** Adds the fields that rules of both kinds have. */
export function addRuleFields<
  M extends RuleModel,
  L extends keyof Row<M> & string,
  P extends keyof Row<M> & string,
>(
  model: M,
  rule: ObjectRef<Types, Row<M>>,
  { restKey, publication, traffic, unless, limitations, problems }: RuleKind<M, L, P>,
): void {
  const limited = derived(
    (row: object, context: Context) => limitations.of(context, row as Pick<Row<M>, L>),
    (_, { refused, ignored }) => lengthOf(refused) + lengthOf(ignored),
  );
  const type = rule as unknown as ObjectRef<Types, SharedRow>;
  builder.objectFields(type, (t) => ({
    uid: t.exposeInt('id', { description: 'The numeric id of the rule. REST: `ID`.' }),
    key: t.exposeString('key', { description: `The key of the rule. REST: \`${restKey}\`.` }),
    limitations: t.using(...(limitations.columns as readonly never[])).field({
      type: RuleLimitations,
      description: 'The settings of the rule that the cluster of the region does not support.',
      resolve: (row, _, context) => limited(row, context),
    }),
    problems: t.using(...(problems.columns as readonly never[])).field({
      type: ['String'],
      ...nullOnError,
      description: `The problems that keep ${traffic} from arriving, as reported by the cluster: the conditions \`Accepted\`, \`Programmed\` and \`ResolvedRefs\` of the gateway, the listeners that the rule uses and the route that are not met, for example because no controller serves the \`gatewayClass\`. Empty if there are no problems, if the rule is not served, and ${unless}. A request can read the problems of at most ${maxProblemTeams} teams. Null with a REGION_UNAVAILABLE error if the cluster does not respond.`,
      resolve: (row, _, context) => problems.of(context, row as Pick<Row<M>, P>),
    }),
    isDefault: t.exposeBoolean('isDefault', {
      description:
        'Whether this is a default rule, created when the port was opened. In REST, 0 for default rules and 1 for custom rules. REST: `type`.',
    }),
    isPublished: t.exposeBoolean('isPublished', {
      description:
        'Whether the rule is published. A rule is published while its port is open to the outside. REST: `is_outer_service`.',
    }),
    publication: t.using('id', 'isPublished').field({
      type: Event,
      nullable: true,
      description:
        'The event that last published the rule. It shows who opened the address, and when. Null while the rule is not published.',
      resolve: ({ id, isPublished }, _, context) =>
        isPublished ? lastEventOf(context, String(id), publication, model) : null,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'The creation time.' }),
    port: related(t, 'portId', Port, `The port that ${traffic} are routed to. REST: \`container_port\`.`),
    component: related(t, 'componentId', Component, 'The component of the port. REST: `service_id`.'),
    application: related(t, 'applicationId', Application, 'The application of the component.'),
    region: related(t, 'regionId', Region, 'The region of the rule. REST: `region_id`.'),
  }));
}

interface NewRule<R> {
  rule: R;
  application: Row<'Application'>;
  plan: ObjectChange[];
}

/** What a mutation that adds a rule reads after the change, and its payload. */
export const addedRule = <R extends { applicationId: number }>(type: ObjectRef<Types, R>) => ({
  load: async (context: Context, added: Omit<NewRule<R>, 'application'>): Promise<NewRule<R>> => ({
    ...added,
    application: await loadApplication(context, added.rule.applicationId),
  }),
  payload: {
    rule: property(type, 'The new rule.'),
    application: property(Application, 'The application, with all its gateway rules.'),
  },
});
