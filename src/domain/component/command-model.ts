import { z } from 'zod';
import type { Row } from '../../db/tables.ts';
import { commandWords } from '../../kernel/validate.ts';

/** How long a command may take. */
export const timeoutDefaults = { seconds: 3_600, mostSeconds: 86_400 };

export const commandTimeout = z.int32().min(1).max(timeoutDefaults.mostSeconds);

/** For the descriptions of commands. */
export const commandText =
  'It replaces the entrypoint and the arguments of the image. It does not run in a shell; to use one, start it with `["sh", "-c", "…"]`. Everyone who can see the component can see the command, so don\'t put secrets in it. Use the component\'s variables instead.';
export const timeoutText = `At most ${timeoutDefaults.mostSeconds}. Defaults to ${timeoutDefaults.seconds}.`;

type CommandColumns = Pick<Row<'Component'>, 'preDeployCommand' | 'preDeployTimeoutSeconds'>;

/** The command that runs before each deploy of a component, as in the input of `createComponent`. */
export const preDeployFields = {
  preDeployCommand: commandWords
    .nullish()
    .describe(
      `A command that runs once before each deploy, as a list of words such as \`["npm", "run", "migrate"]\`. It runs with the image, the variables and the files of the deploy. If it fails, nothing is deployed. Defaults to none. ${commandText}`,
    ),
  preDeployTimeoutSeconds: commandTimeout
    .nullish()
    .describe(
      `The time limit of the pre-deploy command, in seconds. A command that exceeds it fails. ${timeoutText}`,
    ),
};

interface PreDeployInput {
  preDeployCommand?: readonly string[] | null | undefined;
  preDeployTimeoutSeconds?: number | null | undefined;
}

/** The column of a command, of which undefined stays. */
export const commandColumn = (words: PreDeployInput['preDeployCommand']): string | null | undefined =>
  words && JSON.stringify(words);

export const preDeployColumns = ({
  preDeployCommand,
  preDeployTimeoutSeconds,
}: PreDeployInput): CommandColumns => ({
  preDeployCommand: commandColumn(preDeployCommand) ?? null,
  preDeployTimeoutSeconds: preDeployTimeoutSeconds ?? timeoutDefaults.seconds,
});
