import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './production.ts';

interface Step {
  instruction: string;
  /** What follows the instruction, with continued lines joined. */
  text: string;
  /** Options such as `from` and `chown`. */
  options: Record<string, string>;
}

export interface Stage {
  image: string;
  name: string | undefined;
  steps: Step[];
}

/** The stages of the Dockerfile; an instruction of another kind than those that it uses is an error. */
export function readDockerfile(): Stage[] {
  const text = readFileSync(join(root, 'Dockerfile'), 'utf8').replace(/\\\n/g, ' ');
  const stages: Stage[] = [];
  for (const line of text.split('\n')) {
    if (!line.trim() || line.startsWith('#')) continue;
    const found = /^([A-Z]+)\s+((?:--\w+=\S+\s+)*)(.*)$/.exec(line);
    if (!found) throw new Error(`Not a line of a Dockerfile: ${line}`);
    const [, instruction, given, rest] = found as unknown as [string, string, string, string];
    if (instruction === 'FROM') {
      const [image, , name] = rest.split(/\s+/);
      stages.push({ image: image!, name, steps: [] });
      continue;
    }
    const options = Object.fromEntries(
      [...given.matchAll(/--(\w+)=(\S+)/g)].map(([, name, value]) => [name, value]),
    );
    stages.at(-1)!.steps.push({ instruction, text: rest, options });
  }
  return stages;
}

export const stepsOf = (stage: Stage, instruction: string) =>
  stage.steps.filter((step) => step.instruction === instruction);

/** The command of an instruction in exec form, which no shell reads. */
export function execForm(text: string): [string, ...string[]] {
  const command = JSON.parse(text);
  if (!Array.isArray(command)) throw new Error(`Not in exec form: ${text}`);
  return command as [string, ...string[]];
}

/** The health check's command. */
export const healthCommand = (stage: Stage) =>
  execForm(stepsOf(stage, 'HEALTHCHECK')[0]!.text.replace(/^(--\S+\s+)*CMD\s+/, ''));
