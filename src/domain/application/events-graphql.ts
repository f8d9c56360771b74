import { builder } from '../../graphql/schema/builder.ts';
import { addList } from '../../graphql/schema/list.ts';
import { relatedOrNull } from '../../graphql/schema/related.ts';
import { Event, eventListArgs } from '../event/graphql.ts';
import { eventsOfApplication } from '../event/reads.ts';
import { Application } from './graphql.ts';
import { visibleApplication } from './reads.ts';

addList(Application, 'events', Event, {
  description:
    'The events of the application and of everything in it, newest first: its components, ports, rules and volumes, also those that were deleted.',
  args: eventListArgs,
  list: (application, args, context) => eventsOfApplication(context, application.id, args),
});

builder.objectField(Event, 'application', (t) =>
  relatedOrNull(t, 'applicationId', Application, {
    read: visibleApplication,
    description:
      'The application that the changed object is or belongs to. Null if there is none, if it was deleted, or if it is not visible to the caller.',
  }),
);
