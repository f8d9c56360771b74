import { Command, CommanderError, Option } from 'commander';
import { call } from './commands/call.ts';
import { deploy, move, rollback, scale, switchPort } from './commands/changes.ts';
import { complete, completion, wordsAsTheyAre, wordsOfBash } from './commands/completion.ts';
import { convert } from './commands/convert.ts';
import { login } from './commands/login.ts';
import { apply, exportManifests, type PlanOptions, plan } from './commands/manifests.ts';
import { list, logs, openUrl, status } from './commands/reads.ts';
import { createToken, presets } from './commands/token.ts';
import type { Context, Output } from './context.ts';
import { Failure } from './failure.ts';
import { failureText } from './show.ts';

const inPlace = (command: Command) =>
  command
    .option('-t, --team <name>', 'the team; or TRELLIS_TEAM, or the only one')
    .option('-r, --region <name>', 'the region; or TRELLIS_REGION, or the only one')
    .option('--json', 'prints JSON');
const waiting = (command: Command) => inPlace(command).option('--no-wait', 'does not follow the job');
const startStopped = 'deploys stopped components as well, which starts them';
const deployOption = () =>
  new Option('--deploy <components>', 'which components are deployed').choices(['changed', 'all', 'none']);
const several = (value: string, before: string[] = []) => [...before, value];

/** Runs a command to its end. Returns the exit status. */
export async function run(argv: string[], context: Context): Promise<number> {
  let status = 0;
  const program = programOf(context, (found) => {
    status = found;
  });
  try {
    await program.parseAsync(argv, { from: 'user' });
    return status;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 1;
    const failure = error instanceof Failure ? error : new Failure((error as Error).message);
    context.stderr.write(`${failureText(context, failure)}\n`);
    return 1;
  }
}

