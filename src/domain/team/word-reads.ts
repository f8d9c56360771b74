import type { Context } from '../../context.ts';
import type { Filter } from '../../db/query/statement.ts';
import type { Field, Model } from '../../db/tables.ts';
import { wordsOf } from '../../kernel/validate.ts';

/** Where a word is looked for. */
type With<M extends Model> = (word: string) => Filter<M>[];

/**
 * Rows with every word, in any order. A word can also be in what a row belongs to, but one must be in the row itself:
 * otherwise the name of a team would find everything in it.
 */
export function withWords<M extends Model>(
  text: string,
  own: With<M>,
  around: With<M> = () => [],
): Filter<M>[] {
  const words = wordsOf(text);
  if (words.length < 2) return words.map((word) => ({ any: own(word) }));
  return [
    ...words.map((word) => ({ any: [...own(word), ...around(word)] })),
    { any: words.flatMap((word) => own(word)) },
  ];
}

/** The teams in which words are looked for, as a condition on the id of a team. */
type InTeams = <M extends Model>(field: Field<M>) => Filter<M>;

/** Those that the actor is a member of, or one. */
export function searchedTeams({ actor }: Pick<Context, 'actor'>, teamId?: string): InTeams {
  const { userId } = actor;
  const [only] = teamId === undefined && userId === null ? actor.teams.keys() : [teamId];
  if (only !== undefined || userId === null) return (field) => ({ field, is: only ?? '' });
  return (field) => through(field, 'Membership', 'teamId', [{ field: 'userId', is: userId }]);
}

const through = <M extends Model, T extends Model>(
  field: Field<M>,
  model: T,
  on: Field<T>,
  where: Filter<T>[],
): Filter<M> => ({ field, through: model, on, where, isReadOnce: true });

type InTeam = 'Application' | 'Component' | 'HttpRule' | 'TcpRule';

export const ofTeamWith = <M extends InTeam>(inTeams: InTeams, contains: string): Filter<M> =>
  through('teamId' as Field<M>, 'Team', 'id', [inTeams('id'), { field: 'folded', contains }]);

export const ofApplicationWith = <M extends Exclude<InTeam, 'Application'>>(
  inTeams: InTeams,
  contains: string,
): Filter<M> =>
  through('applicationId' as Field<M>, 'Application', 'id', [
    inTeams('teamId'),
    { field: 'folded', contains },
  ]);

export const ofComponentWith = <M extends 'HttpRule' | 'TcpRule'>(
  inTeams: InTeams,
  contains: string,
): Filter<M> =>
  through('componentId' as Field<M>, 'Component', 'id', [inTeams('teamId'), { field: 'folded', contains }]);

/** Components that can be reached at an address with the word, or have a port with this number. */
export const reachedAt = (inTeams: InTeams, word: string): Filter<'Component'>[] => {
  const number = portIn(word);
  const hasPort: Filter<'Component'>[] =
    number === undefined
      ? []
      : [{ field: 'id', through: 'Port', on: 'componentId', where: [{ field: 'number', is: number }] }];
  return [
    through('id', 'HttpRule', 'componentId', [inTeams('teamId'), { any: httpRuleWith(word) }]),
    through('id', 'TcpRule', 'componentId', [inTeams('teamId'), { any: tcpRuleWith(word) }]),
    ...hasPort,
  ];
};

const portIn = (word: string) => (/^[1-9]\d{0,4}$/.test(word) ? Number(word) : undefined);

/** The parts of an address as it is copied: `https://shop.example/cart`, `tcp.example:30001`. */
const addressPattern = /^(?:[a-z]+:\/\/)?(?<host>[^/:]+)(?::(?<port>\d{1,5}))?(?<path>\/.*)?$/;

const partsOf = (word: string) => addressPattern.exec(word)?.groups ?? {};

/** HTTP rules whose domain contains the word, or whose domain and path do. */
export function httpRuleWith(word: string): Filter<'HttpRule'>[] {
  const { host, path = '/' } = partsOf(word);
  if (host === undefined || !word.includes('/')) return [{ field: 'domain', contains: word }];
  const domain = { field: 'domain', contains: host } as const;
  return [path === '/' ? domain : { all: [domain, { field: 'path', contains: path }] }];
}

/** TCP rules whose address contains the word, or with the port, or with both. */
export function tcpRuleWith(word: string): Filter<'TcpRule'>[] {
  const { host, port } = partsOf(word);
  const number = portIn(word);
  const address: Filter<'TcpRule'>[] = [{ field: 'address', contains: word }];
  if (number !== undefined) address.push({ field: 'portNumber', is: number });
  if (host !== undefined && port !== undefined) {
    // A rule on all addresses has the domain of its region.
    const ofRegion = through<'TcpRule', 'Region'>('regionId', 'Region', 'id', [
      { field: 'tcpDomain', contains: host },
    ]);
    const onHost: Filter<'TcpRule'> = { any: [{ field: 'address', contains: host }, ofRegion] };
    address.push({ all: [{ field: 'portNumber', is: Number(port) }, onHost] });
  }
  return address;
}
