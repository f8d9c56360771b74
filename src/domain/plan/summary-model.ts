import type { Described } from '../event/sentence/model.ts';
import { sentenceOf } from '../event/sentence/sentence-model.ts';
import type { ManifestChange, ObjectKind } from './model.ts';

const verbs = { CREATE: 'create', UPDATE: 'update', DELETE: 'delete', ADOPT: 'update' } as const;

/** The types that events have for the objects of a manifest. Those of others are parts of a component. */
const types: { readonly [kind in ObjectKind]?: string } = {
  APPLICATION: 'Application',
  COMPONENT: 'Component',
  VOLUME: 'Volume',
  PORT: 'Port',
  SCHEDULE: 'Schedule',
  HTTP_ROUTE: 'HttpRule',
  TCP_ROUTE: 'TcpRule',
};

const snake = (type: string) => type.replace(/(?<!^)[A-Z]/g, '_$&').toLowerCase();

/** The change as its event describes it. */
function describedOf({ action, object, component, name, fields: all }: ManifestChange): Described {
  const verb = verbs[action];
  const isSet = (value: string | null) => value !== null;
  const fields = all
    .filter(({ before, after }) => isSet(before) || isSet(after))
    .map(({ field, before, after, isSecret }) => ({
      field,
      before: isSecret && isSet(before) ? '[redacted]' : before,
      after: isSecret && isSet(after) ? '[redacted]' : after,
    }));
  const type = types[object];
  if (type) return { action: `${snake(type)}.${verb}`, type, name, component, fields };
  const ofComponent = { type: 'Component', name: component, component: null };
  if (object === 'DEPENDENCY') {
    const isGone = action === 'DELETE';
    const dependency = { field: 'dependencyId', before: isGone ? name : null, after: isGone ? null : name };
    return {
      ...ofComponent,
      action: isGone ? 'component.delete_dependency' : 'component.add_dependency',
      fields: [dependency],
      nameOf: (_, id) => String(id),
    };
  }
  if (object === 'SNAPSHOT_SCHEDULE') {
    const what = action === 'DELETE' ? 'remove_snapshot_schedule' : 'set_snapshot_schedule';
    return { action: `volume.${what}`, type: 'Volume', name, component, fields };
  }
  const scope = object === 'VARIABLE' ? 'environment' : 'connection';
  const value = fields.find(({ field }) => field === 'value') ?? fields[0];
  return {
    ...ofComponent,
    action: 'component.set_variables',
    fields: [{ before: null, after: null, ...value, field: `${scope} ${name}` }],
  };
}

/** What a change of a plan does, in one sentence with names. */
export const summaryOf = (change: ManifestChange): string => sentenceOf(describedOf(change));
