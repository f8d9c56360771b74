/**
 * The imports against the order of the console's folders, by file. The list only becomes shorter: the architecture test fails
 * for an import that is not listed, and for a listed one that is gone.
 */
export const consoleDebts: Record<string, readonly string[]> = {
  'act/application-actions.tsx': [
    'create/edit-application.tsx',
    'create/new-component.tsx',
    'create/strings.ts',
    'people/pipeline-item.tsx',
    'releases/roll-back-all.tsx',
    'releases/strings.ts',
    'store/publish-application.tsx',
    'store/strings.ts',
  ],
  'act/component-actions.tsx': [
    'create/change-image.tsx',
    'create/edit-component.tsx',
    'create/strings.ts',
    'people/pipeline-item.tsx',
    'variables/dialog.tsx',
  ],
  'act/install.tsx': ['store/newest.ts'],
  'act/new-application-action.tsx': ['create/new-application.tsx', 'create/strings.ts'],
  'act/port-actions.tsx': [
    'exposure/databases.ts',
    'exposure/switches.tsx',
    'rules/items.tsx',
    'rules/strings.ts',
  ],
  'create/new-component.tsx': ['variables/editor.tsx', 'variables/edits.ts'],
  'exposure/table.tsx': ['certificates/expiry.tsx'],
  'exposure/warnings.ts': ['certificates/expiry.tsx'],
  'map/map-view.tsx': ['create/dependency-dialog.tsx', 'exposure/nowhere.tsx'],
  'rules/certificate-field.tsx': [
    'certificates/covers.ts',
    'certificates/dialogs.tsx',
    'certificates/expiry.tsx',
    'certificates/strings.ts',
  ],
  'rules/done.tsx': ['exposure/nowhere.tsx'],
  'rules/http-dialog.tsx': ['certificates/dialogs.tsx', 'exposure/database-warning.tsx'],
  'rules/tcp-dialog.tsx': ['exposure/database-warning.tsx'],
  'runs/section.tsx': ['pages/logs.tsx'],
  'start/region-step.tsx': ['regions/create-form.tsx'],
};
