import { builder } from '../../graphql/schema/builder.ts';
import { addList, addListQuery } from '../../graphql/schema/list.ts';
import { orderInput } from '../../graphql/schema/order.ts';
import { relatedOrNull } from '../../graphql/schema/related.ts';
import { validatedBy } from '../../graphql/schema/validation.ts';
import { search, text } from '../../kernel/validate.ts';
import { Event, eventListArgs } from '../event/graphql.ts';
import { eventsOfApplication } from '../event/reads.ts';
import { placeOf, regionArgument, teamArguments } from '../region/argument-graphql.ts';
import { Region } from '../region/graphql.ts';
import { requireTeamRegion } from '../region/reads.ts';
import { Team, wordsArgument } from '../team/graphql.ts';
import { Application, ApplicationStateEnum } from './graphql.ts';
import { applicationsInRegion, applicationsWith, liveApplicationsOf, ownApplications } from './list-reads.ts';

const ApplicationOrder = orderInput('Application', {
  INDEX: '`orderIndex`, then name.',
  NAME: 'Name.',
  CREATED_AT: 'Creation time.',
});

const listArgs = builder.args((t) => ({
  search: t.string({
    description: 'A case-insensitive substring of the application name or the team name. REST: `query`.',
    validate: validatedBy(search()),
  }),
  templateId: t.string({
    description: 'Returns only applications in which the template with this key is installed.',
    validate: validatedBy(text(300)),
  }),
  state: t.field({
    type: ApplicationStateEnum,
    description:
      'Returns only applications in this state. Their health is read from the clusters, as for `Application.state`.',
  }),
  hasProblems: t.boolean({
    description:
      'Returns only applications whose state is UNHEALTHY or PARTLY_UNHEALTHY; or, if false, only the others.',
  }),
  orderBy: t.field({
    type: ApplicationOrder,
    description: 'The sort order. Defaults to `orderIndex`, then name.',
  }),
}));

addList(Team, 'applications', Application, {
  description: 'The applications of the team. REST: `GET …/apps`.',
  args: { ...listArgs, ...regionArgument('applications') },
  list: (team, args, context) =>
    args.region
      ? requireTeamRegion(context, team, args.region).then(({ id: regionId }) =>
          liveApplicationsOf(context, team.id, { ...args, regionId }),
        )
      : liveApplicationsOf(context, team.id, args),
});

addListQuery('applications', Application, {
  description: 'The applications of all teams that the caller is a member of, or of one team.',
  args: {
    ...listArgs,
    ...wordsArgument(
      'Each must be part of the name of the application or its team. At least one must match the application.',
    ),
    ...teamArguments('applications'),
  },
  list: async (_, { team: ref, region: regionRef, words, ...args }, context) => {
    const place = await placeOf(context, ref, regionRef);
    const filter = words ? { ...args, found: applicationsWith(context, words, place?.teamId) } : args;
    return place
      ? liveApplicationsOf(context, place.teamId, { ...filter, ...place })
      : ownApplications(context, filter);
  },
});

addList(Region, 'applications', Application, {
  description: 'The applications in the region that are visible to the caller.',
  args: listArgs,
  list: (region, args, context) => applicationsInRegion(context, region.id, args),
});

addList(Application, 'events', Event, {
  isEndless: true,
  description:
    'The events of the application and everything in it, newest first. Includes events of deleted components, ports, rules and volumes.',
  args: eventListArgs,
  list: (application, args, context) => eventsOfApplication(context, application.id, args),
});

builder.objectField(Event, 'application', (t) =>
  relatedOrNull(
    t,
    'applicationId',
    Application,
    'The application that the changed object is or belongs to. Null if the object belongs to no application, or if the application was deleted or is not visible to the caller.',
  ),
);
