import { text } from './strings.ts';

/** The fields for a command, each line of which is a word, and for how long it may take. */
export const commandFields = {
  command: { label: text.command, hint: text.commandHint, required: true },
  timeoutSeconds: { label: text.timeout, hint: undefined, min: 1, max: 86_400 },
};

export const defaultTimeout = { timeoutSeconds: 3600 };
