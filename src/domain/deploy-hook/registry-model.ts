import { z } from 'zod';
import { isTag, parseImage, withTag } from '../../drivers/registry/image.ts';
import { nameList } from '../../kernel/name-list.ts';
import { matchesPattern } from '../../kernel/text-pattern.ts';
import { imageTag } from '../component/model.ts';
import type { DeployRequest } from './model.ts';

/** A tag that was pushed. If a registry has several names, there is one for each. */
interface Push {
  host: string;
  repository: string;
  tag: string;
}

/** The pushed tags in a registry's notification to a deploy hook. Empty for other events. */
export interface RegistryNotification {
  pushes: Push[];
}

/** A request to a deploy hook: its own JSON, or an event of a registry. */
export type HookRequest = DeployRequest | RegistryNotification;

const text = z.string().max(2_048);
const maybe = text.nullish();

/** @see https://docs.docker.com/docker-hub/repos/manage/webhooks/ */
const dockerHub = z
  .object({ push_data: z.object({ tag: text }), repository: z.object({ repo_name: text }) })
  .transform(({ push_data: { tag }, repository: { repo_name: name } }) => pushed(`docker.io/${name}`, tag));

const gitHubPackage = z.object({
  package_version: z.object({
    package_url: maybe,
    container_metadata: z.object({ tag: z.object({ name: maybe }).nullish() }).nullish(),
  }),
});
const gitHubPushes = ({ package_version: version }: z.infer<typeof gitHubPackage>) =>
  pushed(version.package_url, version.container_metadata?.tag?.name);

/**
 * The events `registry_package` and `package`. Packages of another kind have no tag.
 * @see https://docs.github.com/en/webhooks/webhook-events-and-payloads#registry_package
 */
const gitHub = z.union([
  z
    .object({ action: text, registry_package: gitHubPackage })
    .transform((event) => (event.action === 'deleted' ? [] : gitHubPushes(event.registry_package))),
  z
    .object({ action: text, package: gitHubPackage })
    .transform((event) => (event.action === 'deleted' ? [] : gitHubPushes(event.package))),
]);

const harborPushes = ['PUSH_ARTIFACT', 'harbor.artifact.pushed'];
const harborData = z.object({
  resources: z
    .array(z.object({ tag: maybe, resource_url: maybe }))
    .max(1_000)
    .nullish(),
});
/**
 * Both formats of its payloads: the default one, and CloudEvents.
 * @see https://goharbor.io/docs/latest/working-with-projects/project-configuration/configure-webhooks/
 */
const harbor = z
  .union([
    z.object({ type: text, event_data: harborData }),
    z.object({ specversion: text, type: text.startsWith('harbor.'), data: harborData }),
  ])
  .transform((event) => {
    const { resources } = 'data' in event ? event.data : event.event_data;
    if (!harborPushes.includes(event.type)) return [];
    return (resources ?? []).flatMap(({ resource_url: url, tag }) => pushed(url, tag));
  });

/** @see https://distribution.github.io/distribution/about/notifications/ */
const distribution = z
  .object({
    events: z
      .array(
        z.object({
          action: text,
          target: z.object({ repository: maybe, tag: maybe, url: maybe }).nullish(),
          request: z.object({ host: maybe }).nullish(),
        }),
      )
      .max(1_000),
  })
  .transform(({ events }) =>
    events.flatMap(({ action, target, request }) => {
      if (action !== 'push' || !target?.repository) return [];
      const urlHost = URL.canParse(target.url ?? '') ? new URL(target.url!).host : undefined;
      const hosts = [request?.host, urlHost].flatMap((host) => host || []);
      return hosts.flatMap((host) => pushed(`${host}/${target.repository}`, target.tag));
    }),
  );

const shapes = [dockerHub, gitHub, harbor, distribution];

/** The push of a tag of a repository; none if it has no tag, as the images of single platforms. */
function pushed(name: string | null | undefined, tag: string | null | undefined): Push[] {
  const image = name ? parseImage(withTag(name.toLowerCase(), 'latest')) : undefined;
  if (!image || !tag || !isTag(tag)) return [];
  return [{ host: image.host, repository: image.repository, tag }];
}

/**
 * The notification of a registry in the body of a request, which is recognized by its shape. Undefined if it has no known
 * shape, except for events of GitHub, which has others than those of packages.
 */
export function readNotification(body: unknown, isFromGitHub: boolean): RegistryNotification | undefined {
  for (const shape of shapes) {
    const { data } = shape.safeParse(body);
    if (data) return { pushes: data };
  }
  return isFromGitHub ? { pushes: [] } : undefined;
}

/** The image to deploy after a push, or why there is nothing to deploy. */
export function requestAfter(
  image: string,
  tagPattern: string | null,
  { pushes }: RegistryNotification,
): DeployRequest | { reason: string } {
  if (pushes.length === 0) return { reason: 'Nothing to deploy: no tag of an image was pushed.' };
  const current = parseImage(image);
  const name = current ? `${current.host}/${current.repository}` : image;
  const matches = pushes.filter(
    ({ host, repository }) => host === current?.host && repository === current.repository,
  );
  if (matches.length === 0) {
    const names = pushes.map(({ host, repository }) => `${host}/${repository}`);
    return { reason: `Nothing to deploy: ${nameList([...new Set(names)])} was pushed, and not ${name}.` };
  }
  const isPinned = image.includes('@');
  const tag = imageTag(image) ?? (isPinned ? null : 'latest');
  const wanted = tagPattern ?? tag;
  const matching = matches.findLast((push) => wanted !== null && matchesPattern(wanted, push.tag));
  if (matching) return matching.tag === tag && !isPinned ? {} : { tag: matching.tag };
  const tags = nameList([...new Set(matches.map((push) => push.tag))]);
  const expected =
    tagPattern === null
      ? `the component has ${tag === null ? 'a digest' : `the tag ${tag}`}, and the deploy hook no \`tagPattern\``
      : `the \`tagPattern\` of the deploy hook is ${tagPattern}`;
  return { reason: `Nothing to deploy: the tag ${tags} was pushed, ${expected}.` };
}
