import { type Argument, Command, CommanderError, Option } from 'commander';
import manifest from '../../package.json' with { type: 'json' };
import { inPlace, several, waiting } from './command-options.ts';
import { call } from './commands/call.ts';
import { deploy, move, scale, switchPort } from './commands/changes.ts';
import { complete, completion, wordsAsTheyAre, wordsOfBash } from './commands/completion.ts';
import { convert } from './commands/convert.ts';
import { login } from './commands/login.ts';
import { logs } from './commands/logs.ts';
import { apply, exportManifests, type PlanOptions, plan } from './commands/manifests.ts';
import { list, openUrl, status } from './commands/reads.ts';
import { releases, rollback } from './commands/releases.ts';
import { type RunOptions, runCommand } from './commands/run.ts';
import { createToken, presets } from './commands/token.ts';
import { use } from './commands/use.ts';
import type { Context, Output } from './context.ts';
import { Failure } from './failure.ts';
import { addPreviewCommands } from './preview-program.ts';
import { failureText } from './show.ts';

const startStopped = 'also deploy stopped components, which starts them';
const deployOption = () =>
  new Option('--deploy <components>', 'the components to deploy').choices(['changed', 'all', 'none']);
const exitStatuses = `
Exit status: 0, 1 for an error, 2 for a plan with changes, or the one of a run.`;

