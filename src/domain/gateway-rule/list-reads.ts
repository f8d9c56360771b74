import type { Context } from '../../context.ts';
import type { List } from '../../db/list.ts';
import type { Filter, ListSpec } from '../../db/query/statement.ts';
import { memoizeByIdentity } from '../../kernel/memo.ts';
import { fold } from '../../kernel/validate.ts';
import type { PortProtocol } from '../port/model.ts';
import { inVisibleTeams, ofVisibleComponents } from '../team/visible-reads.ts';

interface RuleFilter {
  search?: string | null;
  isPublished?: boolean | null;
}

interface HttpRuleFilter extends RuleFilter {
  hasCertificate?: boolean | null;
}

interface TcpRuleFilter extends RuleFilter {
  protocol?: PortProtocol | null;
}

export type RuleModel = 'HttpRule' | 'TcpRule';

/** How the lists of one kind of rules are filtered and sorted. */
interface Kind<M extends RuleModel, F> {
  model: M;
  matching: (filter: F) => Filter<M>[];
  order: ListSpec<M>['order'];
}

const published = ({ isPublished }: RuleFilter) =>
  isPublished == null ? [] : [{ field: 'isPublished' as const, is: isPublished }];

const http: Kind<'HttpRule', HttpRuleFilter> = {
  model: 'HttpRule',
  matching: ({ search, hasCertificate, ...filter }) => [
    ...(search ? [{ field: 'domain' as const, contains: fold(search) }] : []),
    ...published(filter),
    ...(hasCertificate == null ? [] : [certified(hasCertificate)]),
  ],
  order: ['domain', 'id'],
};

const certified = (isSo: boolean): Filter<'HttpRule'> =>
  isSo ? { field: 'certificateId', from: 0 } : { field: 'certificateId', is: null };

const tcp: Kind<'TcpRule', TcpRuleFilter> = {
  model: 'TcpRule',
  matching: ({ search, protocol, ...filter }) => [
    ...(search ? [{ any: foundBy(search) }] : []),
    ...published(filter),
    ...(protocol == null
      ? []
      : [
          {
            field: 'portId' as const,
            through: 'Port' as const,
            on: 'id',
            where: [{ field: 'protocol', is: protocol }],
          },
        ]),
  ],
  order: ['address', 'portNumber', 'id'],
};

const foundBy = (search: string): Filter<'TcpRule'>[] => [
  { field: 'address', contains: fold(search) },
  ...(/^[1-9]\d{0,4}$/.test(search) ? [{ field: 'portNumber' as const, is: Number(search) }] : []),
  {
    field: 'componentId',
    through: 'Component',
    on: 'id',
    where: [{ field: 'folded', contains: fold(search) }],
  },
];

const ofComponents = <M extends RuleModel>(where: Filter<'Component'>[]) =>
  (where.length === 0
    ? []
    : [{ field: 'componentId', through: 'Component', on: 'id', where }]) as Filter<M>[];

/** The rules of all applications of a team. */
const ofTeam = <M extends RuleModel, F extends object>({ model, matching, order }: Kind<M, F>) => {
  const specOf = memoizeByIdentity((visible: Filter<'Component'>[]) =>
    memoizeByIdentity(
      (filter: F) =>
        ({
          model,
          parent: { through: 'Component', parent: 'teamId', target: 'id', field: 'componentId' },
          where: [...ofComponents<M>(visible), ...matching(filter)],
          order,
        }) as unknown as ListSpec<M>,
    ),
  );
  return ({ actor }: Context, teamId: string, filter: F): List<M> => ({
    key: teamId,
    spec: specOf(inVisibleTeams.components(actor))(filter),
  });
};

export const httpRulesOfTeam = ofTeam(http);
export const tcpRulesOfTeam = ofTeam(tcp);

/** The rules of all teams that the actor is a member of. */
const ofOwnTeams =
  <M extends RuleModel, F>({ model, matching, order }: Kind<M, F>) =>
  ({ actor }: Context, filter: F): List<M> => ({
    key: actor.enterpriseId,
    spec: {
      model,
      parent: { through: 'Region', parent: 'enterpriseId', target: 'id', field: 'regionId' },
      where: [
        ...ofComponents<M>([
          { field: 'teamId', in: [...actor.teams.keys()] },
          ...inVisibleTeams.components(actor),
        ]),
        ...matching(filter),
      ],
      order,
    } as unknown as ListSpec<M>,
  });

export const ownHttpRules = ofOwnTeams(http);
export const ownTcpRules = ofOwnTeams(tcp);

/** The HTTP rules that use a certificate, sorted by domain. */
export const httpRulesOfCertificate = ({ actor }: Context, certificateId: number): List<'HttpRule'> => ({
  key: certificateId,
  spec: {
    model: 'HttpRule',
    parent: { field: 'certificateId' },
    where: ofVisibleComponents<'HttpRule'>(actor, 'componentId'),
    order: ['domain', 'id'],
  },
});
