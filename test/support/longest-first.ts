import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The files that take longest, about the longest first: those with a browser, which wait much, between others. */
const longest = [
  'robustness/isolation',
  'surfaces/rest-docs',
  'robustness/memory',
  'process/kill',
  'robustness/overload',
  'surfaces/console/acting',
  'process/production',
  'process/commands',
  'robustness/rest-bad-requests',
  'surfaces/graphiql',
  'process/migrate',
  'robustness/rest-garbage',
  'process/slow-subscribers',
  'surfaces/console/tree',
  'process/process',
  'api/app-store/faults',
  'surfaces/access',
  'process/gateways',
  'robustness/bad-input',
  'process/migrate-kill',
  'process/shutdown',
  'robustness/rest-bad-input',
  'process/kubernetes',
  'process/rotate-key',
  'unit/kubernetes-driver',
  'unit/columns',
  'process/readme',
  'api/region/kubernetes-templates',
  'api/app-store/blocks',
  'api/region/kubernetes-faults',
  'surfaces/viewer-can',
  'process/subscription-outage',
  'api/app-store/rollback',
  'api/event/record',
  'process/workers',
  'surfaces/console/live',
  'surfaces/fast-lane',
  'surfaces/rest-equals-graphql-refusals',
  'surfaces/mcp-http',
  'robustness/subscriptions',
  'api/gateway-rule/gateway-rule',
  'process/outage',
  'process/deploy',
  'surfaces/client-examples',
].map((name) => new RegExp(`/test/${name}\\.`));

/** Begins each project with its longest files, so that none of them is left for one core at the end of a run. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const projects = [...new Set(sorted.map(({ project }) => project))];
    const placeOf = ({ project, moduleId }: TestSpecification) => {
      const rank = longest.findIndex((name) => name.test(moduleId));
      return projects.indexOf(project) * 1_000 + (rank < 0 ? longest.length : rank);
    };
    return sorted.sort((a, b) => placeOf(a) - placeOf(b));
  }
}