const termOf = (argument: Argument) => {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return argument.required ? `<${name}>` : `[${name}]`;
};

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
    .description('Manage applications, also as files.')
    .version(manifest.version, '--version', 'print the version')
    .helpOption('-h, --help', 'print the help of a command')
    .helpCommand(false)
    .addHelpText('after', exitStatuses)
    .exitOverride()
    .configureHelp({
      subcommandTerm: (command) => [command.name(), ...command.registeredArguments.map(termOf)].join(' '),
    })
    .configureOutput({
      // A suggestion has a line of its own otherwise.
      outputError: (text, write) => write(text.trimEnd().replace('\n', ' ').concat('\n')),
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
      getOutHelpWidth: () => widthOf(stdout),
      getErrHelpWidth: () => widthOf(stderr),
    });

  program.commandsGroup('Gateway:');
  program
    .command('login')
    .argument('[url]', 'the gateway')
    .description('Sign in to a gateway.')
    .option('--token', 'ask for a token, even if the gateway has an identity provider')
    .option('--web', 'sign in with the identity provider, even without a terminal')
    .option('--json', 'print JSON')
    .action(withContext(login));

  program
    .command('use')
    .description('Choose the default team and region.')
    .option('-t, --team <name>', 'the team')
    .option('-r, --region <name>', 'the region')
    .option('--forget', 'clear the default team and region')
    .option('--json', 'print JSON')
    .action(withContext(use));
  inPlace(program.command('token'))
    .argument('<name>', 'the purpose of the token')
    .description('Create an access token.')
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
    .option('--service-account <name>', 'the service account to create the token for, instead of yourself')
    .option('--expires-in-days <days>', 'the number of days until the token expires')
    .action(withContext(createToken));
  program
    .command('call')
    .argument('[operation]', 'such as find-components; without it, all operations are listed')
    .argument('[arguments...]', '--NAME VALUE for each argument, or - for an input from standard input')
    .description('Call any operation of the API.')
    .option('--input <file>', 'a file with the arguments as JSON, or - for standard input')
    .option('--json', 'print JSON')
    .allowUnknownOption()
    .action(withContext(call));
  program
    .command('completion')
    .argument('<shell>', 'bash, zsh or fish')
    .description('Print the completion script of a shell.')
    .action((shell: string) => completion(context, shell));

  program.commandsGroup('Applications as files:');
  inPlace(program.command('plan'))
    .description('Show what an apply would change.')
    .option('-f, --file <file>', 'a manifest, or - for standard input; can be repeated', several)
    .option(
      '--secret-folder <folder>',
      'a folder with files of secrets, in addition to the folder of the manifest; can be repeated',
      several,
    )
    .option('--prune', 'delete objects that belong to the manifest and are no longer in it')
    .addOption(deployOption())
    .option('--start-stopped', startStopped)
    .option('--out <file>', 'a file to save the plan to, for `apply --plan`')
    .action(async (options: PlanOptions) => {
      if (await plan(context, options)) end(2);
    });

  waiting(program.command('apply'))
    .description('Apply manifests.')
    .option('-f, --file <file>', 'a manifest, or - for standard input; can be repeated', several)
    .option('--plan <file>', 'apply a plan saved by `plan --out`')
    .option(
      '--secret-folder <folder>',
      'a folder with files of secrets, in addition to the folder of the manifest; can be repeated',
      several,
    )
    .option('--prune', 'delete objects that belong to the manifest and are no longer in it')
    .option('--allow-destruction', 'allow changes that destroy data or an address')
    .addOption(deployOption())
    .option('--start-stopped', startStopped)
    .option('-y, --yes', 'do not ask for confirmation')
    .action(withContext(apply));

  inPlace(program.command('export'))
    .argument('[application]')
    .description('Write an application as a manifest.')
    .option('--all', 'write a file for each application of the team')
    .option('--out <path>', 'the file or, with --all, the folder')
    .action(withContext(exportManifests));

  program
    .command('convert')
    .argument('[files...]', 'a Compose file, or manifests of Kubernetes, or - for standard input')
    .description('Convert Compose files, or manifests of Kubernetes, to a manifest.')
    .option('-f, --file <file>', 'a Compose file; can be repeated to merge several files', several)
    .option('--kubernetes', 'read rendered manifests of Kubernetes')
    .option('--application <name>', 'the name of the application')
    .option('--profile <name>', 'a profile of services; can be repeated', several)
    .option('--prefix <prefix>', 'a prefix for the names of the components and of their services')
    .option('--strict', 'fail if something would be lost or changed')
    .option('--out <file>', 'the file of the manifest')
    .option('--json', 'print the manifest and the notes as JSON')
    .action(async (files: string[], options: Parameters<typeof convert>[2]) => {
      if (!(await convert(context, files, options))) end(1);
    });

  program.commandsGroup('Daily work:');
  inPlace(program.command('ls')).description('List the applications of a team.').action(withContext(list));
  inPlace(program.command('status'))
    .argument('<application>')
    .description('Show the components of an application.')
    .action(withContext(status));
  inPlace(program.command('logs'))
    .argument('<component>', 'such as web, or shop/web')
    .description('Print the logs of a component.')
    .option('-f, --follow', 'follow the logs')
    .option('--tail <lines>', 'the number of lines')
    .option('--search <text>', 'print only lines with this text, ignoring case')
    .action(withContext(logs));
  waiting(program.command('deploy'))
    .argument('<application|component>')
    .description('Deploy an application or a component.')
    .option('--image <reference>', 'a new image for the component, deployed in the same change')
    .option('--start-stopped', startStopped)
    .action(withContext(deploy));
  for (const kind of ['start', 'stop', 'restart'] as const) {
    const title = `${kind[0]!.toUpperCase()}${kind.slice(1)}`;
    waiting(program.command(kind))
      .argument('<component>')
      .description(`${title} a component.`)
      .action(withContext(move(kind)));
  }
  waiting(program.command('scale'))
    .argument('<component>')
    .description('Change the number or size of instances.')
    .option('--replicas <number>', 'the number of instances')
    .option('--cpu <millicores>', 'the CPU of an instance, in millicores')
    .option('--memory <mib>', 'the memory of an instance, in MiB')
    .action(withContext(scale));
  for (const kind of ['open', 'close'] as const) {
    const title = kind === 'open' ? 'Open' : 'Close';
    inPlace(program.command(kind))
      .argument('<component>')
      .argument('<port>')
      .description(`${title} a port to the outside.`)
      .option('--inner', 'inside the cluster instead')
      .action(withContext(switchPort(kind)));
  }
  waiting(program.command('run'))
    .argument('<component>')
    .argument('<command...>', 'the words of the command, after --')
    .description('Run a command and print its output.')
    .option('--timeout <seconds>', 'the time limit of the command; defaults to 3600')
    .action(async (path: string, words: string[], options: RunOptions) =>
      end(await runCommand(context, path, words, options)),
    );
  inPlace(program.command('releases'))
    .argument('<component>')
    .description('List the releases of a component.')
    .action(withContext(releases));
  waiting(program.command('rollback'))
    .argument('<application|component>')
    .description('Roll back an upgrade, or a component.')
    .option('--release <number>', 'the release to roll the component back to')
    .option('--template <name>', 'the template, if several were upgraded')
    .option('--start-stopped', startStopped)
    .action(withContext(rollback));
  addPreviewCommands(program, context);
  inPlace(program.command('open-url'))
    .argument('<component>')
    .description('Print the public URLs of a component.')
    .action(withContext(openUrl));
  program
    .command('__complete', { hidden: true })
    .argument('[words...]')
    .option('--bash', 'write words as bash reads them')
    .allowUnknownOption()
    .action((words: string[], { bash }: { bash?: boolean }) =>
      complete(context, words, program, bash ? wordsOfBash : wordsAsTheyAre),
    );
  return program;
}
