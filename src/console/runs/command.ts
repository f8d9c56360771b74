import type { Field, Values } from '../form/values.ts';
import { text } from './strings.ts';

/** The fields for a command, and for how long it may take. */
export const commandFields = (given?: { command: readonly string[]; timeoutSeconds: number }): Field[] => [
  {
    name: 'command',
    label: text.command,
    kind: 'area',
    hint: text.commandHint,
    required: true,
    value: given?.command.join('\n') ?? '',
  },
  {
    name: 'timeoutSeconds',
    label: text.timeout,
    kind: 'number',
    value: String(given?.timeoutSeconds ?? 3600),
    min: 1,
    max: 86_400,
  },
];

/** The entered command: each line is a word. */
export const commandOf = ({ command, timeoutSeconds }: Values) => ({
  command: String(command)
    .split('\n')
    .map((word) => word.trim())
    .filter((word) => word !== ''),
  ...(timeoutSeconds && { timeoutSeconds: Number(timeoutSeconds) }),
});