/** The commands. `end` gets the exit status of one that succeeds with another than 0. */
function programOf(context: Context, end: (status: number) => void): Command {
  const withContext =
    <T extends unknown[]>(action: (context: Context, ...args: T) => Promise<void>) =>
    (...args: T) =>
      action(context, ...args);
  const { stdout, stderr } = context;
  const widthOf = ({ isTTY, columns }: Output) => (isTTY && columns) || 80;
  const program = new Command('trellis')
    .description('Applications as files, and the daily work on them.')
    .showHelpAfterError()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
      getOutHelpWidth: () => widthOf(stdout),
      getErrHelpWidth: () => widthOf(stderr),
    });

  program
    .command('login')
    .argument('[url]', 'the gateway')
    .description('Signs in to a gateway, and keeps its token for the next commands.')
    .option('--token', 'asks for a token, although the gateway has an identity provider')
    .option('--web', 'signs in with the identity provider, also without a terminal')
    .option('--json', 'prints JSON')
    .action(withContext(login));

  inPlace(program.command('plan'))
    .description(
      'Shows what an apply would change. The exit status is 0 for nothing, 2 for changes, 1 for an error.',
    )
    .option('-f, --file <file>', 'a manifest, or - for standard input; can be repeated', several)
    .option(
      '--secret-folder <folder>',
      'a folder with files of secrets, beside the one of the manifest; can be repeated',
      several,
    )
    .option('--prune', 'deletes what belongs to the manifest and is no longer written')
    .addOption(deployOption())
    .option('--start-stopped', startStopped)
    .option('--out <file>', 'keeps the documents and the digests for `apply --plan`')
    .action(async (options: PlanOptions) => {
      if (await plan(context, options)) end(2);
    });

  waiting(program.command('apply'))
    .description('Applies manifests, and follows their jobs.')
    .option('-f, --file <file>', 'a manifest, or - for standard input; can be repeated', several)
    .option('--plan <file>', 'applies what `plan --out` has kept')
    .option(
      '--secret-folder <folder>',
      'a folder with files of secrets, beside the one of the manifest; can be repeated',
      several,
    )
    .option('--prune', 'deletes what belongs to the manifest and is no longer written')
    .option('--allow-destruction', 'makes changes that destroy data or an address')
    .addOption(deployOption())
    .option('--start-stopped', startStopped)
    .option('-y, --yes', 'does not ask')
    .action(withContext(apply));

  inPlace(program.command('export'))
    .argument('[application]')
    .description('Writes an application as a manifest.')
    .option('--all', 'writes a file for each application of the team')
    .option('--out <path>', 'the file or, with --all, the folder')
    .action(withContext(exportManifests));

  program
    .command('convert')
    .argument('<file>', 'a Compose file')
    .description('Converts a Compose file to a manifest, and lists what could not be converted.')
    .option('--application <name>', 'the name of the application')
    .option('--out <file>', 'the file of the manifest')
    .option('--json', 'prints JSON')
    .action(withContext(convert));

  inPlace(program.command('ls')).description('Lists the applications of a team.').action(withContext(list));
  inPlace(program.command('status'))
    .argument('<application>')
    .description('Shows the components of an application.')
    .action(withContext(status));
  inPlace(program.command('logs'))
    .argument('<component>', 'such as web, or shop/web')
    .description('Prints what the instances of a component have written.')
    .option('-f, --follow', 'goes on with what they write')
    .option('--tail <lines>', 'the number of lines')
    .option('--search <text>', 'only lines with this text, in any letter case')
    .action(withContext(logs));
  waiting(program.command('deploy'))
    .argument('<application or component>')
    .description('Deploys an application or a component.')
    .option('--start-stopped', startStopped)
    .action(withContext(deploy));
  for (const kind of ['start', 'stop', 'restart'] as const) {
    const title = `${kind[0]!.toUpperCase()}${kind.slice(1)}s`;
    waiting(program.command(kind))
      .argument('<component>')
      .description(`${title} a component.`)
      .action(withContext(move(kind)));
  }
  waiting(program.command('scale'))
    .argument('<component>')
    .description('Changes the number or the size of the instances of a component.')
    .option('--replicas <number>', 'the number of instances')
    .option('--cpu <millicores>', 'the CPU of an instance, in millicores')
    .option('--memory <mib>', 'the memory of an instance, in MiB')
    .action(withContext(scale));
  for (const kind of ['open', 'close'] as const) {
    const title = kind === 'open' ? 'Opens' : 'Closes';
    inPlace(program.command(kind))
      .argument('<component>')
      .argument('<port>')
      .description(`${title} a port to the outside.`)
      .option('--inner', 'inside the cluster instead')
      .action(withContext(switchPort(kind)));
  }
  inPlace(program.command('rollback'))
    .argument('<application>')
    .description('Brings an installed template back to the version before its last upgrade.')
    .option('--template <name>', 'the template, if several were upgraded')
    .option('--start-stopped', startStopped)
    .action(withContext(rollback));
  inPlace(program.command('open-url'))
    .argument('<component>')
    .description('Prints the public addresses of a component.')
    .action(withContext(openUrl));
  inPlace(program.command('token'))
    .argument('<name>', 'the purpose of the token')
    .description('Creates an access token for a purpose, and prints it.')
    .addOption(
      new Option(
        '--preset <preset>',
        'read; deploy: update and deploy one component; application: everything in one application',
      )
        .choices(presets)
        .makeOptionMandatory(),
    )
    .option('--component <name>', 'the component that the token is limited to')
    .option('--application <name>', 'the application that the token is limited to')
    .option('--service-account <name>', 'the service account that the token is for, instead of you')
    .option('--expires-in-days <days>', 'when the token expires')
    .action(withContext(createToken));
  program
    .command('call')
    .argument('[operation]', 'such as find-components; without it, all operations are listed')
    .argument('[arguments...]', '--NAME VALUE for each argument, or - for an input from standard input')
    .description('Calls an operation of the API, and prints its result as JSON.')
    .option('--input <file>', 'a file with the arguments as JSON, or - for standard input')
    .option('--json', 'prints JSON')
    .allowUnknownOption()
    .action(withContext(call));
  program
    .command('completion')
    .argument('<shell>', 'bash, zsh or fish')
    .description('Prints what a shell needs to complete commands and names.')
    .action((shell: string) => completion(context, shell));
  program
    .command('__complete', { hidden: true })
    .argument('[words...]')
    .option('--bash', 'writes words as bash reads them')
    .allowUnknownOption()
    .action((words: string[], { bash }: { bash?: boolean }) =>
      complete(context, words, program, bash ? wordsOfBash : wordsAsTheyAre),
    );
  return program;
}
