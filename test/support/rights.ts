import { schema } from '../../src/api.ts';
import type { Requires } from '../../src/graphql/schema/mutation.ts';
import { administrators, developers, members, type Outcomes } from './callers.ts';
import type { ChangeCase } from './every-change.ts';

export const colleagues: Outcomes = ['ok', 'ok', 'ok', 'ok'];
export const teamAdmins: Outcomes = ['NOT_FOUND', 'FORBIDDEN', 'FORBIDDEN', 'ok'];

/** Who gets what from a mutation, by what it requires. */
const byRequirement: Record<Requires, Outcomes> = {
  viewer: members,
  developer: developers,
  admin: teamAdmins,
  owner: teamAdmins,
  administrator: administrators,
  caller: colleagues,
};
/** Of objects that not everyone sees, or that their users may change. */
const special: Record<string, Outcomes> = {
  importNamespace: teamAdmins,
  endSession: ['NOT_FOUND', 'NOT_FOUND', 'NOT_FOUND', 'ok'],
  revokeAccessToken: ['NOT_FOUND', 'NOT_FOUND', 'NOT_FOUND', 'ok'],
  setTeamQuota: teamAdmins,
  updateRegion: teamAdmins,
  updateUser: teamAdmins,
};
const mutationFields = schema.getMutationType()!.getFields();
export const mutations = Object.keys(mutationFields);
export const outcomesOf = (name: string): Outcomes =>
  special[name] ?? byRequirement[mutationFields[name]!.extensions.requires as Requires];

/** Inputs that were refused, and therefore would still succeed: the next who is refused tries the same. */
export function inputsToRefuse(changes: Record<string, ChangeCase>): (name: string) => Promise<object> {
  const refused = new Map<string, object>();
  return async (name) => {
    const input = refused.get(name) ?? (await changes[name]!.input());
    refused.set(name, input);
    return input;
  };
}
