import type { ObjectChange } from '../../db/write/plan.ts';
import { property } from './exposed.ts';
import { objectType } from './object-type.ts';

/** An object that a change affected or, with `dryRun`, would affect. */
export const ObjectChangeType = objectType<ObjectChange>('ObjectChange', {
  description: 'An object that a change affected or, with `dryRun`, would affect.',
  exposes: {
    'action: String!':
      'The action on the object, for example `port.delete`. The audit event has the same action.',
    'name: String':
      'The name of the object: its name, alias, domain, address or number. Null if it has none.',
  },
  fields: (t) => ({
    objectType: t.string({
      description: 'The type of the object, for example `Port`.',
      resolve: ({ subject }) => subject.type,
    }),
    objectUid: t.string({
      description: 'The identifier of the object.',
      resolve: ({ subject }) => String(subject.id),
    }),
    digest: t.string({
      nullable: true,
      description:
        'The digest of the image that a component is deployed or restarted with: `sha256:…`. Null if unknown, and for other objects.',
      resolve: ({ digest }) => digest ?? null,
    }),
  }),
});

/** The field `plan` of the payload of a mutation that can be a dry run. */
export const plan = property(
  [ObjectChangeType],
  'The objects that the mutation changed or deleted or, with `dryRun`, would change or delete, in this order.',
);
