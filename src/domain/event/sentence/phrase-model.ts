import { fieldsPhrase } from './fields-model.ts';
import type { Described, FieldChange } from './model.ts';

export type Phrase = (change: Described) => string;

const nouns: Readonly<Record<string, string>> = {
  AccessToken: 'access token',
  Application: 'application',
  Certificate: 'certificate',
  Component: 'component',
  ComponentRun: 'run',
  DeployHook: 'deploy hook',
  Domain: 'domain',
  Enterprise: 'enterprise',
  GroupRole: 'group',
  Job: 'job',
  Port: 'port',
  Region: 'region',
  RegistryCredential: 'credential for',
  Role: 'role',
  Schedule: 'schedule',
  ServiceAccount: 'service account',
  Session: 'session',
  StoreConnection: 'store',
  TcpRule: 'TCP rule',
  Team: 'team',
  Template: 'template',
  Trust: 'trust in',
  User: 'user',
  Volume: 'volume',
  Webhook: 'webhook to',
};

/** What a sentence begins with, because it is about one component or application. */
export const prefixOf = ({ type, name, component }: Described): string | null =>
  type === 'Component' || type === 'Application' ? name : component;

/** The object, unless the sentence begins with it: `port 8080`. Rules are what they lead from. */
export const objectOf: Phrase = ({ type, name }) => {
  if (type === 'HttpRule') return name ?? 'HTTP rule';
  const noun = nouns[type] ?? type;
  return name === null ? noun.replace(/ (?:for|in|to)$/, '') : `${noun} ${name}`;
};

export const fieldOf = ({ fields }: Described, field: string): FieldChange | undefined =>
  fields.find((each) => each.field === field);

/** The value of a field after the change, or before the deletion of its object. References show the name of their object. */
export function partOf(change: Described, field: string): string | null {
  const found = fieldOf(change, field);
  const value = found?.after ?? found?.before ?? null;
  if (value === null) return null;
  return change.nameOf?.(field, value) ?? (field.endsWith('Id') ? null : String(value));
}

export const fieldsIn = (change: Described, without: readonly string[] = []) =>
  fieldsPhrase(
    change.fields.filter(({ field }) => !without.includes(field)),
    change.nameOf,
  );

export const is =
  (participle: string): Phrase =>
  (change) =>
    `${subjectOf(change)}is ${participle}`;
/** The object and a space, or nothing after the name that the sentence begins with. */
const subjectOf: Phrase = (change) =>
  change.type === 'Component' || change.type === 'Application'
    ? prefixOf(change) === null
      ? `${nouns[change.type]} `
      : ''
    : `${objectOf(change)} `;
export const does =
  (verb: string): Phrase =>
  (change) =>
    `${subjectOf(change)}${verb}`;

/** The object with what happened to a part of it: `webhook to https://example.com/: secret rotated`. */
export const noted =
  (what: string): Phrase =>
  (change) =>
    subjectOf(change) === '' ? what : `${objectOf(change)}: ${what}`;

/** A part that a field names: `snapshot nightly of volume data is created`. */
export const partIs =
  (noun: string, field: string, participle: string): Phrase =>
  (change) => {
    const name = partOf(change, field);
    return `${name === null ? `a ${noun}` : `${noun} ${name}`} of ${objectOf(change)} is ${participle}`;
  };

export const updated: Phrase = (change) => {
  const fields = fieldsIn(change);
  const isPrefixed = subjectOf(change) === '';
  if (fields === '') return is('changed')(change);
  if (isPrefixed) return fields;
  // `port 8080 opens inside`, but `port 8080: alias WEB → SHOP`.
  return /^(?:opens|closes) /.test(fields) ? does(fields)(change) : `${objectOf(change)}: ${fields}`;
};

/** A port that is added, with what it opens. */
export const portAdded: Phrase = (change) => {
  const protocol = partOf(change, 'protocol');
  const opens = fieldsPhrase(
    change.fields.filter(({ field, after }) => /^is(?:Inn|Out)er$/.test(field) && String(after) === 'true'),
  );
  const what = `${objectOf(change)}${protocol === null ? '' : ` (${protocol.toUpperCase()})`} is added`;
  return opens === '' ? what : `${what}, ${opens}`;
};

export const roleOf = (change: Described) => partOf(change, 'roleId') ?? partOf(change, 'role') ?? 'member';
export const personOf = (change: Described) => change.name ?? partOf(change, 'userId') ?? 'Somebody';

export const jobOn =
  (verb: string): Phrase =>
  (change) => {
    const components = fieldOf(change, 'components')?.after;
    if (!Array.isArray(components)) return does(`${verb}s`)(change);
    return components.length === 1 ? `1 component ${verb}s` : `${components.length} components ${verb}`;
  };

export const withDetail =
  (phrase: Phrase, field: string, word: string): Phrase =>
  (change) => {
    const value = partOf(change, field);
    return value === null ? phrase(change) : [phrase(change), word, value].filter(Boolean).join(' ');
  };

export const run =
  (verb: string): Phrase =>
  (change) => {
    const { after } = fieldOf(change, 'command') ?? {};
    const schedule = partOf(change, 'schedule');
    return [
      'run',
      Array.isArray(after) && `of \`${after.join(' ')}\``,
      schedule !== null && `by the schedule ${schedule}`,
      verb,
    ]
      .filter(Boolean)
      .join(' ');
  };

/** With the reason, which is a code: `NOT_A_MEMBER`. */
export const refused = (what: string, change: Described) => {
  const reason = partOf(change, 'reason');
  return reason === null ? what : `${what}: ${reason.toLowerCase().replaceAll('_', ' ')}`;
};

/** A template with its version. */
export const templateOf: Phrase = (change) => {
  const [template, version] = [partOf(change, 'templateName'), partOf(change, 'version')];
  return [template ?? 'a template', version].filter(Boolean).join(' ');
};

export const versions =
  (verb: string): Phrase =>
  (change) => {
    const { before, after } = fieldOf(change, 'version') ?? fieldOf(change, 'templates') ?? {};
    const [old, now] = [before, after].map((value) =>
      [value]
        .flat()
        .map((each) => (each as { version?: string } | null)?.version ?? each)
        .join(', '),
    );
    return old && now ? `${verb} from ${old} to ${now}` : verb;
  };
