import type { Command } from 'commander';

/** The options of a command in a team and region. */
export const inPlace = (command: Command) =>
  command
    .option('-t, --team <name>', 'the team; or TRELLIS_TEAM, that of `trellis use`, or the only one')
    .option('-r, --region <name>', 'the region; or TRELLIS_REGION, that of `trellis use`, or the only one')
    .option('--json', 'prints JSON');

/** Those of a command that follows a job. */
export const waiting = (command: Command) => inPlace(command).option('--no-wait', 'does not follow the job');

/** An option that can be repeated. */
export const several = (value: string, before: string[] = []) => [...before, value];
