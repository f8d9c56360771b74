import { expect, vi } from 'vitest';
import { type Settings, start } from './commands.ts';

/** The demo, once it says that it is running. */
export async function startDemo(settings: Settings) {
  const demo = start('demo', [], { PORT: '0', ...settings });
  await new Promise<void>((resolve, reject) => {
    demo.child.stdout.on('data', () => /^ +Stop /m.test(demo.output.stdout) && resolve());
    demo.ended.then(({ code, stderr }) => reject(new Error(`the demo ended with ${code}: ${stderr}`)));
  });
  const printed = (name: string) => new RegExp(`^  ${name} +(.+)$`, 'm').exec(demo.output.stdout)![1]!;
  return {
    ...demo,
    endpoint: printed('GraphQL'),
    token: printed('Token'),
    printed,
    ask: (query: string) => ask(printed('GraphQL'), printed('Token'), query),
    stop: (signal: NodeJS.Signals = 'SIGTERM') => {
      demo.child.kill(signal);
      return demo.ended;
    },
  };
}

export async function ask(endpoint: string, token: string, query: string): Promise<any> {
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
    body: JSON.stringify({ query }),
  });
  const { data, errors } = (await response.json()) as any;
  if (errors) throw new Error(JSON.stringify(errors));
  return data;
}

export const tree = `{ teams(first: 5) { nodes { name members { totalCount } applications(first: 5) { nodes {
  name region { name } components(first: 20) { totalCount nodes {
    name status: state image volumes { totalCount } variables { totalCount }
    dependencies { nodes { name } }
    ports { nodes { number protocol alias isInner isOuter serviceName } }
  } }
} } } } }`;

const statuses = `{ teams(first: 5) { nodes { applications(first: 5) { nodes {
  name components(first: 20) { nodes { name status: state } }
} } } } }`;

const applicationsIn = ({ teams }: any) =>
  new Map<string, any>(
    teams.nodes.flatMap((team: any) => team.applications.nodes.map((each: any) => [each.name, each])),
  );

/** The components of `Sock Shop` that a job is at work on. */
const leftIn = (applications: Map<string, any>): any[] =>
  applications
    .get('Sock Shop')
    .components.nodes.filter(({ status }: any) => /^(STARTING|WAITING|UPGRADING|STOPPING)$/.test(status));

/** The applications by name, once the simulated region has carried out everything but the slow deploy of `login`. */
export async function settledApplications(demo: {
  ask(query: string): Promise<any>;
}): Promise<Map<string, any>> {
  const settled = async () => {
    const left = leftIn(applicationsIn(await demo.ask(statuses)));
    expect(left.filter(({ name }) => name !== 'login')).toEqual([]);
  };
  await vi.waitFor(settled, { timeout: 90_000, interval: 250 });
  const found = applicationsIn(await demo.ask(tree));
  for (const each of leftIn(found)) each.status = 'IN PROGRESS';
  return found;
}
