import { builder } from '../../graphql/schema/builder.ts';
import { addList } from '../../graphql/schema/list.ts';
import { relatedOrNull } from '../../graphql/schema/related.ts';
import { Event, eventListArgs } from '../event/graphql.ts';
import { eventsOfComponent } from '../event/reads.ts';
import { Component } from './graphql.ts';
import { visibleComponent } from './reads.ts';

addList(Component, 'events', Event, {
  description:
    'The events of the component and of its ports, rules, variables and volumes, newest first, also of those that were deleted.',
  args: eventListArgs,
  list: (component, args, context) => eventsOfComponent(context, component.id, args),
});

builder.objectField(Event, 'component', (t) =>
  relatedOrNull(t, 'componentId', Component, {
    read: visibleComponent,
    description:
      'The component that the changed object is or belongs to. Null if there is none, if it was deleted, or if it is not visible to the caller.',
  }),
);
