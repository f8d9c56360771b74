import { wordsOf } from '../../formats/command-words.ts';
import type { Component, ServiceTell } from './model.ts';

type Components = Record<string, Component>;

/** Whether a component depends on another one, through others as well. */
function dependsOn(
  components: Readonly<Components>,
  from: string,
  on: string,
  seen = new Set<string>(),
): boolean {
  if (from === on) return true;
  if (seen.has(from)) return false;
  seen.add(from);
  return (components[from]?.dependsOn ?? []).some((next) => dependsOn(components, next, on, seen));
}

const isAmong = (part: object, whole: object) =>
  Object.entries(part).every(
    ([key, value]) => JSON.stringify(value) === JSON.stringify((whole as Record<string, unknown>)[key]),
  );

/** Whether a command runs for another component as it does for its own: with all that it reads, and nothing that only instances have. */
function isSameFor({ image, variables, volumes, needsRoot }: Component, other: Component): boolean {
  const files = Object.values(volumes ?? {});
  const others = Object.values(other.volumes ?? {});
  return (
    image === other.image &&
    isAmong(variables ?? {}, other.variables ?? {}) &&
    files.every((file) => file.type === 'config-file' && others.some((each) => isAmong(file, each))) &&
    (!needsRoot || other.needsRoot === true)
  );
}

/**
 * A service that ends before others start. Of one of these that has its image and configuration, it is the command before each
 * deploy. Otherwise it has no instances.
 */
export function takeOneShot(
  name: string,
  callers: readonly string[],
  components: Components,
  tell: ServiceTell,
): void {
  const own = components[name]!;
  const detail = `for ${callers.join(', ')}`;
  const words = wordsOf([own.entrypoint ?? '', own.command ?? ''].join(' '));
  const isNamed = Object.values(components).some((each) => each.dependsOn?.includes(name));
  const target = callers.find(
    (caller) =>
      isSameFor(own, components[caller]!) &&
      !components[caller]!.preDeployCommand &&
      callers.every((other) => other === caller || !dependsOn(components, caller, other)),
  );
  if (target === undefined || words.length === 0 || own.ports || isNamed) {
    own.replicas = 0;
    tell(
      'CHANGED',
      'depends_on',
      'Is to end before others start. It has no instances: run its command by hand, or as a schedule.',
      detail,
    );
    return;
  }
  delete components[name];
  const owner = components[target]!;
  owner.preDeployCommand = words;
  const before = (own.dependsOn ?? []).filter((other) => other !== target);
  const all = [...new Set([...(owner.dependsOn ?? []), ...before])];
  if (all.length > 0) owner.dependsOn = all;
  for (const caller of callers) {
    if (caller === target) continue;
    const component = components[caller]!;
    component.dependsOn = [...new Set([...(component.dependsOn ?? []), target])];
  }
  if (own.entrypoint === undefined) {
    tell(
      'CHANGED',
      'depends_on',
      'Is the command before each deploy of the component that waits for it, without the entrypoint of the image. If the image needs one, write it before the command.',
      `of ${target}`,
    );
  } else
    tell(
      'INFO',
      'depends_on',
      'Is the command before each deploy of the component that waits for it.',
      `of ${target}`,
    );
}
