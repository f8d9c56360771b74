import { builder } from '../../../graphql/schema/builder.ts';
import { ObjectChangeType } from '../../../graphql/schema/plan.ts';
import { Event } from '../graphql.ts';
import { objectNameOf } from '../name-reads.ts';
import { describe, fieldsOf } from './reads.ts';

const description = (what: string) =>
  `What ${what}, in one sentence with names, such as \`frontend: port 8080 opens to the outside\`. For people: its words can change.`;

builder.objectField(Event, 'summary', (t) =>
  t.using('action', 'subjectType', 'subjectId', 'componentId', 'changes').string({
    description: description('changed'),
    resolve: async (event, _, context) =>
      describe(context, {
        action: event.action,
        type: event.subjectType,
        // Jobs are called by their numbers.
        name: event.subjectType === 'Job' ? event.subjectId : await objectNameOf(context, event),
        componentId: event.componentId,
        fields: fieldsOf(JSON.parse(event.changes)),
      }),
  }),
);

builder.objectField(ObjectChangeType, 'summary', (t) =>
  t.string({
    description: description('changed or would change'),
    resolve: ({ action, subject, name, componentId, changes }, _, context) =>
      describe(context, {
        ...{ action, type: subject.type, name },
        componentId: componentId ?? null,
        fields: fieldsOf(changes),
      }),
  }),
);
