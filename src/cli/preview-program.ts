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
    .description('Open or update a preview of an application, and print its addresses.')
    .requiredOption(key, 'the key of the preview, such as pr-42')
    .option('--image <component=image>', 'the image of a component; can be repeated', several)
    .option('--variable <component.NAME=value>', 'a variable of a component; can be repeated', several)
    .option('--hours <hours>', 'the number of hours until the preview is deleted')
    .option('--wait', 'wait until the preview is deployed, which is the default')
    .option('--no-wait', 'do not wait')
    .action((...args: Parameters<typeof openPreview> extends [Context, ...infer A] ? A : never) =>
      openPreview(context, ...args),
    );
  inPlace(preview.command('close'))
    .argument('<application>')
    .description('Delete a preview with its data.')
    .requiredOption(key, 'the key of the preview')
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
