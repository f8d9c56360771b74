import type { Context } from '../../context.ts';
import type { List } from '../../db/list.ts';
import type { Filter, ListSpec, Parent } from '../../db/query/statement.ts';
import type { Field } from '../../db/tables.ts';
import { memoizeByIdentity } from '../../kernel/memo.ts';
import { fold } from '../../kernel/validate.ts';
import type { PortProtocol } from '../port/model.ts';
import { inOwnTeams, inVisibleTeams, ofOwnTeams } from '../team/visible-reads.ts';
import {
  httpRuleWith,
  ofApplicationWith,
  ofComponentWith,
  ofTeamWith,
  searchedTeams,
  tcpRuleWith,
  withWords,
} from '../team/word-reads.ts';

interface RuleFilter<M extends RuleModel> {
  search?: string | null;
  /** What `rulesWith` says of the words of a search. */
  found?: Filter<M>[];
  isPublished?: boolean | null;
}

interface HttpRuleFilter extends RuleFilter<'HttpRule'> {
  hasCertificate?: boolean | null;
}

interface TcpRuleFilter extends RuleFilter<'TcpRule'> {
  protocol?: PortProtocol | null;
}

export type RuleModel = 'HttpRule' | 'TcpRule';

/** How the lists of one kind of rules are filtered and sorted. */
interface Kind<M extends RuleModel, F> {
  model: M;
  matching: (filter: F) => Filter<M>[];
  order: ListSpec<M>['order'];
}

const published = ({ isPublished }: RuleFilter<RuleModel>) =>
  isPublished == null ? [] : [{ field: 'isPublished' as const, is: isPublished }];

const http: Kind<'HttpRule', HttpRuleFilter> = {
  model: 'HttpRule',
  matching: ({ search, found = [], hasCertificate, ...filter }) => [
    ...found,
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
  matching: ({ search, found = [], protocol, ...filter }) => [
    ...found,
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

/** The rules with words in them, in all teams of the actor. */
const rulesWith =
  <M extends RuleModel>(own: (word: string) => Filter<M>[]) =>
  (context: Context, words: string): Filter<M>[] => {
    const inTeams = searchedTeams(context);
    return withWords(words, own, (word) => [
      ofComponentWith(inTeams, word),
      ofApplicationWith(inTeams, word),
      ofTeamWith(inTeams, word),
    ]);
  };
export const httpRulesWith = rulesWith(httpRuleWith);
export const tcpRulesWith = rulesWith(tcpRuleWith);

/** How the rules of a parent are listed, for an actor who may see these components. */
const listOf =
  <M extends RuleModel, F>({ model, matching, order }: Kind<M, F>, parent: Parent<M>) =>
  (visible: Filter<'Component'>[]) =>
  (filter: F): ListSpec<M> => ({
    model,
    parent,
    where: [...ofComponents<M>(visible), ...matching(filter)],
    order,
  });

const ofComponents = <M extends RuleModel>(where: Filter<'Component'>[]) =>
  (where.length === 0
    ? []
    : [{ field: 'componentId', through: 'Component', on: 'id', where }]) as Filter<M>[];

const teamId = 'teamId' as Field<RuleModel>;

/** The rules of what belongs to a team, in whichever applications they are. */
const ofParent = <M extends RuleModel, F extends object>(kind: Kind<M, F>, field: Field<M>) => {
  const specOf = memoizeByIdentity((visible: Filter<'Component'>[]) =>
    memoizeByIdentity(listOf(kind, { field })(visible)),
  );
  return ({ actor }: Context, key: string | number, filter: F): List<M> => ({
    key,
    spec: specOf(inVisibleTeams.components(actor))(filter),
  });
};

export const httpRulesOfTeam = ofParent(http, teamId);
export const tcpRulesOfTeam = ofParent(tcp, teamId);
const ofCertificate = ofParent(http, 'certificateId');
const unfiltered: HttpRuleFilter = {};

/** Members of one application see the certificates of the team, which rules of others use as well. */
export const httpRulesOfCertificate = (context: Context, certificateId: number): List<'HttpRule'> =>
  ofCertificate(context, certificateId, unfiltered);

/** The rules of all teams that the actor is a member of. */
const ofActor =
  <M extends RuleModel, F>(kind: Kind<M, F>) =>
  (context: Context, filter: F): List<M> =>
    ofOwnTeams(context, (parentBy) =>
      listOf(kind, parentBy(teamId))(inOwnTeams.components(context.actor))(filter),
    );

export const ownHttpRules = ofActor(http);
export const ownTcpRules = ofActor(tcp);
