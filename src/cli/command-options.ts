import type { Command } from 'commander';

/** The options of a command in a team and region. */
export const inPlace = (command: Command) =>
  command
    .option(
      '-t, --team <name>',
      'the team; defaults to TRELLIS_TEAM, the one of `trellis use`, or your only team',
    )
    .option(
      '-r, --region <name>',
      'the region; defaults to TRELLIS_REGION, the one of `trellis use`, or the only region',
    )
    .option('--json', 'print JSON');

/** Those of a command that follows a job. */
export const waiting = (command: Command) => inPlace(command).option('--no-wait', 'do not wait for the job');

/** An option that can be repeated. */
export const several = (value: string, before: string[] = []) => [...before, value];
