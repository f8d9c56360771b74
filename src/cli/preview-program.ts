import type { Command } from 'commander';
import { inPlace, several } from './command-options.ts';
import { closePreview, listPreviews, openPreview } from './commands/previews.ts';
import type { Context } from './context.ts';

/** The commands of previews. */
export function addPreviewCommands(program: Command, context: Context): void {
  const preview = program.command('preview').description('Open, close or list previews.').helpCommand(false);
  const key = '--key <key>';
  inPlace(preview.command('open'))
    .argument('<application>')
    .description('Open a preview of an application, or update it, and print its addresses.')
    .requiredOption(key, 'what you call it, such as pr-42')
    .option('--image <component=image>', 'the image of a component; can be repeated', several)
    .option('--variable <component.NAME=value>', 'a variable of a component; can be repeated', several)
    .option('--hours <hours>', 'when it is deleted, from now on')
    .option('--wait', 'waits until it is deployed, as it does without this')
    .option('--no-wait', 'does not wait')
    .action((...args: Parameters<typeof openPreview> extends [Context, ...infer A] ? A : never) =>
      openPreview(context, ...args),
    );
  inPlace(preview.command('close'))
    .argument('<application>')
    .description('Delete a preview with its data.')
    .requiredOption(key, 'the key with which it was opened')
    .action((...args: Parameters<typeof closePreview> extends [Context, ...infer A] ? A : never) =>
      closePreview(context, ...args),
    );
  inPlace(preview.command('list'))
    .argument('<application>')
    .description('List the previews of an application.')
    .action((...args: Parameters<typeof listPreviews> extends [Context, ...infer A] ? A : never) =>
      listPreviews(context, ...args),
    );
}
