import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The files that take longest, the longest first. */
const longest = [
  'process/kill',
  'surfaces/rest-docs',
  'process/commands',
  'surfaces/console/acting',
  'surfaces/graphiql',
  'api/app-store/faults',
  'robustness/rest-garbage',
  'process/gateways',
  'process/process',
  'surfaces/console/tree',
  'robustness/overload',
  'surfaces/access',
  'process/slow-subscribers',
  'robustness/memory',
  'process/production',
  'api/region/kubernetes-templates',
  'process/migrate-kill',
  'process/migrate',
  'process/shutdown',
  'robustness/bad-input',
  'unit/execute',
  'surfaces/client-examples',
  'surfaces/fast-lane',
  'process/rotate-key',
  'robustness/rest-bad-input',
  'api/app-store/blocks',
  'robustness/subscriptions',
  'process/idle-subscriptions',
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
