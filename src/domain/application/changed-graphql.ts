import type { Context } from '../../context.ts';
import type { Row } from '../../db/tables.ts';
import { followed } from '../../graphql/schema/nodes-changed.ts';
import { rowSource, subscription } from '../../graphql/schema/subscription.ts';
import { type Actor, maySeeSome, placeOf } from '../../kernel/access.ts';
import { NotFoundError } from '../../kernel/errors.ts';
import { loadTeam } from '../team/reads.ts';
import { Application, ApplicationRef } from './graphql.ts';
import { applicationRef } from './model.ts';
import { namedApplication, placeOfApplication, visibleApplication } from './reads.ts';

const noun = 'application';

/** Throws if an actor may no longer see anything of the application. */
async function requirementOf(context: Context, application: Row<'Application'>) {
  const team = await loadTeam(context, application.teamId);
  const place = { ...placeOf(team), ...placeOfApplication(application) };
  return (actor: Actor) => {
    if (!maySeeSome(actor, place)) throw new NotFoundError(noun);
  };
}

followed('Application', async (context, id) => {
  const application = await visibleApplication(context, id);
  return (
    application && {
      topic: `application/${application.id}`,
      require: await requirementOf(context, application),
    }
  );
});

subscription('applicationChanged', {
  type: Application,
  description:
    'The application, each time it, a part of it or one of its jobs changes. After several changes in quick succession, only the state after the last one is sent. With `Last-Event-ID`, the first item is the current state, unless the client has already received it.',
  argument: {
    name: 'application',
    type: ApplicationRef,
    schema: applicationRef,
    description: 'The application.',
  },
  async subscribe(context, ref) {
    const application = await namedApplication(context, ref);
    const require = await requirementOf(context, application);
    return rowSource(context, 'Application', application.id, { require, noun });
  },
});
