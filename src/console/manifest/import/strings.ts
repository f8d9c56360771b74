/** The texts of the page that converts files to a manifest. */
export const text = {
  intro:
    'Paste a Compose file or Kubernetes manifests, or drop files or a folder. Your browser converts them and sends nothing until you plan the manifest.',
  label: (name: string) => `Content of ${name}`,
  files: 'Files',
  add: 'Choose files…',
  addLabel: 'Choose files to import',
  isSource: 'Describes the application',
  notText: 'not read: no text, or too large',
  remove: 'Remove',
  removeName: (name: string) => `Remove ${name}`,
  tooMuch:
    'These are more than 500 files or 2 million characters. Choose the files that the application needs.',
  unreadable: 'The files could not be read.',
  result: 'Conversion',
  converting: 'Converting…',
  nothing: 'Nothing to convert yet.',
  failed: 'The files could not be converted.',
  tooLong: 'The conversion took longer than 30 seconds and was ended.',
  noNotes: 'Everything is converted unchanged.',
  grades: {
    LOST: 'Data or traffic would be lost',
    CHANGED: 'Runs differently',
    INFO: 'Good to know',
  },
  place: (line: number) => `Line ${line}`,
  placeIn: (file: string, line: number) => `${file}, line ${line}`,
  next: 'Edit and plan the manifest',
  replaces: 'This replaces the manifest you typed for a new application in this tab.',
};
