import type { Values } from '../form/values.ts';
import { text } from './strings.ts';

/** One line with several words: as typed for a shell, but passed as one argument. */
const isShellLine = (command: string) => /^\S+[^\S\n]+\S[^\n]*$/.test(command.trim());

/** The fields for a command, each line of which is an argument, and for how long it can run. */
export const commandFields = ({ command = '' }: Values) => ({
  command: {
    label: text.command,
    hint: text.commandHint,
    required: true,
    below: isShellLine(String(command)) && <p role="status">{text.oneArgument}</p>,
  },
  timeoutSeconds: { label: text.timeout, hint: undefined, min: 1, max: 86_400 },
});

export const defaultTimeout = { timeoutSeconds: 3600 };
