import type { Context } from '../../../context.ts';
import type { Row } from '../../../db/tables.ts';
import type { ObjectChange } from '../../../db/write/plan.ts';
import { builder } from '../../../graphql/schema/builder.ts';
import { ObjectChangeType } from '../../../graphql/schema/plan.ts';
import { derived } from '../../../kernel/derived.ts';
import { Event, eventName } from '../graphql.ts';
import { describe, fieldsOf } from './reads.ts';

const description =
  'The change in one sentence with names, such as `frontend: port 8080 opens to the outside`. Intended for people: the wording can change.';

type Summed = Pick<Row<'Event'>, 'action' | 'subjectType' | 'subjectId' | 'componentId' | 'changes'>;

const summaryOfEvent = derived(
  async (event: Summed, context: Context) =>
    describe(context, {
      action: event.action,
      type: event.subjectType,
      // Jobs are called by their numbers.
      name: event.subjectType === 'Job' ? event.subjectId : await eventName(event, context),
      componentId: event.componentId,
      fields: fieldsOf(JSON.parse(event.changes)),
    }),
  (_, summary) => summary.length,
);

const summaryOfChange = derived(
  ({ action, subject, name, componentId, changes }: ObjectChange, context: Context) =>
    describe(context, {
      ...{ action, type: subject.type, name },
      componentId: componentId ?? null,
      fields: fieldsOf(changes),
    }),
  (_, summary) => summary.length,
);

builder.objectField(Event, 'summary', (t) =>
  t.using('action', 'subjectType', 'subjectId', 'componentId', 'changes').string({
    description,
    resolve: (event, _, context) => summaryOfEvent(event, context),
  }),
);

builder.objectField(ObjectChangeType, 'summary', (t) =>
  t.string({
    description,
    resolve: (change, _, context) => summaryOfChange(change, context),
  }),
);
