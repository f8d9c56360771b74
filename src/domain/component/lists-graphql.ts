import { builder } from '../../graphql/schema/builder.ts';
import { addList, addListQuery } from '../../graphql/schema/list.ts';
import { orderInput } from '../../graphql/schema/order.ts';
import { relatedOrNull } from '../../graphql/schema/related.ts';
import { validatedBy } from '../../graphql/schema/validation.ts';
import { search, text } from '../../kernel/validate.ts';
import { Application } from '../application/graphql.ts';
import { Event, eventListArgs } from '../event/graphql.ts';
import { eventsOfComponent } from '../event/reads.ts';
import { JobComponent } from '../job/component-graphql.ts';
import { Job, jobListArgs } from '../job/graphql.ts';
import { jobsOfComponent } from '../job/reads.ts';
import { placeOf, regionArgument, teamArguments } from '../region/argument-graphql.ts';
import { Region } from '../region/graphql.ts';
import { requireTeamRegion } from '../region/reads.ts';
import { Team, wordsArgument } from '../team/graphql.ts';
import { Component, DesiredStateEnum } from './graphql.ts';
import { componentsOf, componentsOfTeam, componentsWith, ownComponents } from './list-reads.ts';
import { duplicatesIn } from './names/reads.ts';

const ComponentOrder = orderInput('Component', { NAME: 'Name.', CREATED_AT: 'Creation time.' });

const listArgs = builder.args((arg) => ({
  search: arg.string({
    description: 'A case-insensitive substring of the name or alias.',
    validate: validatedBy(search()),
  }),
  desiredState: arg.field({
    type: DesiredStateEnum,
    description:
      'Returns only components that should be in this state. The `state` at runtime, which only the cluster knows, cannot be filtered.',
  }),
  image: arg.string({
    description:
      'A substring of the image reference, for example `nginx:1.` or `registry.example/`. Letters from A to Z match in either case.',
    validate: validatedBy(search()),
  }),
  kind: arg.string({
    description: 'Returns only components of this kind of workload, for example `mysql`.',
    validate: validatedBy(text(64)),
  }),
  orderBy: arg.field({ type: ComponentOrder, description: 'The sort order. Defaults to name.' }),
}));

addList(Application, 'components', Component, {
  description: 'The components of the application. REST: `GET …/services`.',
  args: listArgs,
  list: (application, args, context) => componentsOf(context, application.id, args),
});

addListQuery('components', Component, {
  description: 'The components of all teams that the caller is a member of, or of one team.',
  args: {
    ...listArgs,
    ...wordsArgument(
      'Each must be part of the name, alias, image or an address of the component, the number of one of its ports, or part of the name of its application or team. At least one must match the component itself.',
    ),
    ...teamArguments('components'),
  },
  list: async (_, { team: ref, region: regionRef, words, ...args }, context) => {
    const place = await placeOf(context, ref, regionRef);
    const filter = words ? { ...args, found: componentsWith(context, words, place?.teamId) } : args;
    return place
      ? componentsOfTeam(context, place.teamId, { ...filter, ...place })
      : ownComponents(context, filter);
  },
});

addList(Team, 'components', Component, {
  description: 'The components of all applications of the team.',
  args: { ...listArgs, ...regionArgument('components') },
  list: (team, args, context) =>
    args.region
      ? requireTeamRegion(context, team, args.region).then(({ id: regionId }) =>
          componentsOfTeam(context, team.id, { ...args, regionId }),
        )
      : componentsOfTeam(context, team.id, args),
});

addList(Component, 'events', Event, {
  isEndless: true,
  description:
    'The events of the component and its ports, rules, variables and volumes, newest first. Includes events of deleted objects.',
  args: eventListArgs,
  list: (component, args, context) => eventsOfComponent(context, component.id, args),
});

builder.objectField(Event, 'component', (t) =>
  relatedOrNull(
    t,
    'componentId',
    Component,
    'The component that the changed object is or belongs to. Null if the object belongs to no component, or if the component was deleted or is not visible to the caller.',
  ),
);

addList(Component, 'jobs', Job, {
  isEndless: true,
  description: 'The jobs that concern the component, newest first.',
  args: jobListArgs,
  list: (component, args) => jobsOfComponent(component.id, args),
});

builder.objectField(JobComponent, 'component', (t) =>
  relatedOrNull(t, 'componentId', Component, 'The component. Null if it was deleted.'),
);

addList(Region, 'duplicateComponents', Component, {
  plural: 'components',
  description:
    'The components with the same `clusterName` as an older component of the same team in the region, which an earlier version of Trellis allowed. They keep running, but cannot be deployed: replace each of them with a component of another name. Lists only components that are visible to the caller.',
  list: (region, _, context) => duplicatesIn(context, region.id),
});
