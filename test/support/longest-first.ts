import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The files that take longest, the longest first. */
const longest = [
  'process/kill',
  'process/gateways',
  'surfaces/rest-docs',
  'robustness/overload',
  'surfaces/graphiql',
  'process/commands',
  'api/app-store/faults',
  'process/process',
  'process/production',
  'robustness/rest-garbage',
  'process/migrate-kill',
  'process/shutdown',
  'process/rotate-key',
  'process/migrate',
  'surfaces/access',
  'robustness/bad-input',
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
