import type { Person } from './fixtures.ts';
import type { Trellis } from './trellis.ts';

type Caller = 'none' | 'unknown' | 'outsider' | 'viewer' | 'developer' | 'administrator';
type Outcome = 'ok' | 'empty' | 'NOT_FOUND' | 'FORBIDDEN';
/** What a member of another team, a viewer, a developer and an administrator get. */
export type Outcomes = [outsider: Outcome, viewer: Outcome, developer: Outcome, administrator: Outcome];
export const known = ['outsider', 'viewer', 'developer', 'administrator'] as const;

export const members: Outcomes = ['NOT_FOUND', 'ok', 'ok', 'ok'];
export const administrators: Outcomes = ['FORBIDDEN', 'FORBIDDEN', 'FORBIDDEN', 'ok'];
export const developers: Outcomes = ['NOT_FOUND', 'FORBIDDEN', 'ok', 'ok'];

export interface Callers {
  people: { outsider: Person; viewer: Person; developer: Person };
  /** Each caller's token; null for none. */
  tokens: Record<Caller, string | null>;
}

/** Somebody of every kind who may ask for something of a team. */
export async function createCallers(trellis: Trellis, teamId: string): Promise<Callers> {
  const elsewhere = await trellis.createTeam();
  const people = {
    outsider: await trellis.createMember(elsewhere.teamId, 'OWNER'),
    viewer: await trellis.createMember(teamId, 'VIEWER'),
    developer: await trellis.createMember(teamId, 'DEVELOPER'),
  };
  return {
    people,
    tokens: {
      none: null,
      unknown: 'trl_unknown',
      outsider: people.outsider.token,
      viewer: people.viewer.token,
      developer: people.developer.token,
      administrator: trellis.adminToken,
    },
  };
}
