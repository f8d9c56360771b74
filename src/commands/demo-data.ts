import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { Context } from '../context.ts';
import { change } from '../db/write/change.ts';
import { installApplication } from '../domain/app-store/operations.ts';
import { publishTemplate } from '../domain/app-store/publish/operations.ts';
import { createApplication } from '../domain/application/operations.ts';
import { actOnComponent } from '../domain/component/deploy/operations.ts';
import { updateComponent } from '../domain/component/update/operations.ts';
import { addTeamMember } from '../domain/member/operations.ts';
import { createRegion, openTeamRegion } from '../domain/region/operations.ts';
import { createTeam } from '../domain/team/operations.ts';
import { createUser } from '../domain/user/operations.ts';
import { ConflictError } from '../kernel/errors.ts';
import { installedFile } from '../kernel/files.ts';
import { at, type DemoTeam, people, regions, teams } from './demo-teams.ts';

const finished = 'demo.create';

/** The address of the demo itself, which is its own app store. */
export interface DemoStore {
  url: string;
  domain: string;
  accessKey: string;
}

/** Does a part of the work, and says what it is and how long it took. */
type Step = (what: string, work: () => Promise<void>) => Promise<void>;

const folder = installedFile('prisma/templates/');
const read = (path: string) => readFileSync(new URL(path, folder), 'utf8');

interface StoreEntry {
  appKeyID: string;
  name: string;
  desc: string;
  logo: string;
  versions: { appVersion: string; appVersionAlias: string; desc: string; enable: boolean }[];
}

const readEntry = (application: string) => JSON.parse(read(`${application}/app.json`)) as StoreEntry;

/** Publishes all versions of the applications in prisma/templates. */
async function publishTemplates(context: Context): Promise<void> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (!entry.isDirectory()) continue;
    const { name, desc, logo, versions } = readEntry(entry.name);
    for (const version of versions) {
      await publishTemplate(context, {
        template: read(`${entry.name}/${version.appVersion}.json`),
        name,
        description: desc,
        logo,
        versionAlias: version.appVersionAlias,
        versionDescription: version.desc,
        isEnabled: version.enable,
      });
    }
  }
}

/**
 * Creates the demo data as the actor of the context, who becomes owner of its teams. Completes the data of an interrupted
 * start. Complete data is not changed again.
 */
export async function makeDemoData(
  context: Context,
  store: DemoStore,
  step: Step = (_, work) => work(),
): Promise<void> {
  const { enterpriseId } = context.actor;
  const events = await context.db.event.findManyByKeys({
    by: 'enterpriseId',
    keys: [enterpriseId],
    fields: ['id'],
    where: [{ field: 'action', is: finished }],
  });
  if (events.length) return;

  await step('people and regions', async () => {
    for (const [email, nickName, isAdministrator] of people) {
      await unlessThere(createUser(context, { email, nickName, isAdministrator }));
    }
    for (const region of regions) {
      await unlessThere(
        createRegion(context, {
          ...region,
          httpDomain: `${region.name}.apps.trellis.example`,
          tcpDomain: `tcp.${region.name}.trellis.example`,
          status: 'enabled',
        }),
      );
    }
  });
  await step('templates of real applications', () => publishTemplates(context));
  for (const team of teams) await step(`team ${team.alias}`, () => makeTeam(context, store, team));
  await change(context, finished, async ({ recordEvent }) => {
    recordEvent({
      subject: { type: 'Enterprise', id: enterpriseId },
      after: { teams: teams.map(({ name }) => name) },
    });
  });
}

async function makeTeam(
  context: Context,
  store: DemoStore,
  { name, alias, ...team }: DemoTeam,
): Promise<void> {
  const ref = { name };
  await unlessThere(createTeam(context, { name, alias }));
  for (const [user, role] of Object.entries(team.members)) {
    await unlessThere(addTeamMember(context, { team: ref, user: { email: at(user) }, role }));
  }
  for (const [region, [cpuQuotaMillicores, memoryQuotaMiB]] of Object.entries(team.regions)) {
    await unlessThere(
      openTeamRegion(context, { team: ref, region: { name: region }, cpuQuotaMillicores, memoryQuotaMiB }),
    );
  }
  for (const application of team.applications) await makeApplication(context, store, name, application);
}

/** An id that is equal in every demo, so that the examples of the OpenAPI documents exist there. */
const newComponentId = (alias: string) => createHash('sha256').update(alias).digest('hex').slice(0, 32);

/** Creates an application with the name of its template, and installs the template. */
async function makeApplication(
  context: Context,
  store: DemoStore,
  team: string,
  { template, version, region, firstAlias, show, ...about }: DemoTeam['applications'][number],
): Promise<void> {
  const { appKeyID: templateId, name } = readEntry(template);
  await unlessThere(
    createApplication(context, { team: { name: team }, region: { name: region }, name, ...about }),
  );
  const [owner] = await context.db.team.findManyByKeys({ by: 'name', keys: [team], fields: ['id'] });
  const where = [{ field: 'name' as const, is: name }];
  const [application] = await context.db.application.findManyByKeys({
    by: 'teamId',
    keys: [owner!.id],
    where,
  });
  const appId = application!.id;
  const installed = await context.db.componentGroup.findManyByKeys({
    by: 'applicationId',
    keys: [appId],
    fields: ['id'],
  });
  if (installed.length) return showStates(context, appId, show);
  let alias = firstAlias;
  const newAlias = () => `gr${(alias++).toString(16).padStart(6, '0')}`;
  await installApplication(
    { ...context, newAlias, newComponentId },
    { application: { appId }, store, templateId, version, deploy: true },
  );
  await showStates(context, appId, show);
}

/** Stops a component, and deploys images that the simulated region cannot run, or that it takes minutes to start. */
async function showStates(
  context: Context,
  appId: number,
  show: DemoTeam['applications'][number]['show'],
): Promise<void> {
  if (!show) return;
  const components = await context.db.component.findManyByKeys({ by: 'applicationId', keys: [appId] });
  const named = (name: string) => components.find((component) => component.name === name)!;
  const stopped = named(show.stopped);
  if (stopped.deployState === 'running') {
    await actOnComponent('stop')(context, { component: { componentId: stopped.id }, force: true });
  }
  for (const [name, suffix] of [
    [show.failing, '-crash'],
    [show.deploying, '-slow'],
  ] as const) {
    const { id, image } = named(name);
    if (image.endsWith(suffix)) continue;
    const component = { componentId: id };
    const tagged = image.includes(':') ? image : `${image}:latest`;
    await updateComponent(context, { component, image: `${tagged}${suffix}`, deploy: true });
  }
}

/** Ignores conflicts with objects that an interrupted start has created. */
async function unlessThere(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof ConflictError)) throw error;
  }
}
