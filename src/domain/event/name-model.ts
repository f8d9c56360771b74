import type { SubjectType } from '../../db/write/events.ts';

type Fields = { readonly [field: string]: unknown };
type NameOf = (fields: Fields) => unknown;

const by =
  (field: string): NameOf =>
  (fields) =>
    fields[field];

/** The name of an object by the fields of its row, or by those that an event recorded. Null for types without names. */
const names: { readonly [type in SubjectType]: NameOf | null } = {
  Enterprise: by('name'),
  User: by('nickName'),
  AccessToken: by('name'),
  Role: by('name'),
  ServiceAccount: by('name'),
  Trust: by('issuer'),
  Session: null,
  Team: by('name'),
  GroupRole: by('group'),
  // The name of its user, which only those may read who may see the user.
  TeamMember: null,
  RegistryCredential: by('host'),
  Certificate: by('name'),
  Region: by('name'),
  Application: by('name'),
  Preview: by('key'),
  Component: by('name'),
  ComponentRun: null,
  Schedule: by('name'),
  DeployHook: by('name'),
  Volume: by('name'),
  Job: null,
  Port: by('number'),
  HttpRule: ({ domain, path }) => domain && `${domain}${path ?? '/'}`,
  TcpRule: ({ address, portNumber }) =>
    address && `${String(address).includes(':') ? `[${address}]` : address}:${portNumber}`,
  Template: by('name'),
  StoreConnection: by('name'),
  Domain: by('name'),
  Webhook: by('url'),
};

/** The name of an object with these fields. Null if they do not have it. */
export function nameIn(type: string, fields: Fields): string | null {
  const name = names[type as SubjectType]?.(fields);
  return name === undefined || name === null || name === '' ? null : String(name);
}

/** The values that an event recorded of its object: those after the change or, of a deleted object, before it. */
export const recordedFields = (changes: { [field: string]: [unknown, unknown] }): Fields =>
  Object.fromEntries(Object.entries(changes).map(([field, [before, after]]) => [field, after ?? before]));
