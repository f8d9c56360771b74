import { setTimeout } from 'node:timers/promises';

interface Gateway {
  url: string;
  token: string;
}

async function ask({ url, token }: Gateway, query: string, variables: object): Promise<any> {
  const response = await fetch(new URL('/graphql', url), {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = (await response.json()) as any;
  if (errors) throw new Error(errors.map(({ message }: any) => message).join('; '));
  return data;
}

async function does(gateway: Gateway, name: string, input: object, selection: string): Promise<any> {
  const type = `${name[0]!.toUpperCase()}${name.slice(1)}`;
  const issues = '... on InvalidInputError { issues { path message } }';
  const query = `mutation ($input: ${type}Input!) {
    answer: ${name}(input: $input) { __typename ... on ${type}Payload { ${selection} } ... on Error { message } ${issues} }
  }`;
  const { answer } = await ask(gateway, query, { input });
  if (answer.__typename !== `${type}Payload`)
    throw new Error(JSON.stringify(answer.issues ?? answer.message));
  return answer;
}

/** The region of the demo in which deploys take time. */
const region = { name: 'us-east' };

/** Why the manifest of an import does not run in an empty team, or its plan is not empty after it. Undefined if neither is so. */
export async function problemOf(gateway: Gateway, manifest: object): Promise<string | undefined> {
  const document = JSON.stringify(manifest);
  try {
    const name = `import-${crypto.randomUUID().slice(0, 8)}`;
    const { team } = await does(gateway, 'createTeam', { name, alias: name }, 'team { teamId: uid }');
    await does(gateway, 'openTeamRegion', { team, region }, '__typename');
    const place = { team, region, document };
    const { application, job } = await does(
      gateway,
      'applyManifest',
      place,
      'application { appId: uid } job { uid }',
    );
    for (let status = 'QUEUED'; job && !['SUCCEEDED', 'FAILED', 'CANCELLED'].includes(status); ) {
      // Waits on time: the state of a job is asked for.
      await setTimeout(500);
      const found = await ask(gateway, 'query ($by: JobRef!) { job(by: $by) { status } }', {
        by: { jobId: job.uid },
      });
      ({ status } = found.job);
    }
    const { application: after } = await ask(
      gateway,
      'query ($by: ApplicationRef!) { application(by: $by) { components(first: 100) { nodes { name state replicas } } } }',
      { by: application },
    );
    const others = after.components.nodes.filter(
      ({ state, replicas }: any) => state !== 'RUNNING' && replicas > 0,
    );
    if (others.length > 0) return others.map((each: any) => `${each.name} is ${each.state}`).join(', ');
    const { planManifest } = await ask(
      gateway,
      'query ($team: TeamRef!, $region: RegionRef!, $document: String!) { planManifest(team: $team, region: $region, document: $document) { changes { action object name } } }',
      place,
    );
    return planManifest.changes.length > 0 ? JSON.stringify(planManifest.changes) : undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
