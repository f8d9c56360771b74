const list = (names: readonly string[]) => names.join(', ');

export const text = {
  title: (name: string) => `Variables of ${name}`,
  intro: 'Changes take effect with the next deploy. The values of secrets are masked.',
  modes: { label: 'Edit as', table: 'Table', env: '.env text' },
  name: 'Name',
  value: 'Value',
  secret: 'Secret',
  add: 'Add variable',
  save: (count: number) =>
    count === 0 ? 'Save variables' : `Save ${count} ${count === 1 ? 'change' : 'changes'}`,
  showValue: (name: string) => `Show the value of ${name}`,
  hideValue: (name: string) => `Hide the value of ${name}`,
  remove: 'Remove',
  removeNamed: (name: string) => `Remove ${name}`,
  keep: 'Keep',
  keepNamed: (name: string) => `Keep ${name}`,
  connection: 'Connection',
  adds: (names: readonly string[]) => `Adds ${list(names)}.`,
  changes: (names: readonly string[]) => `Changes ${list(names)}.`,
  removes: (names: readonly string[]) => `Removes ${list(names)}.`,
  env: {
    label: 'Variables as .env text',
    hint: 'One NAME=value per line. Removing a line removes the variable. Masked values stay as they are.',
    rest: (count: number) =>
      `${count} ${count === 1 ? 'variable is' : 'variables are'} not in the text: connection variables and read-only variables.`,
    showSecrets: 'Show secrets',
    import: 'Import a file',
    export: 'Export',
    exportNote: 'Masked secrets stay masked in the export. Show secrets to export their values.',
    secrets: 'New secrets',
    errors: 'Errors in the text',
    at: (line: number, message: string) => `Line ${line}: ${message}`,
    twice: (name: string, line: number) => `${name} is set twice, first in line ${line}.`,
  },
  saved: 'Your unsaved changes were restored. Enter secrets again.',
} as const;
