import { createHash } from 'node:crypto';
import { z } from 'zod';
import { RegistryUnavailableError } from '../../kernel/errors.ts';
import { visibleLine } from '../../kernel/validate.ts';
import { parseAnswer } from '../outgoing/json.ts';
import type { FoundImage, ImagePlatform } from './driver.ts';

/** The most manifests in an index. Real ones have two for each platform. */
const maxManifests = 200;
const maxPorts = 1_000;

export const isDigest = (text: string): boolean => digest.safeParse(text).success;

const digest = z.string().regex(/^sha256:[a-f0-9]{64}$/);

/** Names of platforms are shown. */
const name = visibleLine(64);

const platform = z.object({ os: name, architecture: name, variant: name.nullish() });

const index = z.object({
  manifests: z.array(z.object({ digest, platform: platform.nullish() })).max(maxManifests),
});

const single = z.object({ config: z.object({ digest }) });

/** The manifest of an image for one platform, or the index of those for several. */
export const manifest = z.union([index, single]);

const config = z.object({
  ...platform.partial().shape,
  config: z.object({ ExposedPorts: z.record(z.string(), z.unknown()).nullish() }).nullish(),
});

export const digestOf = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`;

/** Parses what a registry sent. The message does not quote it. */
export function parseSent<S extends z.ZodType>(schema: S, text: string, what: string): z.output<S> {
  try {
    return schema.parse(parseAnswer(text));
  } catch {
    throw new RegistryUnavailableError(`The registry sent an invalid ${what}.`);
  }
}

const plainPlatform = ({ os, architecture, variant }: z.output<typeof platform>): ImagePlatform => ({
  os,
  architecture,
  variant: variant ?? null,
});

/** The manifests of an index that are images. Others, such as attestations, have an unknown platform. */
export function imagesOf({
  manifests,
}: z.output<typeof index>): { digest: string; platform: ImagePlatform | null }[] {
  return manifests
    .filter((each) => each.platform?.os !== 'unknown')
    .map((each) => ({ digest: each.digest, platform: each.platform ? plainPlatform(each.platform) : null }));
}

/** The platform and the ports in the configuration of an image. */
export function readConfig(text: string): Pick<FoundImage, 'platforms' | 'exposedPorts'> {
  const { os, architecture, variant, config: settings } = parseSent(config, text, 'configuration');
  const ports = Object.keys(settings?.ExposedPorts ?? {}).slice(0, maxPorts);
  return {
    platforms: os && architecture ? [plainPlatform({ os, architecture, variant })] : [],
    exposedPorts: ports
      .flatMap((port) => {
        const match = /^(\d{1,5})(?:\/(tcp|udp|sctp))?$/.exec(port);
        const number = Number(match?.[1] ?? 0);
        return match && number >= 1 && number <= 65_535 ? [{ number, protocol: match[2] ?? 'tcp' }] : [];
      })
      .sort((one, other) => one.number - other.number || (one.protocol < other.protocol ? -1 : 1)),
  };
}
